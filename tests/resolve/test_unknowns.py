"""A value that is left open: what it may stand for, what it keeps from being built, and how all of them are told."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skillgen.hosts import shipped_hosts
from skillgen.model.fields import contract_fields, deciding
from skillgen.resolve.schema import flavor_schema

OPEN = '{unknown: "What ends Ralph?", base: clear, least: deactivate}'
TWO = f"""\
base: pep
modes:
  ralph:
    action: {OPEN}
flags:
  force:
    scope:
      unknown: "Which sessions does --force select?"
      base: all
      least: current
"""


@pytest.fixture
def mine(tmp_path: Path) -> Callable[[str], Path]:
    """Give a function that writes a flavor file and returns the directory of flavors."""

    def write(text: str, name: str = "mine") -> Path:
        directory = tmp_path / "flavors"
        directory.mkdir(exist_ok=True)
        (directory / f"{name}.yaml").write_text(text, encoding="utf-8")
        return directory

    return write


def test_a_build_refuses_all_open_values_at_once_with_place_question_and_repair(
    skillgen: Any, mine: Any, tmp_path: Path
) -> None:
    flavors = mine(TWO)
    found = skillgen("build", "mine", "--flavors", flavors, "--out", tmp_path / "dist")
    assert found.code == 2
    first, second = sorted(line for line in found.err.splitlines() if "mine.yaml:" in line)
    assert re.search(r"mine\.yaml:4:13: `modes\.ralph\.action` is open: What ends Ralph\?, write the value", first)
    assert re.search(r"mine\.yaml:8:7: `flags\.force\.scope` is open: Which sessions does --force select\?", second)
    assert "--answers FILE" in first and "--safest" in second
    assert not (tmp_path / "dist" / "mine").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("pack", "--flavor", "mine", "--out", "out"),
        ("build", "mine", "--into", "fork"),
        ("build", "mine", "--check"),
        ("explain", "mine", "modes"),
        ("diff", "mine", "pep"),
        ("sync", "--flavor", "mine", "--adopt-lock", "fork"),
        ("flavors",),
        ("publish", "--to", "market", "--flavor", "mine", "--version", "1.0.0"),
    ],
    ids=lambda one: one[0],
)
def test_no_command_goes_on_with_an_open_value(
    skillgen: Any, mine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    flavors = mine(TWO)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fork").mkdir()
    subprocess.run(["git", "init", "-q", "market"], check=True)
    before = sorted(tmp_path.rglob("*"))
    found = skillgen(*command, "--flavors", flavors)
    assert found.code == 2, found
    assert found.err.count("is open: ") == 2, found.err
    assert sorted(tmp_path.rglob("*")) == before


def test_other_mistakes_are_told_together_with_the_open_values(skillgen: Any, mine: Any) -> None:
    flavors = mine(TWO + "product: {nam: X}\n")
    found = skillgen("build", "mine", "--flavors", flavors, "--check")
    assert found.err.count("is open: ") == 2 and "unknown key `nam`" in found.err


def test_an_open_value_replaces_the_whole_of_what_the_base_says(skillgen: Any, mine: Any) -> None:
    text = "base: omc\nteam:\n  unknown: How are the workers stopped?\n  base: {kind: native}\n  least: {kind: none}\n"
    found = skillgen("build", "mine", "--flavors", mine(text), "--check")
    open_, *others = [line for line in found.err.splitlines() if "mine.yaml" in line]
    assert "`team` is open: How are the workers stopped?" in open_
    assert not [line for line in others if "unknown" in line], "nothing of the base's team was mixed into it"


def test_a_value_laid_over_an_open_one_answers_it(skillgen: Any, mine: Any) -> None:
    mine(TWO, "below")
    flavors = mine("base: below\nmodes: {ralph: {action: clear}}\nflags: {force: {scope: all}}\n")
    found = skillgen("explain", "mine", "modes.ralph.action", "--flavors", flavors)
    assert found.code == 0, found.err
    assert "clear" in found.out


def test_one_open_default_of_all_modes_is_told_once(skillgen: Any, mine: Any) -> None:
    text = 'base: pep\nmode: {claims_root: {unknown: "Whose is it?", base: true, least: false}}\n'
    found = skillgen("build", "mine", "--flavors", mine(text), "--check")
    assert found.code == 2 and found.err.count("is open: ") == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("modes: {ralph: {action: unknown}}", "`modes.ralph.action` is the text `unknown`"),
        ("modes: {ralph: {action: {unknown: Q}}}", "stands with `base` and `least` and nothing else"),
        ("flags: {unknown: Q}", "stands with `base` and `least` and nothing else"),
        ('modes: {ralph: {action: {unknown: "", base: clear, least: deactivate}}}', "holds no question"),
        (
            "product: {name: {unknown: Q, base: A, least: B}}",
            "`product.name` decides nothing that is removed or stopped",
        ),
        (
            "modes: {ralph: {action: {unknown: Q, base: clear, least: no-such}}}",
            "`modes.ralph.action` is the text `no-such`",
        ),
    ],
)
def test_what_is_no_question_is_told_as_a_mistake(skillgen: Any, mine: Any, text: str, what: str) -> None:
    found = skillgen("build", "mine", "--flavors", mine(f"base: pep\n{text}\n"), "--check")
    assert found.code == 2 and what in found.err, found.err
    assert "extra" not in found.err


def test_a_mode_and_a_line_of_front_matter_may_be_called_unknown(skillgen: Any, mine: Any) -> None:
    text = "base: pep\nmodes: {unknown: {title: Unknown, does: Ends it., records: [unknown]}}\n"
    found = skillgen("build", "mine", "--flavors", mine(text), "--check")
    assert "is open" not in found.err and "decides nothing" not in found.err


def schema() -> dict[str, Any]:
    return flavor_schema(shipped_hosts())


def test_the_schema_lets_a_question_stand_at_every_key_that_decides_and_at_no_other() -> None:
    definitions = {"Contract": schema(), **schema()["$defs"]}
    held = {
        (model, name)
        for model, one in definitions.items()
        for name, value in one.get("properties", {}).items()
        if {"$ref": "#/$defs/Open"} in value.get("anyOf", ())
    }
    assert held == deciding()
    for name in ("flags", "identity", "root", "store", "tools", "team", "bridge", "global_pass", "kept"):
        assert ("Contract", name) in held
    for one in (("Mode", "action"), ("Mode", "links"), ("Mode", "message"), ("Selection", "scope"), ("ToolNames", "clear"),
                ("ToolArguments", "session"), ("Artifact", "path"), ("WorkspaceRoot", "directory")):  # fmt: skip
        assert one in held
    assert not {("Mode", "title"), ("Product", "name"), ("Contract", "notes")} & held


def test_what_the_schema_takes_and_what_a_build_takes_are_the_same_mapping() -> None:
    check = jsonschema.Draft202012Validator(schema())
    question = {"unknown": "Q?", "base": "clear", "least": "deactivate"}
    assert check.is_valid({"base": "pep", "modes": {"ralph": {"action": question}}})
    for wrong in ("unknown", {"unknown": "Q?"}, {**question, "more": 1}, {**question, "unknown": ""}):
        assert not check.is_valid({"base": "pep", "modes": {"ralph": {"action": wrong}}}), wrong
    assert not check.is_valid({"base": "pep", "product": {"name": question}})


def test_the_schema_is_json() -> None:
    assert json.loads(json.dumps(schema()))["$defs"]["Open"]["required"] == ["unknown", "base", "least"]


def test_all_below_what_decides_decides() -> None:
    fields = contract_fields()
    for path, one in fields.items():
        if len(path) > 1 and fields[path[:-1]].decides is not None:
            assert one.decides is not None, path
