"""Answers: each is proven by a line that stands there and agrees, or said on the terminal by the maintainer."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from test_questions import HEAD, PLACE, SILENT, adopted, keys, skill

from skillgen.sync.adopt_answers import read_answers

ROOT = Path(__file__).parents[2]
#: Nobody here reads Finnish.
FINNISH = (
    HEAD
    + PLACE
    + "- Draft: sen tilatiedosto poistetaan\n- Ink: sen tila jätetään talteen, mutta ei enää käynnissä\n\n"
    + "`--force` koskee kaikkia istuntoja.\n\n1. Draft\n2. Ink\n"
)


def line_of(text: str, words: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if words in line)


def one(key: str, value: Any, line: int, path: str = "SKILL.md") -> dict[str, Any]:
    return {"keys": [key], "value": value, "path": path, "line": line}


def answers(tmp_path: Path, *given: dict[str, Any]) -> Path:
    file = tmp_path / "answers.json"
    file.write_text(json.dumps({"answers": list(given)}), encoding="utf-8")
    return file


def finnish(tmp_path: Path) -> Path:
    return answers(
        tmp_path,
        one("modes.draft.action", "clear", line_of(FINNISH, "poistetaan")),
        one("modes.ink.action", "deactivate", line_of(FINNISH, "talteen")),
        one("flags.force.scope", "all", line_of(FINNISH, "istuntoja")),
        one("modes.ink.all_action", "same", line_of(FINNISH, "talteen")),
    )


def test_answers_with_their_lines_close_the_questions_and_stand_in_the_flavor(skillgen: Any, tmp_path: Path) -> None:
    out = tmp_path / "quill.yaml"
    found = skillgen("adopt", skill(tmp_path, FINNISH), "-o", out, "--base", "pep", "--answers", finnish(tmp_path))
    assert found.code == 0, found.err
    text = out.read_text("utf-8")
    for key, value, words in (("action", "clear", "poistetaan"), ("scope", "all", "istuntoja")):
        assert f"{key}: {value}  # answered: SKILL.md line {line_of(FINNISH, words)}" in text
    assert f'#   modes.draft.action: "clear" (answered: SKILL.md line {line_of(FINNISH, "poistetaan")})' in text


def test_what_questions_wrote_is_taken_back_with_its_answers_filled_in(skillgen: Any, tmp_path: Path) -> None:
    source, asked = skill(tmp_path, FINNISH), tmp_path / "open.json"
    assert skillgen("adopt", source, "--base", "pep", "--questions", asked).code == 1
    data = json.loads(asked.read_text("utf-8"))
    data["answers"] = json.loads(finnish(tmp_path).read_text("utf-8"))["answers"]
    asked.write_text(json.dumps(data), "utf-8")
    assert skillgen("adopt", source, "--base", "pep", "--answers", asked).code == 0


SPOKEN = HEAD + PLACE + (
    "- Draft: never delete its record\n- Ink: `state_clear(mode=\"ink\", session_id=\"<id>\")`\n- Blot: blot stays a mystery\n\n"
    "`--force` does more.\n\n---\n\nNothing of this is ever deleted.\n\n1. Draft\n2. Ink\n3. Blot\n"
)  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value", "words", "why"),
    [
        (
            "modes.blot.action",
            "clear",
            "never delete its record",
            "is forbidden|speaks of draft|forbids|what ends draft",
        ),
        ("modes.blot.action", "clear", "state_clear", "what ends ink"),
        ("modes.blot.action", "clear", "ever deleted", "forbids"),
        ("modes.blot.action", "clear", "---", "says nothing"),
        ("modes.blot.action", "remove", "mystery", "is none of clear, deactivate, terminalize"),
        ("flags.force.scope", "all", "mystery", "does not name --force"),
        ("modes.blot.action", ["clear"], "mystery", "is none of"),
    ],
)
def test_an_answer_that_its_line_does_not_prove_leaves_the_question_open(
    skillgen: Any, tmp_path: Path, key: str, value: Any, words: str, why: str
) -> None:
    out = tmp_path / "quill.yaml"
    given = answers(tmp_path, one(key, value, line_of(SPOKEN, words)))
    found = skillgen("adopt", skill(tmp_path, SPOKEN), "-o", out, "--base", "pep", "--answers", given)
    assert found.code == 1
    assert re.search(rf"answers\.json: {re.escape(key)}: .*(?:{why})", found.err), found.err
    assert re.search(rf"^  {re.escape(key)}|, {re.escape(key)}|  {re.escape(key)},", found.err, re.M)
    assert "unknown: " in out.read_text("utf-8")


@pytest.mark.parametrize(("path", "line"), [("SKILL.md", 99), ("nowhere.md", 1), ("../../etc/passwd", 1), ("/etc/passwd", 1), ("answers.json", 1)])  # fmt: skip
def test_a_line_that_is_not_there_proves_nothing(skillgen: Any, tmp_path: Path, path: str, line: int) -> None:
    given = answers(tmp_path, one("modes.draft.action", "clear", line, path))
    found = skillgen("adopt", skill(tmp_path, SILENT), "--base", "pep", "--answers", given)
    assert found.code == 1 and "there is no such line" in found.err


def test_two_answers_to_one_question_close_nothing(skillgen: Any, tmp_path: Path) -> None:
    line = line_of(FINNISH, "poistetaan")
    given = answers(tmp_path, one("modes.draft.action", "clear", line), one("modes.draft.action", "terminalize", line))
    found = skillgen("adopt", skill(tmp_path, FINNISH), "--base", "pep", "--answers", given)
    assert found.code == 1 and "is answered in two ways" in found.err


@pytest.mark.parametrize(
    "entry",
    [
        {"keys": ["modes.draft.action"], "value": "clear"},
        {"keys": ["modes.draft.action"], "value": "clear", "said": "by the maintainer"},
        {
            "keys": ["modes.draft.action"],
            "value": "clear",
            "path": "SKILL.md",
            "line": 9,
            "mark": "said by the maintainer",
        },
        {"keys": [], "value": "clear", "path": "SKILL.md", "line": 9},
        {"keys": ["modes.draft.action"], "value": "clear", "path": "SKILL.md", "line": "9"},
    ],
)
def test_no_file_can_claim_that_the_maintainer_said_it_or_leave_the_line_out(
    skillgen: Any, tmp_path: Path, entry: dict[str, Any]
) -> None:
    found = skillgen("adopt", skill(tmp_path, SILENT), "--base", "pep", "--answers", answers(tmp_path, entry))
    assert found.code == 2 and "answers.json" in found.err


def test_an_answer_that_nobody_asked_for_is_told(skillgen: Any, tmp_path: Path) -> None:
    given = answers(tmp_path, one("product.name", "Quill", 3))
    found = skillgen("adopt", skill(tmp_path, SILENT), "--base", "pep", "--safest", "--answers", given)
    assert found.code == 1 and "product.name: no question is open for it" in found.err


def test_a_file_of_the_repository_proves_a_name_that_stands_there(skillgen: Any, tmp_path: Path) -> None:
    calls = '1. Draft: `state_clear(mode="draft", session_id="<id>")`\n2. Ink: `state_clear(mode="ink", session_id="<id>")`\n'
    source = skill(tmp_path, HEAD + "`/quill:cancel` ends the active mode.\n\n" + calls)
    (tmp_path / ".git").mkdir()
    (tmp_path / "src.js").write_text("const dir = join(root, '.inkwell', 'state')\n", "utf-8")
    right = answers(tmp_path, one("root.directory", ".inkwell", 1, "src.js"), one("root.state", "state", 1, "src.js"))
    out = tmp_path / "quill.yaml"
    found = skillgen("adopt", source, "-o", out, "--base", "pep", "--answers", right)
    assert found.code == 0, found.err
    assert "directory: .inkwell  # answered: src.js line 1" in out.read_text("utf-8")
    wrong = answers(tmp_path, one("root.directory", ".elsewhere", 1, "src.js"))
    found = skillgen("adopt", source, "--base", "pep", "--answers", wrong)
    assert found.code == 1 and ".elsewhere does not stand on that line" in found.err


def test_what_the_reader_is_not_sure_of_may_be_answered_on_its_line(tmp_path: Path) -> None:
    text = HEAD + PLACE + "1. Draft: wiping the record is frowned upon\n2. Ink: delete its record\n"
    found = adopted(tmp_path, text)
    if "modes.draft.action" not in keys(found):
        pytest.skip("the reader is sure of it by now")
    given = answers(tmp_path, one("modes.draft.action", "deactivate", line_of(text, "frowned")))
    held = read_answers(str(given))
    closed = adopted(tmp_path, text, answers=held)
    assert not held.complaints and "modes.draft.action" not in keys(closed)


def on_terminal(tmp_path: Path, arguments: list[str], replies: list[str]) -> tuple[int, str]:
    """Run adopt on a terminal of its own; each question is answered by the next reply."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "skillgen", *arguments],
        cwd=tmp_path, stdin=slave, stdout=slave, stderr=slave, close_fds=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "generator"), "NO_COLOR": "1", "TERM": "dumb"},
    )  # fmt: skip
    os.close(slave)
    shown, waiting, end = "", list(replies), time.monotonic() + 90
    seen = 0
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                shown += os.read(master, 65536).decode("utf-8", "replace")
            except OSError:
                break
        if waiting and re.search(r"\]: $", shown[seen:]):
            seen = len(shown)
            os.write(master, waiting.pop(0).encode())
        if process.poll() is not None and not ready:
            break
    os.close(master)
    return process.wait(10), shown


def test_on_a_terminal_each_question_is_asked_with_its_lines_and_the_least_as_default(tmp_path: Path) -> None:
    source = skill(tmp_path, SILENT)
    command = ["adopt", str(source), "-o", str(tmp_path / "quill.yaml"), "--base", "pep"]
    code, shown = on_terminal(tmp_path, command, ["nonsense\n", "all\n", "clear\n"])
    assert code == 0, shown
    assert "What ends Draft and Ink" in shown and "[deactivate]" in shown and "[current]" in shown
    assert "is none of current, all" in shown and "With `--force` more happens." in shown
    text = (tmp_path / "quill.yaml").read_text("utf-8")
    assert text.count("action: clear  # said by the maintainer") == 2
    assert "scope: all  # said by the maintainer" in text


def test_what_the_maintainer_leaves_open_stays_open_and_what_was_said_is_not_asked_again(tmp_path: Path) -> None:
    source = skill(tmp_path, SILENT)
    command = ["adopt", str(source), "-o", str(tmp_path / "quill.yaml"), "--base", "pep"]
    code, shown = on_terminal(tmp_path, command, ["?\n", "terminalize\n", "?\n"])
    assert code == 1, shown
    assert (tmp_path / "quill.yaml").read_text("utf-8").count("action: terminalize  # said by the maintainer") == 2
    code, shown = on_terminal(tmp_path, command, ["\n", "\n"])
    assert code == 0 and "What ends Draft and Ink" not in shown, shown
    text = (tmp_path / "quill.yaml").read_text("utf-8")
    assert text.count("action: terminalize  # said by the maintainer") == 2 and "scope: current  # said by the" in text
