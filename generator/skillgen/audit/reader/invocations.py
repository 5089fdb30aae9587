"""Read the slash, dollar and at commands that call the skill."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import forbidden, opens_with_credit
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: `</Cancel>` closes a tag, `~/cancel` and `x/cancel` are paths.
_INVOCATION = re.compile(r"([/$](?<![\w/.$}~><-][/$])(?:[A-Za-z][\w-]*:)?[A-Za-z][\w-]*)(?![\w/]|\.\w|:\w)", re.A)
#: Some hosts call by mention; an at sign inside a sentence mentions a file or a person.
_MENTION = re.compile(r"(@[A-Za-z][\w-]*)(?![\w/.@-])", re.A)
#: A usage line or a whole code span: the plugin's command with the skill as its first word.
_SUBCOMMAND = re.compile(r"(/[a-z][\w-]* ([a-z][\w-]*))(?=`|[ \t]*$|[ \t]+[-#<\[]|[ \t]+[a-z-]+[ \t]*$)", re.A | re.M)
_OPENS = re.compile(r"(?:.*`|\s*)$")
_STOPPING = re.compile(
    r"(?:^|[:/$@-])(?:cancel|stop|abort|halt|quit|kill)(?:$|[-_])|(?:cancel|stop|abort|halt)$", re.I | re.A
)
#: What is said of a command that is another product's: `see also`, `OMC's x`, `x's analogue`, `like x`.
_ANOTHERS_BEFORE = re.compile(
    r"(?i:\b(?:see also|related|similar to|like|unlike|analogous to|modelled on|ported from|port of|inspired by|based on|equivalent (?:of|to)|"
    r"counterpart (?:of|to))\b[^.;。]{0,30})[`*\"(]*$|(?:[A-Z][\w-]*['’]s\s+)[`*\"(]*$|(?:参见|另见|相关|参考|참고|관련|参照|関連)[^。.]{0,12}[`*\"(]*$",
    re.A,
)
_ANOTHERS_AFTER = re.compile(
    r"[`*\"')]*\s+(?:analogue|analog|equivalent|counterpart|port|clone|lookalike)\b", re.I | re.A
)
_FORMER = re.compile(r"formerly|previously|renamed|曾|旧")


def read_invocations(text: Text) -> Iterator[Fact]:
    """Yield each command that is named like the skill or like stopping."""
    name = text.front.string("name").lower()
    wanted = {name} if re.match(r"[\w-]+$", name or "!") else set()
    lines: dict[str, int] = {}
    whole = text.source.text
    for match in _INVOCATION.finditer(whole):
        token = match[1]
        last = token.lstrip("/$").rpartition(":")[2].lower()
        if (
            not (last in wanted or _STOPPING.search(token))
            or (token[0] == "$" and token[1:].isupper())
            or token in lines
        ):
            continue
        number = text.line_at(match.start(1))
        line = text.lines[number - 1]
        if len(line) > 4000:
            continue
        column = match.start(1) - text.starts[number - 1]
        if _FORMER.search(line) and forbidden(line, column, column + len(token)):
            continue
        if opens_with_credit(line):
            continue
        if not _is_own(text, token) and _of_another(line[:column], line[column + len(token) :]):
            continue
        lines[token] = number
    for token, at in (*_mentions(whole, wanted), *_subcommands(whole, wanted)):
        number = text.line_at(at)
        if _OPENS.match(text.lines[number - 1][: at - text.starts[number - 1]][-200:]):
            lines.setdefault(token, number)
    for token, number in sorted(lines.items(), key=lambda pair: pair[1]):
        yield Fact("invocation", "", token, number)


def _is_own(text: Text, token: str) -> bool:
    """Whether the prefix of a command is the name of a directory of the text."""
    prefix = token.lstrip("/$").rpartition(":")[0].lower()
    return bool(prefix) and f".{prefix}/" in text.low


def _of_another(before: str, after: str) -> bool:
    """Whether the words around a command say that it is another product's."""
    return bool(_ANOTHERS_BEFORE.search(before[-80:]) or _ANOTHERS_AFTER.match(after[:40]))


def _mentions(whole: str, wanted: set[str]) -> Iterator[tuple[str, int]]:
    for match in _MENTION.finditer(whole) if "@" in whole else ():
        if match[1][1:].lower() in wanted | {"cancel"}:
            yield match[1], match.start()


def _subcommands(whole: str, wanted: set[str]) -> Iterator[tuple[str, int]]:
    for match in _SUBCOMMAND.finditer(whole):
        if match[2].lower() in wanted | {"cancel"} and not _STOPPING.search(match[1].split()[0]):
            yield match[1], match.start()
