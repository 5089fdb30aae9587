"""`flavors`, `explain`, `schema` and `new`, as a user sees them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from skillgen.cli.schema import command as schema_command
from skillgen.hosts import shipped_hosts
from skillgen.resolve.schema import flavor_schema
from skillgen.resources import shipped

Run = Callable[..., Any]
#: Beside a flavor may lie how its program is driven; that is no flavor.
SHIPPED = sorted(
    (path for path in Path(shipped("flavors")).glob("*.yaml") if "." not in path.stem), key=lambda path: path.stem
)


def test_flavors_lists_all_and_marks_older_revisions(skillgen: Run) -> None:
    result = skillgen("flavors")
    assert result.code == 0
    lines = {line.split()[0]: line for line in result.out.splitlines()}
    assert sorted(lines) == [path.stem for path in SHIPPED]
    assert lines["omc-20260824"].endswith("(older revision)")
    assert "older" not in lines["omc"]


def test_flavors_as_json_holds_what_the_table_holds(skillgen: Run) -> None:
    rows = {row["id"]: row for row in json.loads(skillgen("flavors", "--json").out)["flavors"]}
    assert rows["omc"]["current"]
    assert not rows["omc-20260824"]["current"]
    assert rows["rcs"]["host"] == "codex"


def test_a_users_own_flavor_is_listed_with_its_file(skillgen: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("base: pep\n")
    assert f"{tmp_path}/mine.yaml" in skillgen("flavors", "--flavors", tmp_path).out


def test_explain_shows_a_value_with_file_line_and_column(skillgen: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("base: pep\nmodes:\n  ralph:\n    links: [{to: ultrawork}]\n")
    result = skillgen("explain", "mine", "modes.ralph.links[0].to", "--flavors", tmp_path)
    assert result.code == 0
    assert result.out == f'modes.ralph.links[0].to = "ultrawork"  # {tmp_path}/mine.yaml:4:18\n'


def test_explain_as_json_gives_value_and_origins(skillgen: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("base: pep\ncommand:\n  keywords: [a, b]\n")
    found = json.loads(skillgen("explain", "mine", "command.keywords", "--json", "--flavors", tmp_path).out)
    assert found["value"] == ["a", "b"]
    assert found["origins"]["command.keywords[1]"]["line"] == 3


@pytest.mark.parametrize(
    ("flavor", "line", "key", "where"),
    [
        ("omc", "No active OMC modes detected.", "messages.none", "templates/cancel/skill.yaml:"),
        ("omc", "Retired Ultrawork state removed.", "modes.ultrawork.message", "flavors/omc.yaml:"),
        (
            "pep",
            "  Ralph cancelled. Persistent mode deactivated.",
            "modes.ralph.message",
            "templates/cancel/skill.yaml:",
        ),
        (
            "omc",
            "Autopilot cancelled at phase: qa. Progress preserved for resume.",
            "modes.autopilot.message",
            "skill.yaml:",
        ),
    ],
)
def test_explain_tells_from_a_printed_line_which_value_says_it(
    skillgen: Run, flavor: str, line: str, key: str, where: str
) -> None:
    found = skillgen("explain", flavor, line)
    assert found.code == 0, found.err
    assert any(row.startswith(f"{key} = ") and where in row for row in found.out.splitlines()), found.out
    assert found.out.count("\n") <= 3, found.out
    assert key in json.loads(skillgen("explain", flavor, line, "--json").out)["origins"]


def test_explain_says_of_a_line_that_no_value_makes_where_it_comes_from(skillgen: Run) -> None:
    found = skillgen("explain", "omc", "Something remains unresolved; nothing of it was counted as cancelled.")
    assert found.code == 2
    assert "no value of omc says" in found.err and "`cancel.py explain`" in found.err


def test_explain_without_a_key_shows_the_whole_contract(skillgen: Run) -> None:
    found = json.loads(skillgen("explain", "omc", "--json").out)
    assert found["value"]["flavor"] == "omc"
    assert found["value"]["modes"]["ralph"]["title"] == "Ralph"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "omcc"], "there is no flavor omcc; did you mean omc?"),
        (["explain", "omc", "modes.ralf.title"], "omc has no value modes.ralf.title; did you mean modes.ralph.title?"),
        (["explain", "omc", "modes..ralph"], "omc has no value modes..ralph; did you mean modes.ralph?"),
        (["explain", "omc", "order[99]"], "omc has no value order[99]; did you mean order["),
        (["flavors", "--flavors", "/no/such"], "/no/such: no directory of flavors"),
        (["build", "--templates", "/no/such"], "/no/such: no directory of templates"),
        (["build", "--out", ""], "--out is empty; name a directory"),
        (["new", "Bad_Id"], "'Bad_Id' is no flavor id"),
        (["new", "omc"], "there is a flavor omc already"),
        (["new", "x", "--from", "omq"], "there is no flavor omq; did you mean"),
        (["diff", "omc", "nope"], "there is no flavor nope"),
        (["bulid"], "there is no command bulid; did you mean build?"),
        (["build", "--flavour", "omc"], "No such option"),
    ],
)
def test_a_bad_request_is_one_line_and_exit_code_two(skillgen: Run, arguments: list[str], message: str) -> None:
    result = skillgen(*arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


@pytest.mark.parametrize("command", ["build", "flavors", "explain", "diff", "schema", "new"])
def test_every_command_shows_an_example_in_its_help(skillgen: Run, command: str) -> None:
    result = skillgen(command, "--help")
    assert result.code == 0
    assert f"\n    skillgen {command}" in result.out


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_schema_accepts_every_shipped_flavor(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(flavor_schema(shipped_hosts()))
    jsonschema.validate(YAML(typ="safe").load(path), flavor_schema(shipped_hosts()))


@pytest.mark.parametrize(
    "flavor",
    [
        {"porduct": {}},
        {"product": {"titel": "x"}},
        {"modes": {"ralph": {"action": "clera"}}},
        {"modes": {"Bad Key": {}}},
        {"store": {"kind": "fils"}},
        {"stale_s": "many"},
        {"flavor": "x"},
        {"order": [[]]},
    ],
)
def test_the_schema_refuses_what_build_would_refuse(flavor: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(flavor, flavor_schema(shipped_hosts()))


@pytest.mark.parametrize(
    "flavor", [{}, {"base": "omc"}, {"root": {"directory": ".x"}}, {"modes": {"a": None, "b": {"like": "c"}}}]
)
def test_the_schema_asks_for_nothing(flavor: dict[str, Any]) -> None:
    jsonschema.validate(flavor, flavor_schema(shipped_hosts()))


def test_the_printed_schema_explains_its_keys(skillgen: Run) -> None:
    schema = json.loads(skillgen("schema").out)
    assert schema == flavor_schema(shipped_hosts())
    assert "message" in schema["$defs"]["Mode"]["properties"]
    assert schema["$defs"]["Mode"]["properties"]["message"]["description"].startswith("Said on success")


def _properties(part: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every property that a schema names, at any depth."""
    if isinstance(part, list):
        for item in part:
            yield from _properties(item, where)
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "properties":
                for name, inner in value.items():
                    yield f"{where}.{name}", inner
                    yield from _properties(inner, f"{where}.{name}")
            else:
                yield from _properties(value, f"{where}.{key}")


def _schemas() -> list[str]:
    """Return the options that print a schema of another file; without one it is the flavor's."""
    flags = [option for option in schema_command.params if getattr(option, "is_flag", False)]
    return [name for option in flags for name in option.opts if name != "--help"]


@pytest.mark.parametrize("option", ["", *_schemas()])
def test_every_property_of_every_schema_says_what_it_decides(skillgen: Run, option: str) -> None:
    found = list(_properties(json.loads(skillgen("schema", *filter(None, [option])).out)))
    assert len(found) > 50
    assert not [where for where, part in found if len(part.get("description", "").split()) < 2]


def test_two_models_of_one_name_are_described_each_by_its_own_words(skillgen: Run) -> None:
    described = [
        json.loads(skillgen("schema", *options).out)["$defs"]["Command"]["properties"]
        for options in ([], ["--conform"])
    ]
    assert "invokes the skill" in described[0]["form"]["description"]
    assert "command line" in described[1]["command"]["description"]


@pytest.mark.parametrize("source", [path.stem for path in SHIPPED])
def test_a_new_flavor_loads_and_builds_at_once(skillgen: Run, tmp_path: Path, source: str) -> None:
    made = skillgen("new", "brand-new", "--from", source, "--flavors", tmp_path)
    assert made.code == 0, made.err
    text = (tmp_path / "brand-new.yaml").read_text()
    assert text.splitlines()[1].startswith("# Brand New: a flavor")
    jsonschema.validate(YAML(typ="safe").load(text), flavor_schema(shipped_hosts()))
    built = skillgen("build", "--flavor", "brand-new", "--flavors", tmp_path, "--out", tmp_path / "out")
    assert built.code == 0, built.err
    skills = list((tmp_path / "out/brand-new/skills").iterdir())
    assert skills and "Brand New" in (skills[0] / "SKILL.md").read_text()


def test_new_prints_what_it_would_write_and_overwrites_nothing(skillgen: Run, tmp_path: Path) -> None:
    printed = skillgen("new", "mine").out
    skillgen("new", "mine", "--flavors", tmp_path)
    assert (tmp_path / "mine.yaml").read_text() == printed
    (tmp_path / "mine.yaml").write_text("base: pep\n")
    assert skillgen("new", "mine", "--flavors", tmp_path).code == 2
    assert (tmp_path / "mine.yaml").read_text() == "base: pep\n"


def test_the_comments_of_a_new_flavor_are_valid_yaml_when_they_are_taken_in(skillgen: Run, tmp_path: Path) -> None:
    text = skillgen("new", "mine", "--from", "pep").out
    head, marker, _ = text.partition("# These values")
    assert marker
    live = "\n".join(
        line[2:] if line.startswith(("# root", "# identity", "# flags", "# modes", "# order", "#   ")) else line
        for line in head.splitlines()
    )
    (tmp_path / "mine.yaml").write_text(live + "\n")
    result = skillgen("explain", "mine", "order", "--flavors", tmp_path)
    assert result.code == 0, result.err


def test_plain_output_has_no_escape_codes(skillgen: Run) -> None:
    for arguments in (["flavors"], ["explain", "omc"], ["diff", "omc-20260824", "omc"]):
        assert "\x1b" not in skillgen(*arguments).out
