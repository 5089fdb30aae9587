"""A product whose state tools are commands of its own program: read, adopted and printed as its text has them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TEXT = """---
name: cancel
description: Cancel any active ZED mode (forge, ralph). Use when the user asks to stop.
---

# Cancel

State lies in `.zed/state/`. The session is `ZED_SESSION_ID`. Accepted are `/cancel` and `/cancel --force`, which ends the current
session's modes at once. Reject `--all` and unknown flags.

1. List: `zed state ls-active --quiet`.
2. **forge**: `zed state put --payload '{"mode":"forge","sid":"<sid>","active":false}' --quiet`
3. **ralph**:
   ```bash
   zed state drop \\
     --payload '{"mode":"ralph","sid":"<sid>"}' --quiet
   zed state get --payload "{\\"mode\\":\\"ralph\\",\\"sid\\":\\"$SID\\"}" --quiet
   ```
"""


def skillgen(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skillgen", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def facts(directory: Path, text: str) -> set[tuple[str, str, str, str]]:
    (directory / "SKILL.md").write_text(text, encoding="utf-8")
    done = skillgen("facts", "SKILL.md", "--json", cwd=directory)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["facts"]
    return {(row["kind"], row["key"], row["value"], row["stance"]) for row in rows}


def test_commands_of_the_product_s_program_are_its_state_tools(tmp_path: Path) -> None:
    found = facts(tmp_path, TEXT)
    tools = {value for kind, _, value, _ in found if kind == "tool"}
    assert tools == {"zed state ls-active", "zed state put", "zed state drop", "zed state get"}
    assert ("dialect", "", "--payload", "said") in found
    assert ("call", "zed state drop", "mode,sid", "said") in found, "a command over two lines is one call"
    assert ("action", "forge", "deactivate", "said") in found and ("action", "ralph", "clear", "said") in found
    assert ("flag", "", "--all", "denied") in found


def test_a_program_without_json_gives_no_dialect(tmp_path: Path) -> None:
    found = facts(tmp_path, TEXT.replace("--payload", "--note").replace("'{", "'").replace('"{', '"'))
    assert not any(kind == "dialect" for kind, *_ in found)
    assert not any(kind == "tool" for kind, *_ in found)


def test_a_look_by_a_command_without_the_session_is_no_fault_and_a_clear_is(tmp_path: Path) -> None:
    text = TEXT.replace(',"sid":"<sid>"}\' --quiet\n   zed', "}' --quiet\n   zed").replace(',\\"sid\\":\\"$SID\\"', "")
    (tmp_path / "SKILL.md").write_text(text, encoding="utf-8")
    done = skillgen("audit", "SKILL.md", cwd=tmp_path)
    lines = [line for line in done.stdout.splitlines() if "SG301" in line and "error" in line]
    assert len(lines) == 1 and "zed state drop without a session" in lines[0], done.stdout


def test_a_fork_s_commands_are_its_flavor_s_dialect_and_stand_in_its_skill(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(TEXT, encoding="utf-8")
    done = skillgen("adopt", "SKILL.md", "-o", "flavors/zed.yaml", "--safest", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = skillgen("build", "zed", "--flavors", "flavors", "--into", ".", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    contract = json.loads((tmp_path / "skills/cancel/contract.json").read_text(encoding="utf-8"))
    tools = contract["tools"]
    assert tools["style"] == "command-line"
    assert (tools["command_line"]["argument"], tools["command_line"]["switches"]) == ("--payload", ["--quiet"])
    assert tools["names"] == {
        "read": "zed state get",
        "write": "zed state put",
        "clear": "zed state drop",
        "list": "zed state ls-active",
        "status": "",
    }
    assert tools["list_call"] == "zed state ls-active --quiet"
    text = (tmp_path / "skills/cancel/SKILL.md").read_text(encoding="utf-8")
    assert """`zed state drop --payload '{"mode":"<record>","sid":"<session_id>"}' --quiet`""" in text
    bundle = "\n".join(path.read_text(encoding="utf-8") for path in (tmp_path / "skills").rglob("*.md"))
    assert "omx" not in bundle.lower() and "lifecycle_outcome" not in bundle, "the base's own product shows through"
    assert [path.name for path in (tmp_path / "flavors").iterdir()] == ["zed.yaml"], "-o writes the flavor alone"


def test_a_flag_that_the_text_refuses_is_refused_by_the_script(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(TEXT, encoding="utf-8")
    assert skillgen("adopt", "SKILL.md", "-o", "flavors/zed.yaml", "--safest", cwd=tmp_path).returncode == 0
    assert skillgen("build", "zed", "--flavors", "flavors", "--into", ".", cwd=tmp_path).returncode == 0
    script = tmp_path / "skills/cancel/scripts/cancel.py"
    command = [sys.executable, str(script), "--session-id", "s1", "--all"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("cancel: --all: "), done.stderr


def test_a_flag_that_is_first_of_several_refused_things_is_refused_and_a_conditional_refusal_is_none(
    tmp_path: Path,
) -> None:
    said = TEXT.replace("Reject `--all` and unknown flags.", "{}")
    for line, stance in (
        ("Reject `--all`, unknown flags, repeated flags, and mixed flags before mutation.", "denied"),
        ("Reject `--all` without a confirmation.", "said"),
    ):
        assert ("flag", "", "--all", stance) in facts(tmp_path, said.replace("{}", line)), line
