"""Adopt texts: shipped ones come back as they are, renamed ones keep their names, every result builds and is clean."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.cli.main import cli

FIXTURES = Path(__file__).parent.parent / "audit" / "fixtures"
DIST = Path(__file__).parent.parent.parent / "dist"
IDS = ["rcs", "omni", "omd", "pep", "omc"]


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(cli, list(arguments), standalone_mode=False)
    assert result.exception is None, result.exception
    return result


def adopt(source: Path, flavors: Path, id_: str = "fork") -> Path:
    flavors.mkdir(exist_ok=True)
    target = flavors / f"{id_}.yaml"
    run("adopt", str(source), "-o", str(target), "--safest")
    return target


def contract(id_: str, flavors: Path | None = None) -> dict[str, Any]:
    inputs = Inputs([str(flavors)] if flavors else [], ())
    data = resolve_all(inputs, [id_])[id_].contract.model_dump(mode="json")
    data.pop("flavor")
    return data


@pytest.mark.parametrize("id_", [*IDS, "omc-20260824"])
def test_the_rebuilt_text_of_a_flavor_gives_that_flavor_back(id_: str, tmp_path: Path) -> None:
    adopt(FIXTURES / id_ / "cancel" / "SKILL.md", tmp_path / "flavors")
    assert contract("fork", tmp_path / "flavors") == contract(id_)


@pytest.mark.parametrize("id_", IDS)
def test_the_rendered_text_of_a_flavor_gives_that_flavor_back(id_: str, tmp_path: Path) -> None:
    run("build", "--flavor", id_, "--out", str(tmp_path / "dist"))
    adopt(tmp_path / "dist" / id_ / "skills" / "cancel" / "SKILL.md", tmp_path / "flavors")
    assert contract("fork", tmp_path / "flavors") == contract(id_)


RENAMES = {
    "rcs": [(".rcs", ".acme"), ("RCS", "ACME"), ("rcs-team", "acme-team"), ("omc", "acme"), ("forge", "smith"), ("Forge", "Smith")],
    "pep": [(".pep", ".zed"), ("PEP", "ZED"), ("pepcode", "zedcode"), ("omc", "zed"), ("ralph", "sisyphos"), ("Ralph", "Sisyphos")],
    "omni": [("copilot-omni", "multi"), (".omni", ".multi"), ("OMNI", "MULTI"), ("omni", "multi"), ("omc", "multi")],
    "omd": [("/omd", "/quo"), (".omd", ".quo"), ("omd", "quo"), ("ralplan", "quoplan")],
    "omc": [("oh-my-claudecode", "your-code"), (".omc", ".yours"), ("OMC", "YOURS"), ("omc", "yours"), ("ultragoal", "megagoal"), ("Ultragoal", "Megagoal")],
}  # fmt: skip
EXPECTED = {
    "rcs": ("ACME", ".acme", "$acme:cancel", "cancelacme", "smith", "forge"),
    "pep": ("ZED", ".zed", "/zedcode:cancel", "cancelzed", "sisyphos", "ralph"),
    "omni": ("multi", ".multi", "/multi:cancel", "cancelmulti", "ralph", "ecomode"),
    "omd": ("quo", ".quo", "/cancel", "cancelquo", "quoplan", "ralplan"),
    "omc": ("YOURS", ".yours", "/your-code:cancel", "cancelyours", "megagoal", "ultragoal"),
}


def renamed(id_: str, tmp_path: Path) -> Path:
    text = (FIXTURES / id_ / "cancel" / "SKILL.md").read_text(encoding="utf-8")
    for old, new in RENAMES[id_]:
        text = re.sub(
            rf"(?<![A-Za-z]){re.escape(old)}|(?<=cancel){re.escape(old)}|(?<=stop){re.escape(old)}", new, text
        )
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("id_", IDS)
def test_a_renamed_copy_gives_its_own_names_back(id_: str, tmp_path: Path) -> None:
    adopt(renamed(id_, tmp_path), tmp_path / "flavors")
    found = contract("fork", tmp_path / "flavors")
    label, root, form, keyword, mode, gone = EXPECTED[id_]
    assert found["product"]["name"] == label
    assert found["root"]["directory"] == root
    assert found["command"]["form"] == form
    assert keyword in found["command"]["keywords"]
    assert mode in found["modes"]
    assert gone not in found["modes"]


@pytest.mark.parametrize("id_", IDS)
def test_what_was_adopted_builds_and_is_clean_at_grade_a(id_: str, tmp_path: Path) -> None:
    adopt(renamed(id_, tmp_path), tmp_path / "flavors")
    out = tmp_path / "dist"
    run("build", "--flavor", "fork", "--flavors", str(tmp_path / "flavors"), "--out", str(out))
    result = run("audit", str(out / "fork"), "--no-shellcheck")
    assert "grade A" in result.output, result.output
    old = RENAMES[id_][0][0]
    body = (out / "fork" / "skills" / "cancel" / "SKILL.md").read_text(encoding="utf-8")
    assert old not in body


def test_a_label_in_a_title_renames_no_key_that_the_text_keeps(tmp_path: Path) -> None:
    text = (FIXTURES / "omc" / "cancel" / "SKILL.md").read_text(encoding="utf-8")
    for old, new in (("oh-my-claudecode", "my-harness"), (".omc", ".mh"), ("OMC_", "MH_"), ("OMC", "my-harness")):
        text = text.replace(old, new)
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    adopt(path, tmp_path / "flavors")
    found = contract("fork", tmp_path / "flavors")
    assert "omc-teams" in found["modes"]
    assert found["modes"]["omc-teams"]["title"] == "my-harness Teams"
    assert found["identity"]["variables"][0] == "MH_SESSION_ID"
    assert found["root"]["kind"] == "workspace", "the text names no variable that moves the state"


def test_every_value_says_where_it_stood(tmp_path: Path) -> None:
    source = renamed("pep", tmp_path)
    text = adopt(source, tmp_path / "flavors").read_text(encoding="utf-8")
    lines = source.read_text(encoding="utf-8").split("\n")
    match = re.search(r"directory: \.zed +# line (\d+)", text)
    assert match and ".zed" in lines[int(match[1]) - 1]


def test_faults_of_the_text_are_listed_and_left_behind(tmp_path: Path) -> None:
    text = adopt(FIXTURES / "rcs" / "cancel" / "SKILL.md", tmp_path / "flavors").read_text(encoding="utf-8")
    listing = text.split("# Not carried over")[1]
    assert "(SG201)" in listing and "(SG501)" in listing


def test_an_invented_mode_keeps_its_title_its_message_and_its_place(tmp_path: Path) -> None:
    text = (FIXTURES / "pep" / "cancel" / "SKILL.md").read_text(encoding="utf-8")
    text = text.replace(
        "8. Pipeline (standalone)\n9. Team", "8. Pipeline (standalone)\n9. Moon Shot (standalone)\n10. Team"
    )
    text = text.replace("10. Plan Consensus", "11. Plan Consensus")
    text = text.replace('| Team | "Team', '| Moon Shot | "Moon Shot cancelled. The crew came home." |\n| Team | "Team')
    text += '\n## If Moon Shot Active\n\n`state_clear(mode="moon-shot", session_id="<id>")`\n'
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    adopt(path, tmp_path / "flavors")
    found = contract("fork", tmp_path / "flavors")
    assert found["modes"]["moon-shot"]["title"] == "Moon Shot"
    assert found["modes"]["moon-shot"]["message"] == "Moon Shot cancelled. The crew came home."
    assert found["order"][7:10] == [["pipeline"], ["moon-shot"], ["team"]]


def test_a_text_that_is_no_cancel_skill_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Shopping\n\nBread, milk.\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["adopt", str(path)], standalone_mode=False)
    assert "no cancel skill" in str(result.exception)


def test_an_existing_flavor_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "fork.yaml"
    target.write_text("mine\n", encoding="utf-8")
    source = FIXTURES / "pep" / "cancel" / "SKILL.md"
    result = CliRunner().invoke(cli, ["adopt", str(source), "-o", str(target)], standalone_mode=False)
    assert "there already" in str(result.exception)
    assert target.read_text(encoding="utf-8") == "mine\n"
