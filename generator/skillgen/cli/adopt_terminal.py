"""Ask the maintainer on a terminal, question by question; the default harms least."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from skillgen.adopt.wanted import Target
from skillgen.cli import progress
from skillgen.cli.say import say
from skillgen.model.json_text import parse_json
from skillgen.model.question import Answer, Path, Question
from skillgen.model.resolved import format_key
from skillgen.sync.adopt_answers import SAID
from skillgen.sync.adopt_proof import refuse_value
from skillgen.sync.adopt_text import Reading


class TerminalAnswers:
    """Each question is asked once; `?` leaves it open."""

    def __init__(self) -> None:
        self._asked: set[tuple[Path, ...]] = set()
        self._ended = False

    def answer(self, questions: Sequence[Question], target: Target, reading: Reading) -> Mapping[Path, Answer]:
        for question in questions:
            if question.keys in self._asked or self._ended:
                continue
            self._asked.add(question.keys)
            try:
                if found := self._ask(question, reading):
                    return found
            except click.Abort:
                self._ended = True  # what was answered so far counts
        return {}

    def _ask(self, question: Question, reading: Reading) -> dict[Path, Answer]:
        say(f"\n{question.text}", bold=True, err=True)
        for line in question.lines:
            say(f"  {reading.whole.where(line)}: {reading.text.lines[line - 1].strip()}", dim=True, err=True)
        found: dict[Path, Answer] = {}
        # One answer serves all keys of a kind, unless what harms least differs, as messages do.
        kinds: dict[tuple[str, str], list[Path]] = {}
        for key in question.keys:
            kinds.setdefault((key[-1], json.dumps(question.least[key])), []).append(key)
        for keys in kinds.values():
            value, given = _prompt(keys, question)
            if not given:
                return {}
            found |= {key: Answer(value, SAID) for key in keys}
        return found


def _prompt(keys: list[Path], question: Question) -> tuple[Any, bool]:
    from skillgen.model.fields import choices_at

    first = keys[0]
    least = question.least[first]
    base = list(dict.fromkeys(json.dumps(question.base.get(key), ensure_ascii=False) for key in keys))
    allowed = choices_at(first)
    say(f"  {', '.join(map(format_key, keys))}; the base has {', '.join(base)}; ? leaves it open", dim=True, err=True)
    shown = least if isinstance(least, str) else json.dumps(least)
    while True:
        progress.end()
        said = click.prompt(f"  {' | '.join(map(str, allowed)) or 'value'}", default=shown, err=True).strip()
        if said == "?":
            return None, False
        value = least if said == shown else _value(said)
        if why := refuse_value(first, value, question):
            say(f"  {why}", fg="red", err=True)
        else:
            return value, True


def _value(said: str) -> Any:
    if said[:1] in "[{" or said in ("null", "true", "false"):
        try:
            return parse_json(said)
        except ValueError:
            return said
    return said
