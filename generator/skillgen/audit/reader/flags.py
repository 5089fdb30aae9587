"""Read the flags of the command and how --force and --all relate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import sentence
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_FLAG = re.compile(r"(?<![\w-])--(force|all)\b(?!-)", re.A)
_PROGRAM = re.compile(
    r"\b(?:python3?|git|node|npm|npx|rm|tmux|bash|docker|sh|omc|curl)\s+\S|\.(?:py|sh|mjs|js)\b", re.A
)
_REJECTS = re.compile(r"\b[Rr](?:eject|efuse)s?\b|拒绝|거부|拒否")
#: The command is said not to have the flag: before it, other flags in between, and behind it.
_LACKS_BEFORE = re.compile(
    r"(?:\bno|\bnot (?:have|support|accept|know|take|offer)(?: an?| any)?|\bunsupported:?|不(?:支持|提供|接受|认识)|没有|無い)"
    r"\s*(?:[`*\"'(]*--[a-z-]+[`*\"')]*\s*(?:,|/|、|or|and|nor|和|或|与)?\s*)*[`*\"'(]*$",
    re.I | re.A,
)
_LACKS_AFTER = re.compile(
    r"[`*\"')]*\s*(?:(?:flags?|options?) )?(?:(?:is|are) (?:(?:not |un)(?:supported|accepted|known|available)|refused|rejected|forbidden|not allowed|denied)\b|(?:は|も|은|는|도|フラグは|플래그는)?\s*"
    r"(?:非対応|対応して(?:いない|いません)|サポート(?:しない|しません|され)|ありません|지원(?:하지|되지) 않|없(?:다|습|음)|不(?:支持|可用)))",
    re.I | re.A,
)
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
    tally = _Tally()
    for number in text.holding("--force", "--all"):
        if len(text.lines[number - 1]) <= 4000:
            tally.read(text.lines[number - 1], number)
    hint = text.front.get("argument-hint")
    if hint and isinstance(hint.value, str) and _HINT.search(hint.value):
        tally.say_apart(2, hint.line)
    yield from tally.facts()


class _Tally:
    """What the lines of a text say of its flags: which there are, which are refused, and whether they are one."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self.refused: dict[str, int] = {}
        self.words: dict[str, str] = {}
        """What an item, a row or a usage line says of one flag alone."""
        self.together = self.apart = 0.0
        self.apart_line = self.together_line = 0

    def say_apart(self, weight: float, line: int) -> None:
        self.apart += weight
        self.apart_line = self.apart_line or line

    def read(self, line: str, number: int) -> None:
        kinds: list[str] = []
        for match in _FLAG.finditer(line):
            if refuses(line, match.start(), match.end()):
                self.refused.setdefault(match[0], number)
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
        yield from (Fact("flag", "", flag, number) for flag, number in self.first.items())
        denied = (flag for flag in self.refused if flag not in self.first)
        yield from (Fact("flag", "", flag, self.refused[flag], stance="denied") for flag in denied)
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


def refuses(line: str, start: int, end: int) -> bool:
    """Whether the sentence refuses the flag that stands at a place, or says that there is none."""
    before = sentence(line, start)[0]
    return bool(_REJECTS.search(before) or _LACKS_BEFORE.search(before) or _LACKS_AFTER.match(line[end:]))


def is_own(line: str, at: int) -> bool:
    """Whether a flag belongs to the skill rather than to another program named before it on the line."""
    return not _PROGRAM.search(line[max(0, line.rfind("`", 0, at)) : at])
