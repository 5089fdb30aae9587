"""Take answers out of a file, each proven by a line, and out of the flavor that a former adopt wrote."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from skillgen.adopt.wanted import Target
from skillgen.errors import InputError, Problem
from skillgen.load.files import read
from skillgen.model.base import Model
from skillgen.model.json_text import parse_json
from skillgen.model.question import Answer, Path, Question
from skillgen.model.resolved import format_key, parse_key
from skillgen.sync.adopt_proof import Proof, refuse_proof, refuse_value
from skillgen.sync.adopt_text import ANSWERED, Answers, Reading

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_LONGEST = 1 << 20
_ROW = re.compile(r"#   (?P<key>\S+): (?P<value>.*) \((?P<mark>[^()]*)\)$")


class Given(Model):
    """One answer: the value of one or more keys, and the line that says it. Who says it is not for a file to claim."""

    keys: tuple[str, ...] = Field(min_length=1)
    value: Any
    path: str = Field(min_length=1)
    line: int = Field(ge=1)


class AnswerFile(Model):
    """What `--questions` wrote, with its `answers` filled in; or the answers alone."""

    text: str = ""
    base: str = ""
    questions: tuple[Any, ...] = ()
    answers: tuple[Given, ...]


def read_answers(path: str) -> FileAnswers:
    """Return the answers of a file; raises InputError where it is none."""
    try:
        text = read(path).decode("utf-8-sig")
        parse_json(text)  # says at which line and column it is none
    except UnicodeDecodeError:
        raise InputError([Problem(path, 0, 0, "is not UTF-8", "save it as UTF-8")]) from None
    except ValueError as error:
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
        raise InputError(
            [Problem(path, line, column, f"is no JSON ({getattr(error, 'msg', error)})", "mend the layout")]
        ) from None
    try:
        found = AnswerFile.model_validate_json(text)
    except ValidationError as error:
        repair = "write keys, value, path and line, and nothing else"
        raise InputError(
            Problem(path, 0, 0, f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}", repair)
            for one in error.errors(include_url=False)
        ) from None
    return FileAnswers(path, found.answers)


class FileAnswers:
    """Answers of a file, each judged once; `complaints` say why one does not count."""

    def __init__(self, path: str, given: Sequence[Given]) -> None:
        self.path = path
        self.given = given
        self.complaints: list[str] = []
        self._judged: set[tuple[int, str]] = set()

    def answer(self, questions: Sequence[Question], target: Target, reading: Reading) -> Mapping[Path, Answer]:
        asked = {format_key(key): (key, question) for question in questions for key in question.keys}
        found: dict[Path, Answer] = {}
        for n, given in enumerate(self.given):
            for name in given.keys:
                if name not in asked or (n, name) in self._judged:
                    continue
                self._judged.add((n, name))
                key, question = asked[name]
                answer, why = self._judge(key, question, given, target, reading)
                if not why and key in found and found[key].value != given.value:
                    del found[key]
                    asked.pop(name)
                    why = "is answered in two ways"
                if why:
                    self.complaints.append(f"{name}: {why} ({given.path}:{given.line})")
                elif answer is not None:
                    found[key] = answer
        return found

    def unasked(self) -> list[str]:
        """Return the keys for which no question was open."""
        judged = {name for _, name in self._judged}
        return sorted({name for given in self.given for name in given.keys} - judged)

    def _judge(
        self, key: Path, question: Question, given: Given, target: Target, reading: Reading
    ) -> tuple[Answer | None, str]:
        if why := refuse_value(key, given.value, question):
            return None, why
        proof = find_proof(given.path, given.line, reading, self.path)
        if proof is None:
            return None, "there is no such line in the text or its repository"
        if why := refuse_proof(key, given.value, proof, target):
            return None, why
        return Answer(given.value, f"answered: {given.path} line {given.line}", proof.line), ""


def find_proof(name: str, number: int, reading: Reading, own: str) -> Proof | None:
    """Return a line of the text (its references and commands too), or of a file below the root of its repository."""
    here, file = os.path.split(reading.text.path)
    part = "" if name in (reading.text.path, file) or _is_same_file(name, reading.text.path) else name
    if line := reading.whole.line_of(part, number):
        return Proof(reading.text.lines[line - 1], line, reading.text, line)
    root = os.path.realpath(repository_of(here or "."))
    for base in (root, here or "."):
        path = os.path.realpath(os.path.join(base, name))
        if os.path.commonpath([root, path]) != root or not os.path.isfile(path) or _is_same_file(path, own):
            continue
        if os.path.getsize(path) > _LONGEST or (path.endswith((".yaml", ".yml")) and "/flavors/" in path):
            continue
        source = read(path).decode("utf-8", "replace")
        lines = source.split("\n")
        if number <= len(lines):
            return Proof(lines[number - 1], 0, _read_text(name, source), number)
    return None


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _read_text(name: str, source: str) -> Text | None:
    if not name.endswith(".md"):
        return None
    from skillgen.audit.views import make_text
    from skillgen.model.subject import Kind, Source

    return make_text(Source(name, source, Kind.SKILL))


def repository_of(directory: str) -> str:
    """Return the root of the repository or plugin that holds a directory, else the directory itself."""
    from skillgen.hosts import known_hosts

    signs = [".git", "package.json", *known_hosts().signs]
    at = os.path.realpath(directory)
    while True:
        if any(os.path.exists(os.path.join(at, sign)) for sign in signs):
            return at
        up = os.path.dirname(at)
        if up == at:
            return directory
        at = up


SAID = "said by the maintainer"


class FormerAnswers:
    """What the maintainer said to a former adopt, whose flavor nobody edited; what a line proved is proven again or open."""

    def __init__(self, text: str) -> None:
        rows = text.partition(f"# {ANSWERED}\n")[2].splitlines()
        self.found = {key: answer for key, answer in _rows(rows) if answer.mark == SAID}

    def answer(self, questions: Sequence[Question], target: Target, reading: Reading) -> Mapping[Path, Answer]:
        asked = {key for question in questions for key in question.keys}
        return {key: answer for key, answer in self.found.items() if key in asked}


def _rows(rows: Sequence[str]) -> Iterator[tuple[Path, Answer]]:
    for row in rows:
        match = _ROW.match(row)
        key = parse_key(match["key"]) if match else None
        if match is None or key is None:
            return
        try:
            yield tuple(map(str, key)), Answer(parse_json(match["value"]), match["mark"])
        except ValueError:
            return


class Several:
    """Answers of several, the first that knows one counts."""

    def __init__(self, several: Sequence[Answers]) -> None:
        self.several = several

    def answer(self, questions: Sequence[Question], target: Target, reading: Reading) -> Mapping[Path, Answer]:
        for one in self.several:
            if found := one.answer(questions, target, reading):
                return found
        return {}
