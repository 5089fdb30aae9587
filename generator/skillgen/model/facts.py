"""Hold what the reader found in a text, each fact with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypedDict

#: Every kind of fact; what `key`, `value` and `detail` mean for it.
KINDS: dict[str, str] = {
    "front": "key: front matter key; value: its text",
    "label": "value: the product's name in sentences and messages",
    "invocation": "value: a slash, dollar or at command without flags",
    "flag": "value: a flag of the command (--force, --all); detail: why, where it is refused (denied)",
    "flags": "value: same, split, force-only, all-only or none",
    "scope": "key: --force or --all; value: all (every session) or current",
    "forced": "key: ''; value: clear, where a forced run removes the records of the modes",
    "keyword": "value: a word that starts the skill; detail: plain when everyday talk holds it too",
    "root": "value: a state directory or database, the most used first",
    "store": "value: files or sqlite",
    "variable": "value: an environment variable with the session id, in the order in which it is tried",
    "tool": "value: a tool's name",
    "call": "key: tool; value: its argument names, sorted, joined by a comma; detail: of a command how it stands there",
    "dialect": "value: the option behind which commands of the product's own program take a state tool's arguments, as one JSON object; "
    "detail: the options that follow",
    "verb": "key: the product's own program; value: a verb and what it is given; detail: its options",
    "driven": "value: the program that alone may change the state",
    "mode": "key: mode; value: its title",
    "record": "key: mode; value: the name of its record, where it is not the mode's",
    "order": "key: mode; value: rank in the cancel order, from 1; equal ranks are one group",
    "link": "key: owner; value: dependant; detail: the state field, '' when only prose says so",
    "action": "key: mode; value: clear, deactivate, terminalize or pause-goal (how members are stopped: team)",
    "message": "key: mode, force or none; value: the text",
    "preserved": "value: a path that is kept",
    "keeps": "key: mode; value: yes or no; detail: the resume command",
    "artifact": "value: a path that only the widest scope removes",
    "team": "key: mode, '' when the text ties it to none; value: tmux, program, orchestrator, native or message",
    "timeout": "value: seconds; detail: the words around it",
    "signal": "value: file name of the cancel signal",
    "final": "value: mode or record that is cleared last",
    "overlay": "key: start or end; value: the marker",
}


class Fact(NamedTuple):
    """One fact; `line` and `column` count from 1, a `column` of 0 is not known.

    `stance`: `said`; `denied` where the text forbids it; `unknown` where nobody can tell, so that it counts for nothing that
    destroys. `lines` are all that speak to it.
    """

    kind: str
    key: str
    value: str
    line: int
    detail: str = ""
    column: int = 0
    stance: str = "said"
    lines: tuple[int, ...] = ()


def _merge_mentions(facts: list[Fact]) -> Fact:
    """Return what all mentions of one fact come to: said wins over unknown; said and denied make it unknown."""
    stances = {fact.stance for fact in facts}
    stance = "said" if "said" in stances else "denied" if stances == {"denied"} else "unknown"
    if {"said", "denied"} <= stances:
        stance = "unknown"
    first = next((fact for fact in facts if fact.stance == stance), facts[0])
    lines = tuple(sorted({line for fact in facts for line in (fact.lines or (fact.line,))}))
    return first._replace(stance=stance, lines=lines if len(lines) > 1 else ())


class Entry(TypedDict):
    """A fact for other programs; `span` holds the columns of the line, from 1, the end exclusive."""

    kind: str
    key: str
    value: str
    detail: str
    stance: str
    line: int
    span: tuple[int, int]
    lines: tuple[int, ...]


def _entry(fact: Fact, lines: Sequence[str]) -> Entry:
    row = lines[fact.line - 1] if 0 < fact.line <= len(lines) else ""
    start, end = fact.column - 1, len(row.rstrip())
    if start < 0:
        found = next((at for word in (fact.value, fact.detail, fact.key) if word and (at := row.find(word)) >= 0), -1)
        word = next((word for word in (fact.value, fact.detail, fact.key) if word and word in row), "")
        start, end = (found, found + len(word)) if found >= 0 else (len(row) - len(row.lstrip()), end)
    return {
        "kind": fact.kind,
        "key": fact.key,
        "value": fact.value,
        "detail": fact.detail,
        "stance": fact.stance,
        "line": fact.line,
        "span": (start + 1, max(end, start) + 1),
        "lines": fact.lines or (fact.line,),
    }


class Facts:
    """The facts of one text: one of each (kind, key, value, detail), at its first line, in the order of the text.

    `all`, and what the methods return, are those that the text says; `unsure` and `denied` hold the others.
    """

    def __init__(self, facts: Iterable[Fact]) -> None:
        seen: dict[tuple[str, str, str, str], list[Fact]] = {}
        for fact in facts:
            seen.setdefault((fact.kind, fact.key, fact.value, fact.detail), []).append(fact)
        every = [_merge_mentions(found) if len(found) > 1 else found[0] for found in seen.values()]
        self.all = tuple(fact for fact in every if fact.stance == "said")
        self.unsure = tuple(fact for fact in every if fact.stance == "unknown")
        self.denied = tuple(fact for fact in every if fact.stance == "denied")
        kinds: dict[str, list[Fact]] = {}
        for fact in self.all:
            kinds.setdefault(fact.kind, []).append(fact)
        self._kinds = {kind: tuple(found) for kind, found in kinds.items()}

    @property
    def every(self) -> tuple[Fact, ...]:
        """All of them, whatever the text's stance."""
        return (*self.all, *self.unsure, *self.denied)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.all)

    def entries(self, lines: Sequence[str]) -> list[Entry]:
        """Return all facts, in the order of the text; `lines` are those of the text, in which the spans are looked for."""
        return [_entry(fact, lines) for fact in sorted(self.every, key=lambda fact: (fact.line, fact.column))]

    def of(self, kind: str, key: str | None = None) -> tuple[Fact, ...]:
        """Return the facts of a kind (and key), in the order of the text."""
        found = self._kinds.get(kind, ())
        return found if key is None else tuple(fact for fact in found if fact.key == key)

    def held(self, kind: str, key: str) -> dict[str, Fact]:
        """Return by value the facts of a kind and key that the text forbids, or that nobody can be sure of."""
        return {fact.value: fact for fact in (*self.denied, *self.unsure) if (fact.kind, fact.key) == (kind, key)}

    def values(self, kind: str, key: str | None = None) -> tuple[str, ...]:
        return tuple(dict.fromkeys(fact.value for fact in self.of(kind, key)))

    def first(self, kind: str, key: str | None = None) -> str:
        """Return the first value of a kind, '' when there is none."""
        return next((fact.value for fact in self.of(kind, key)), "")

    def modes(self) -> dict[str, str]:
        """Return mode -> title, in the order of the text."""
        titles: dict[str, str] = {}
        for fact in self.of("mode"):
            titles.setdefault(fact.key, fact.value)
        return titles

    def order(self) -> tuple[tuple[str, ...], ...]:
        """Return the cancel order, a group a rank."""
        ranks: dict[int, list[str]] = {}
        for fact in self.of("order"):
            ranks.setdefault(int(fact.value), []).append(fact.key)
        return tuple(tuple(ranks[rank]) for rank in sorted(ranks))
