"""Read the flags of the command and how --force and --all relate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.forcing import read_forcing
from skillgen.audit.reader.refused import FLAG, is_own, refused_flags
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_JOINT = re.compile(
    r"--(?:force|all)[\"'`*)\]]*\s*(?:/|\||\bor\b|或者?|또는|이나|または|か|、|,)\s*(?:\]\]\s*\|\|.*|[\"'`*(\[]*)--(?:force|all)|"
    r"--force.*\|\|.*--all|--all.*\|\|.*--force|--force\s*\|\s*--all"
)
#: The command before a flag, which a list of calls repeats.
_COMMAND = re.compile(r"[/$@][\w:-]+\s+(?=--)", re.A)
_APART = re.compile(r"\[--force\]\s*\[--all\]|--force\s+--all|--all\s+--force|--force\s*(?:\+|and|与|和|と)\s*`?--all")
#: The flag leads an item or a row that says something of it, or a usage line has a comment.
_DESCRIBED = re.compile(
    r"\s*(?:[-*+]|\|)\s*[*`]*--(?:force|all)[*`]*\s*(?:[:：|—–-]|->|→)+\s*(\S.{3,})|\s*[/$][\w:-]+ --(?:force|all)\s+#\s*(\S.{3,})"
)
#: Both described in one line: `--force`: at once. `--all`: every session.
_EACH = re.compile(r"--(force|all)[`*]*\s*[:：]\s*([^`]{4,}?)(?=[`*]*--(?:force|all)|$)", re.A)
_ALIKE = re.compile(r"\b(?:alias|same|identical|equivalent|synonym)|--(?:force|all)|同|别名|같|동일|별칭|別名", re.I)
#: The hint of the front matter offers one and the other.
_HINT = re.compile(r"\[--force\]\s*\[--all\]")
_CASE = re.compile(r"\s*\(?--(?:force|all)\)\s*\w+=")


def read_flags(text: Text) -> Iterator[Fact]:
    """Yield the flags, how they relate, and what each widens."""
    forcing = tuple(read_forcing(text))
    yield from forcing
    # A flag of which the text says what it selects is refused by something else, if at all.
    selects = {flag for fact in forcing if fact.kind == "scope" for flag in fact.key.split()}
    refusals = {at: why for at, why in refused_flags(text).items() if not _flag_at(text, at) & selects}
    tally = _Tally(refusals)
    for number in text.holding("--force", "--all"):
        if len(text.lines[number - 1]) <= 4000:
            tally.read(text.lines[number - 1], number)
    hint = text.front.get("argument-hint")
    if hint and isinstance(hint.value, str) and _HINT.search(hint.value):
        tally.say_apart(2, hint.line)
    yield from tally.facts()


class _Tally:
    """What the lines of a text say of its flags: which there are, which are refused, and whether they are one."""

    def __init__(self, refusals: dict[tuple[int, int], str]) -> None:
        self.refusals = refusals
        self.first: dict[str, int] = {}
        self.refused: dict[str, tuple[int, str]] = {}
        """The line that refuses a flag, and the reason that it gives."""
        self.words: dict[str, str] = {}
        """What an item, a row or a usage line says of one flag alone."""
        self.together = self.apart = 0.0
        self.apart_line = self.together_line = 0

    def say_apart(self, weight: float, line: int) -> None:
        self.apart += weight
        self.apart_line = self.apart_line or line

    def read(self, line: str, number: int) -> None:
        kinds: list[str] = []
        for match in FLAG.finditer(line):
            if (why := self.refusals.get((number, match.start()))) is not None:
                known = self.refused.get(match[0], (number, ""))
                self.refused[match[0]] = known if known[1] else (known[0], why)
            elif is_own(line, match.start()):
                self.first.setdefault(match[0], number)
                kinds.append(match[0])
        if len(set(kinds)) == 2:
            self._both(line, number)
        elif kinds and (described := _DESCRIBED.match(line)):
            self.words.setdefault(kinds[0], (described[1] or described[2]).strip())
        elif kinds and _CASE.match(line):
            self.say_apart(0.5, number)

    def _both(self, line: str, number: int) -> None:
        each = {f"--{flag}": said.strip(" .;,`") for flag, said in _EACH.findall(line)}
        if len(each) == 2:
            self.words = {**each, **self.words}
        elif _JOINT.search(_COMMAND.sub("", line)):
            self.together += 1
            self.together_line = self.together_line or number
        elif _APART.search(line):
            self.say_apart(1, number)

    def facts(self) -> Iterator[Fact]:
        # A usage line names what another line refuses.
        self.first = {flag: number for flag, number in self.first.items() if flag not in self.refused}
        yield from (Fact("flag", "", flag, number) for flag, number in self.first.items())
        for flag, (number, why) in self.refused.items():
            yield Fact("flag", "", flag, number, why, stance="denied")
        self._weigh_words()
        if len(self.first) == 2:
            split = self.apart > 0 and self.apart >= self.together
            line = self.apart_line if split else (self.together_line or min(self.first.values()))
            yield Fact("flags", "", "split" if split else "same", line)
        elif self.first:
            flag, number = next(iter(self.first.items()))
            yield Fact("flags", "", "force-only" if flag == "--force" else "all-only", number)
        else:
            yield Fact("flags", "", "none", 1)

    def _weigh_words(self) -> None:
        if len(set(self.words.values())) == 2:
            if any(_ALIKE.search(said) for said in self.words.values()):
                self.together += 1
            elif self.together < 2:
                self.say_apart(1, max(self.first.values()))


def _flag_at(text: Text, at: tuple[int, int]) -> set[str]:
    match = FLAG.match(text.lines[at[0] - 1], at[1])
    return {match[0]} if match else set()
