"""What neither the text nor the repository says, and decides what is removed or stopped, becomes a question."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from skillgen.build.inputs import Inputs
from skillgen.load.flavors import parse_mapping
from skillgen.model.node import plain
from skillgen.sync.adopt_text import Adopted, adopt_text

HEAD = "---\nname: cancel\ndescription: Cancel any active Quill mode (draft, ink). Use when the user asks to stop one.\n---\n# Cancel\n\n"
PLACE = "`/quill:cancel` ends the active mode. Records: `.quill/state/sessions/<session_id>/<mode>-state.json`.\n\n"
SILENT = HEAD + PLACE + "1. Draft\n2. Ink\n\nWith `--force` more happens.\n"
BASES = ("pep", "rcs", "omc", "omd")


def skill(tmp_path: Path, text: str) -> Path:
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir(exist_ok=True)
    source.write_text(text, encoding="utf-8")
    return source


def adopted(tmp_path: Path, text: str, base: str | None = "pep", **more: Any) -> Adopted:
    return adopt_text(str(skill(tmp_path, text)), "quill", Inputs((), ()), base, **more)


def values(text: str) -> Any:
    node = parse_mapping("quill.yaml", text.encode(), [])
    assert node is not None
    return plain(node)


def keys(found: Adopted) -> set[str]:
    return {".".join(key) for question in found.questions for key in question.keys}


@pytest.mark.parametrize("base", BASES)
def test_what_the_text_does_not_say_is_open_whatever_the_base(tmp_path: Path, base: str) -> None:
    found = adopted(tmp_path, SILENT, base)
    assert {"modes.draft.action", "modes.ink.action"} <= keys(found)
    written = values(found.text)["modes"]["draft"]["action"]
    assert set(written) == {"unknown", "base", "least"} and written["least"] == "deactivate"
    assert written["unknown"].startswith("What ends Draft and Ink:")


def test_what_a_mode_says_is_asked_where_others_have_messages_of_their_own(skillgen: Any, tmp_path: Path) -> None:
    ends = '- draft: delete its state file. Say "Draft is torn up."\n- ink: delete its state file, then tell the user\n'
    text = HEAD + PLACE + "1. Draft\n2. Ink\n\n" + ends + "\nThen the bottle is closed: Ink is dry.\n"
    found = adopted(tmp_path, text, "pep")
    asked = [question for question in found.questions if ("modes", "ink", "message") in question.keys]
    assert [question.keys for question in asked] == [(("modes", "ink", "message"),)]
    assert found.contract["modes"]["draft"]["message"] == "Draft is torn up."
    line = text.count("\n", 0, text.index("Then the bottle")) + 1
    for said, code in (("Ink is dry.", 0), ("Ink is gone for good.", 1)):
        given = {"keys": ["modes.ink.message"], "value": said, "path": "SKILL.md", "line": line}
        file = tmp_path / "answers.json"
        file.write_text(json.dumps({"answers": [given]}), encoding="utf-8")
        ran = skillgen("adopt", skill(tmp_path, text), "--base", "pep", "--answers", file)
        assert ran.code == code, ran.err
        assert ("message: Ink is dry." in ran.out.replace('"', "")) is (code == 0)


def test_one_question_asks_for_all_modes_that_the_text_treats_alike(tmp_path: Path) -> None:
    found = adopted(tmp_path, SILENT)
    actions = [question for question in found.questions if any(key[-1] == "action" for key in question.keys)]
    assert [[key[1] for key in question.keys] for question in actions] == [["draft", "ink"]]


def test_what_is_said_is_not_asked(tmp_path: Path) -> None:
    said = '1. Draft: `state_clear(mode="draft", session_id="<session_id>")`\n2. Ink: set `active` to `false` in its record\n'
    found = adopted(tmp_path, HEAD + PLACE + said)
    assert not found.questions
    modes = found.contract["modes"]
    assert (modes["draft"]["action"], modes["ink"]["action"]) == ("clear", "deactivate")


def test_the_lines_that_speak_to_a_question_stand_with_it(tmp_path: Path) -> None:
    found = adopted(tmp_path, SILENT)
    scope = next(question for question in found.questions if question.keys == (("flags", "force", "scope"),))
    lines = SILENT.splitlines()
    assert scope.lines and all("--force" in lines[line - 1] for line in scope.lines)


def test_without_an_answer_only_the_flavor_is_written_and_no_bundle_can_be_built(skillgen: Any, tmp_path: Path) -> None:
    source = skill(tmp_path, SILENT)
    (tmp_path / "flavors").mkdir()
    out = tmp_path / "flavors" / "quill.yaml"
    before = set(tmp_path.rglob("*"))
    found = skillgen("adopt", source, "-o", out, "--base", "pep")
    assert found.code == 1 and set(tmp_path.rglob("*")) - before == {out}
    assert "What ends Draft and Ink" in found.err and "build it with" not in found.out
    built = skillgen("build", "quill", "--flavors", out.parent, "--out", tmp_path / "dist")
    opened = re.findall(r"quill\.yaml:\d+:\d+: `([\w.-]+)` is open: ", built.err)
    assert built.code == 2 and {"modes.draft.action", "modes.ink.action", "flags.force.scope"} <= {*opened}


def test_the_safest_answers_build_at_once_and_are_marked(skillgen: Any, tmp_path: Path) -> None:
    source = skill(tmp_path, SILENT)
    (tmp_path / "flavors").mkdir()
    out = tmp_path / "flavors" / "quill.yaml"
    found = skillgen("adopt", source, "-o", out, "--base", "pep", "--safest")
    assert found.code == 0, found.err
    marked = re.findall(
        r"^ *(\w+): (\S+)  # nobody says so; it harms least \(--safest\)$", out.read_text("utf-8"), re.M
    )
    assert {("action", "deactivate"), ("scope", "current")} <= {*marked}
    assert skillgen("build", "quill", "--flavors", out.parent, "--out", tmp_path / "dist").code == 0


def test_safest_is_what_the_open_flavor_gives_with_the_least_in_its_places(tmp_path: Path) -> None:
    opened, safest = adopted(tmp_path, SILENT), adopted(tmp_path, SILENT, safest=True)
    assert opened.contract == safest.contract and not safest.questions and "unknown:" not in safest.text


def test_a_file_that_adopt_wrote_is_written_again_and_an_edited_one_is_not(skillgen: Any, tmp_path: Path) -> None:
    source = skill(tmp_path, SILENT)
    out = tmp_path / "quill.yaml"
    assert skillgen("adopt", source, "-o", out, "--base", "pep").code == 1
    assert skillgen("adopt", source, "-o", out, "--base", "pep", "--safest").code == 0
    edited = out.read_text("utf-8").replace("deactivate", "clear", 1)
    out.write_text(edited, "utf-8")
    found = skillgen("adopt", source, "-o", out, "--base", "pep", "--safest")
    assert found.code == 2 and "holds what no adopt wrote" in found.err
    assert out.read_text("utf-8") == edited


def test_questions_are_written_as_json_with_lines_base_and_least(skillgen: Any, tmp_path: Path) -> None:
    source = skill(tmp_path, SILENT)
    out = tmp_path / "open.json"
    skillgen("adopt", source, "--base", "pep", "--questions", out)
    asked = {entry["keys"][0]["key"]: entry for entry in json.loads(out.read_text("utf-8"))["questions"]}
    scope = asked["flags.force.scope"]
    assert scope["keys"] == [{"key": "flags.force.scope", "base": "all", "least": "current"}]
    lines = SILENT.splitlines()
    assert scope["lines"] and all(
        one["text"] == lines[one["line"] - 1] and one["path"] == "SKILL.md" for one in scope["lines"]
    )


@pytest.mark.parametrize("base", BASES)
def test_a_directory_that_nobody_names_is_asked_for_and_never_the_bases(tmp_path: Path, base: str) -> None:
    calls = '1. Draft: `state_clear(mode="draft", session_id="<id>")`\n2. Ink: `state_clear(mode="ink", session_id="<id>")`\n'
    found = adopted(tmp_path, HEAD + "`/quill:cancel` ends the active mode.\n\n" + calls, base)
    assert "root.directory" in keys(found)
    question = next(question for question in found.questions if ("root", "directory") in question.keys)
    assert question.base["root", "directory"] != found.contract["root"]["directory"] == ".quill"


@pytest.mark.parametrize("base", BASES)
def test_what_a_text_does_not_speak_of_is_the_least_and_listed(tmp_path: Path, base: str) -> None:
    found = adopted(tmp_path, SILENT.replace("With `--force` more happens.\n", ""), base)
    contract = found.contract
    assert {contract["flags"][name]["scope"] for name in ("none", "force", "all", "both")} == {"current"}
    assert {mode["all_action"] for mode in contract["modes"].values()} == {"same"}
    for key in found.least:
        assert f"#   {'.'.join(key)}: " in found.text
    store = contract["store"]
    assert (store["adopt_owned"], store["slots"]) == (False, [])


@pytest.mark.parametrize("base", ["pep", "rcs"])
def test_workers_that_the_text_stops_and_no_driver_fits_are_a_question(tmp_path: Path, base: str) -> None:
    text = (
        HEAD.replace("draft, ink", "draft, team")
        + PLACE
        + '1. Team: `tmux kill-session -t "=quill-<name>"`, then delete its record\n2. Draft: delete its record\n'
    )
    found = adopted(tmp_path, text, base)
    assert found.contract["team"] == {"kind": "none"}
    assert base != "rcs" or "team" in keys(found)
