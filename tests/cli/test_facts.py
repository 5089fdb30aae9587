"""`skillgen facts` prints what was read, with the stance, the line and the span of each fact."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from skillgen.cli.main import cli

TEXT = """\
---
name: cancel
description: Cancel any active Loom mode (ralph, team). Use when the user asks to stop one.
---
# Cancel

1. Ralph: set `active` to `false` in `.loom/state/ralph-state.json`
2. Team: `state_clear(mode="team", session_id="<session_id>")`

Never run `rm -f .loom/state/ralph-state.json`.
Whoever is keen may clear the state of Team.
"""


def facts(path: Path, *options: str) -> str:
    result = CliRunner().invoke(cli, ["facts", str(path), *options], standalone_mode=False)
    assert result.exception is None, result.exception
    assert result.return_value == 0
    return result.output


def test_each_fact_has_its_stance_line_and_span(tmp_path: Path) -> None:
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    printed = json.loads(facts(path, "--json"))
    lines = TEXT.split("\n")
    assert {fact["kind"] for fact in printed["facts"]} == printed["kinds"].keys()
    found = {(fact["key"], fact["value"]): fact for fact in printed["facts"] if fact["kind"] == "action"}
    assert (found["ralph", "deactivate"]["stance"], found["ralph", "deactivate"]["line"]) == ("said", 7)
    assert (found["ralph", "clear"]["stance"], found["ralph", "clear"]["line"]) == ("denied", 10)
    assert (found["team", "clear"]["stance"], found["team", "clear"]["lines"]) == ("said", [8, 11])
    for fact in printed["facts"]:
        start, end = fact["span"]
        assert 1 <= start <= end <= len(lines[fact["line"] - 1]) + 1
        if fact["kind"] in ("root", "tool", "invocation"):
            assert lines[fact["line"] - 1][start - 1 : end - 1] == fact["value"]


def test_a_person_reads_one_line_a_fact(tmp_path: Path) -> None:
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    assert f"{path}:10:12 action  ralph  clear  (denied)" in facts(path).splitlines()


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["facts", str(tmp_path / "no.md")], standalone_mode=False)
    assert "no such file or directory" in str(result.exception)
