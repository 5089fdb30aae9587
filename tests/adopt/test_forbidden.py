"""A text that forbids a deed gives a flavor, and a script, that does not do it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skillgen.build.inputs import Inputs
from skillgen.cli.main import cli
from skillgen.sync.adopt_text import Adopted, adopt_text

sys.path.insert(0, str(Path(__file__).parents[1] / "reader"))
from forbidding import MORE, ORDERS, WAYS, filled, skill


@cache
def inputs() -> Inputs:
    return Inputs((), ())


def adopted(tmp_path: Path, text: str, base: str = "pep") -> Adopted:
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir()
    source.write_text(text, encoding="utf-8")
    return adopt_text(str(source), "loom", inputs(), base)


#: Every second way in English, some of the rest; that no fact comes of any is shown without adopting, in the reader's tests.
SOME = [
    *[one for one in filled(WAYS) if one[0] == "en"][::2],
    *[one for one in filled(WAYS) if one[0] != "en"][::9],
    *filled(MORE)[::11],
]


@pytest.mark.parametrize(("language", "surface", "forbidding"), SOME)
def test_what_is_forbidden_is_not_what_the_flavor_does(
    tmp_path: Path, language: str, surface: str, forbidding: str
) -> None:
    found = adopted(tmp_path, skill(language, surface, forbidding))
    mode = found.contract["modes"]["ralph"]
    if surface == "write":
        assert (mode["action"], mode["all_action"]) in (("clear", "remove"), ("clear", "same"), ("deactivate", "same"))
        assert mode["action"] == "clear" or (language, surface, forbidding) not in filled(WAYS)
    else:
        assert (mode["action"], mode["all_action"]) == ("deactivate", "same")


@pytest.mark.parametrize("base", ["rcs", "omc"])
@pytest.mark.parametrize(("language", "surface", "forbidding"), filled(WAYS)[::23])
def test_nothing_is_removed_where_removing_is_forbidden_and_nothing_else_said(
    tmp_path: Path, language: str, surface: str, forbidding: str, base: str
) -> None:
    found = adopted(tmp_path, skill(language, surface, forbidding, order=False), base)
    mode = found.contract["modes"]["ralph"]
    if surface != "write":
        assert (mode["action"], mode["all_action"]) == ("deactivate", "same")
        assert "Forbidden by the text, or said in words that nobody can be sure of" in found.text


@pytest.mark.parametrize(("language", "surface", "order"), [one for one in filled(ORDERS) if one[1] != "write"][::9])
def test_what_is_ordered_is_done(tmp_path: Path, language: str, surface: str, order: str) -> None:
    found = adopted(tmp_path, skill(language, surface, order, order=False))
    assert found.contract["modes"]["ralph"]["action"] == "clear"


def built(tmp_path: Path, text: str, base: str) -> Path:
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir()
    source.write_text(text, encoding="utf-8")
    flavors = tmp_path / "flavors"
    flavors.mkdir()
    for arguments in (
        ["adopt", str(source), "-o", str(flavors / "loom.yaml"), "--base", base, "--safest"],
        ["build", "--flavor", "loom", "--flavors", str(flavors), "--out", str(tmp_path / "dist")],
    ):
        result = CliRunner().invoke(cli, arguments, standalone_mode=False)
        assert result.exception is None, result.exception
    return tmp_path / "dist" / "loom" / "skills" / "cancel"


def cancel(bundle: Path, work: Path, *arguments: str) -> dict[str, Any]:
    script = [sys.executable, str(bundle / "scripts" / "cancel.py"), "--json", *arguments]
    ran = subprocess.run(script, cwd=work, capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


FIRST = (
    "Set `active` to `false` in its state file. Never run `rm -f .loom/state/sessions/$ID/ralph-state.json`.",
    "Set `active` to `false` in its state file. Don’t run `rm -f .loom/state/sessions/$ID/ralph-state.json`.",
    "Set `active` to `false` in its state file, rather than running\n`rm -f .loom/state/sessions/$ID/ralph-state.json`.",
)


@pytest.mark.parametrize("arguments", [(), ("--force",), ("--all",)])
@pytest.mark.parametrize(
    ("base", "words"), [("pep", FIRST[0]), ("rcs", FIRST[1]), ("omc", FIRST[2]), ("omd", FIRST[0])]
)
def test_the_script_keeps_the_record_that_must_not_be_removed(
    tmp_path: Path, base: str, words: str, arguments: tuple[str, ...]
) -> None:
    bundle = built(tmp_path, skill("en", "rm", words, order=False), base)
    work = tmp_path / "work"
    record = work / ".loom" / "state" / "sessions" / "s1" / "ralph-state.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"active": true, "session_id": "s1", "plan": "kept"}', encoding="utf-8")
    found = cancel(bundle, work, "--session-id", "s1", *arguments)
    assert found["complete"] is True, found
    left = json.loads(record.read_text(encoding="utf-8"))
    assert (left["active"], left["plan"]) == (False, "kept")


@pytest.mark.parametrize("base", ["pep", "omc"])
def test_the_script_removes_the_record_where_writing_it_is_forbidden(tmp_path: Path, base: str) -> None:
    words = "Never set `active` to `false` in `.loom/state/ralph-state.json`."
    bundle = built(tmp_path, skill("en", "write", words), base)
    work = tmp_path / "work"
    record = work / ".loom" / "state" / "sessions" / "s1" / "ralph-state.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"active": true, "session_id": "s1"}', encoding="utf-8")
    assert cancel(bundle, work, "--session-id", "s1")["complete"] is True
    assert not record.exists()
