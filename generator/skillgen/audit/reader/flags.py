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
_CASE = re.compile(r"\s*\(?--(?:force|all)\)\s*\w+=")


def read_flags(text: Text) -> Iterator[Fact]:
    first: dict[str, int] = {}
    refused: dict[str, int] = {}
    together = apart = 0.0
    apart_line = together_line = 0
    words: dict[str, str] = {}
    """What an item, a row or a usage line says of one flag alone."""
    for number in text.holding("--force", "--all"):
        line = text.lines[number - 1]
        if len(line) > 4000:
            continue
        found = [
            match
            for match in _FLAG.finditer(line)
            if is_own(line, match.start()) and not refuses(line, match.start(), match.end())
        ]
        for match in found:
            first.setdefault(match[0], number)
        for match in _FLAG.finditer(line):
            if refuses(line, match.start(), match.end()):
                refused.setdefault(match[0], number)
        kinds = {match[0] for match in found}
        if len(kinds) == 2:
            each = {f"--{flag}": said.strip(" .;,`") for flag, said in _EACH.findall(line)}
            if len(each) == 2:
                words.update({flag: said for flag, said in each.items() if flag not in words})
            elif _JOINT.search(_COMMAND.sub("", line)):
                together += 1
                together_line = together_line or number
            elif _APART.search(line):
                apart += 1
                apart_line = apart_line or number
        elif kinds and (described := _DESCRIBED.match(line)):
            words.setdefault(found[0][0], (described[1] or described[2]).strip())
        elif kinds and _CASE.match(line):
            apart += 0.5
            apart_line = apart_line or number
    for flag, number in first.items():
        yield Fact("flag", "", flag, number)
    for flag, number in refused.items():
        if flag not in first:
            yield Fact("flag", "", flag, number, stance="denied")
    if len(words) == 2 and len(set(words.values())) == 2:
        if any(_ALIKE.search(said) for said in words.values()):
            together += 1
        elif together < 2:
            apart += 1
            apart_line = apart_line or max(first.values())
    hint = text.front.get("argument-hint")
    if hint and isinstance(hint.value, str) and re.search(r"\[--force\]\s*\[--all\]", hint.value):
        apart += 2
        apart_line = hint.line
    if len(first) == 2:
        split = apart > 0 and apart >= together
        yield Fact(
            "flags", "", "split" if split else "same", apart_line if split else (together_line or min(first.values()))
        )
    elif first:
        flag, number = next(iter(first.items()))
        yield Fact("flags", "", "force-only" if flag == "--force" else "all-only", number)
    else:
        yield Fact("flags", "", "none", 1)


def refuses(line: str, start: int, end: int) -> bool:
    """Whether the sentence refuses the flag that stands at a place, or says that there is none."""
    before = sentence(line, start)[0]
    return bool(_REJECTS.search(before) or _LACKS_BEFORE.search(before) or _LACKS_AFTER.match(line[end:]))


def is_own(line: str, at: int) -> bool:
    """Whether a flag belongs to the skill rather than to another program named before it on the line."""
    return not _PROGRAM.search(line[max(0, line.rfind("`", 0, at)) : at])
