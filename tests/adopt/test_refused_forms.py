"""A form of the command that the text refuses is refused by the bundle too, with the text's reason, and widens nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillgen.cli.main import cli

TEXT = """\
---
name: cancel
description: Cancel any active Loom mode (ralph, weave). Use when the user asks to stop one.
---
# Cancel

`/loom:cancel` ends the active Loom mode. State: `.loom/state/sessions/<session_id>/<mode>-state.json`.

1. Ralph
2. Weave

Call `state_clear(mode="<mode>", session_id="<session_id>")` for each.

{}
"""
TABLE = "| Flag | Effect |\n|---|---|\n| `--force` | this session, without asking |\n| `--all` | rejected: one session at a time |"


def build(tmp_path: Path, words: str, base: str) -> Path:
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir()
    source.write_text(TEXT.format(words), encoding="utf-8")
    flavors = tmp_path / "flavors"
    flavors.mkdir()
    for arguments in (
        ["adopt", str(source), "-o", str(flavors / "loom.yaml"), "--base", base, "--safest"],
        ["build", "--flavor", "loom", "--flavors", str(flavors), "--out", str(tmp_path / "dist")],
    ):
        result = CliRunner().invoke(cli, arguments, standalone_mode=False)
        assert result.exception is None, result.exception
    return tmp_path / "dist" / "loom" / "skills" / "cancel"


def cancel(bundle: Path, work: Path, *arguments: str) -> tuple[int, str, list[str]]:
    """Run on one active record in each of two sessions; return exit code, complaint and what is left."""
    for session in ("s1", "s2"):
        record = work / ".loom" / "state" / "sessions" / session / "weave-state.json"
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps({"active": True, "session_id": session}), encoding="utf-8")
    script = [sys.executable, str(bundle / "scripts" / "cancel.py"), "--json", "--session-id", "s1", *arguments]
    ran = subprocess.run(script, cwd=work, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stderr, sorted(path.parent.name for path in work.rglob("weave-state.json"))


@pytest.mark.parametrize(
    ("words", "form", "reason"),
    [
        ("Reject `--all`: Loom ends one session at a time.", "--all", "Loom ends one session at a time"),
        ("`--all` is not accepted because one run ends one session.", "--all", "one run ends one session"),
        ("There is no `--all`.", "--all", "Loom does not take it"),
        (TABLE, "--all", "one session at a time"),
        ("Never accept `--force`. `--all` goes through every session.", "--force", "Loom does not take it"),
        ("拒绝 `--all`：一次只结束一个会话。", "--all", "一次只结束一个会话"),
        ("`--all`은 지원하지 않습니다.", "--all", "Loom does not take it"),
        ("`--all`は受け付けません。", "--all", "Loom does not take it"),
    ],
)
@pytest.mark.parametrize("base", ["omc", "omx"])
def test_a_refused_form_changes_nothing_and_says_why(
    tmp_path: Path, words: str, form: str, reason: str, base: str
) -> None:
    bundle = build(tmp_path, words, base)
    for arguments in ((form,), ("--force", "--all")):
        code, complaint, left = cancel(bundle, tmp_path / "work", *arguments)
        assert (code, left) == (2, ["s1", "s2"])
        assert reason in complaint
    assert cancel(bundle, tmp_path / "work")[2] == ["s2"]
    assert reason in (bundle / "SKILL.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        "Without `--all` other sessions are not touched.",
        "`--all` never asks.",
        "Do not use `--all` unless the user asks for it.",
        "`--all` does not need `--force`.",
        "| Form | Asks |\n|---|---|\n| `--all` | no |",
    ],
)
def test_a_form_of_which_something_else_is_denied_is_no_refused_form(tmp_path: Path, words: str) -> None:
    bundle = build(tmp_path, words, "omc")
    assert cancel(bundle, tmp_path / "work", "--all")[0] == 0
