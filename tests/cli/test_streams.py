"""Whatever takes the output (a page of codes, a full disk, a closed pipe), every command ends by what it found."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillgen.cli.main import COMMANDS, _escapes

SKILL = """\
---
name: cancel
description: Отмена режима 喵 (autopilot, ralph) → 😀. Use when asked to cancel.
---

# Cancel 喵

Records are `.zap/state/sessions/<session_id>/<mode>-state.json` → «да».

1. Autopilot: `state_clear(mode="autopilot", session_id="<session_id>")`
2. Ralph: `state_clear(mode="ralph", session_id="<session_id>")`

```bash
tmux list-sessions -F '#{session_name}' | grep '^zap-' | xargs -n1 tmux kill-session -t
```
"""
ARGUMENTS: dict[str, list[list[str]]] = {
    "build": [
        ["mine", "--flavors", "{here}", "--out", "{here}/out"],
        ["mine", "--flavors", "{here}", "--out", "{here}/out", "--json"],
    ],
    "flavors": [["--flavors", "{here}"], ["--flavors", "{here}", "--json"]],
    "explain": [["mine", "product", "--flavors", "{here}"], ["mine", "--flavors", "{here}", "--json"], ["喵→"]],
    "diff": [["omc", "mine", "--flavors", "{here}"], ["omc", "mine", "--flavors", "{here}", "--json"]],
    "schema": [[], ["--conform"]],
    "new": [["zap"]],
    "audit": [
        ["{skill}"],
        ["{skill}", "--format", "json"],
        ["{skill}", "--format", "sarif"],
        ["{skill}", "--format", "github"],
    ],
    "rules": [[], ["SG201"], ["--json"]],
    "facts": [["{skill}"], ["{skill}", "--json"]],
    "adopt": [["{skill}", "-o", "{here}/喵.yaml"], ["{here}/nowhere"]],
    "sync": [["--check", "{here}/喵"]],
    "watch": [["{skill}", "{here}/mine.yaml"], ["{skill}", "{skill}", "--format", "json"]],
    "conform": [["omc", "--program", "{here}/喵"]],
    "report": [["--out", "{here}/喵/r.html"]],
    "pack": [["--flavor", "喵"]],
    "verify": [["{here}/喵"]],
    "publish": [["--to", "{here}/喵", "--flavor", "omc"]],
    "marketplace": [["{here}", "--dist", "喵"]],
}
CASES = [(name, arguments) for name, all_ in ARGUMENTS.items() for arguments in all_]
PAGES: list[dict[str, str]] = [
    {"PYTHONIOENCODING": "cp1252"},
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("streams")
    (root / "cancel").mkdir()
    (root / "cancel/SKILL.md").write_text(SKILL, encoding="utf-8")
    (root / "mine.yaml").write_text("base: omc\nproduct: {name: 喵 → 😀}\n", encoding="utf-8")
    return root


def run(here: Path, name: str, arguments: list[str], **more: object) -> subprocess.CompletedProcess[bytes]:
    given = [one.format(here=here, skill=here / "cancel/SKILL.md") for one in arguments]
    environment = {**os.environ, **more.pop("env", {})}  # type: ignore[dict-item]
    (here / "喵.yaml").unlink(missing_ok=True)
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-m", "skillgen", name, *given], cwd=here, env=environment, stdin=subprocess.DEVNULL, **more
    )


def test_every_command_is_tried() -> None:
    assert sorted(ARGUMENTS) == sorted(COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments"), CASES)
def test_no_encoding_changes_an_exit_code_or_ends_in_a_traceback(here: Path, name: str, arguments: list[str]) -> None:
    usual = run(here, name, arguments, capture_output=True, env={"PYTHONIOENCODING": "utf-8"})
    assert usual.stdout or usual.stderr
    for page in PAGES:
        done = run(here, name, arguments, capture_output=True, env=page)
        assert (done.returncode, b"Traceback" in done.stderr) == (usual.returncode, False), (page, done.stderr)
        if arguments[-1:] in (["json"], ["--json"]) and usual.returncode < 2:
            # click writes UTF-8 where a stream says ASCII; both can be read by what follows in the pipe.
            codec = page.get("PYTHONIOENCODING", "utf-8").replace("ascii", "utf-8")
            assert json.loads(done.stdout.decode(codec)) == json.loads(usual.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(("name", "arguments"), CASES)
def test_a_full_disk_under_the_output_is_no_result_and_no_traceback(
    here: Path, name: str, arguments: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(here, name, arguments, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 2 and b"Traceback" not in done.stderr
        assert len(done.stderr.splitlines()) >= 1
        assert run(here, name, arguments, stdout=full, stderr=full).returncode == 2


def test_a_stream_that_is_closed_takes_no_result_away(here: Path) -> None:
    command = f"{sys.executable} -m skillgen"
    for line, code in (
        (f"{command} flavors >&-", 0),
        (f"{command} nosuch 2>&-", 2),
        (f"{command} diff omc pep >&- 2>&-", 1),
    ):
        done = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (code, b""), line


def test_a_reader_that_is_gone_is_no_finding() -> None:
    command = f"{sys.executable} -m skillgen schema | true; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 141


@pytest.mark.parametrize("text", ["→", "😀", "\x85", "喵\N{PILE OF POO}", "\udcff"])
def test_an_escape_is_one_of_json(text: str) -> None:
    for at, char in enumerate(text):
        shown, after = _escapes(UnicodeEncodeError("ascii", text, at, at + 1, "x"))
        assert after == at + 1
        assert json.loads(f'"{shown}"') == char


def test_what_cannot_be_written_is_told_from_a_bug() -> None:
    from skillgen.cli.main import _UNWRITABLE

    assert errno.ENOENT not in _UNWRITABLE
