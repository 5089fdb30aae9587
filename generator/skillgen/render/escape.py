"""Make any string safe where a template puts it: Markdown text, code span, fence, shell, JSON, YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

#: Claude Code runs a command that stands in a skill as an exclamation mark before a code span.
_LIVE = "!`"
_BLOCK = "```!"
"""Beginnings of what Claude Code runs where it stands in a text: a command, a block of them."""


#: Plain words that some YAML reader takes for something else than a string.
_YAML_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

#: Flavors share most of their words. Only plain strings may be given: a `Safe` one is equal to them and means another thing.
_remembered = lru_cache(maxsize=1 << 16)


class Safe(str):
    """Text that has passed the filter of its place."""

    __slots__ = ()


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def text(value: object) -> Safe:
    """Write a value as Markdown text on one line: it opens no block, span, link, tag or table cell."""
    return value if isinstance(value, Safe) else _text(_one_line(value))


@_remembered
def _text(line: str) -> Safe:
    line = re.sub(r"[\\`*\[\]<]|~(?=~)|(?<=~)~", r"\\\g<0>", line)
    line = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", line)
    line = re.sub(r"&(?=#?\w+;)", "&amp;", line)
    # What opens a block only at the start of a line.
    line = re.sub(r"^([-+=#>|]|~(?=~))", r"\\\1", line)
    line = re.sub(r"^(\d{1,9})([.)])", r"\1\\\2", line)
    return Safe(line)


def markdown(value: object) -> Safe:
    """Write Markdown as it is: its model has held it against everything that could break out of its section."""
    return Safe(str(value).strip("\n"))


def code(value: object) -> Safe:
    """Write a value as a code span; as text where a code span would be run by the host."""
    return _code(_one_line(value))


@_remembered
def _code(line: str) -> Safe:
    if not line or _LIVE in line or _BLOCK in line:
        return text(line)
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    # An exclamation mark must meet no backquote of ours: Claude Code also runs a block that opens with ```!.
    pad = " " if line.startswith(("`", "!")) or line.endswith(("`", "!")) else ""
    return Safe(f"{fence}{pad}{line}{pad}{fence}")


def prose(value: object) -> Safe:
    """Write a sentence in which well-formed spans in single backquotes are code and all else is text."""
    if isinstance(value, Safe):
        return value
    line = _one_line(value)
    return Safe(_spans(line, starts=True))


@_remembered
def _spans(line: str, *, starts: bool = False) -> str:
    out = ""
    for number, part in enumerate(re.split(r"(?<!`)`([^`]*[^`\s][^`]*)`(?!`)", line)):
        if number % 2:
            out = _meet(out, code(part))
        else:
            out += _escape_piece(part, starts=starts and not out)
    return out


def _meet(left: str, right: str) -> str:
    """Join two written pieces; an exclamation mark never meets the code span behind it."""
    return left[:-1] + "&#33;" + right if left.endswith("!") and right.startswith("`") else left + right


@_remembered
def _escape_piece(part: str, *, starts: bool) -> str:
    """Escape a piece of a line; a space at either end belongs to the sentence."""
    if not part.strip():
        return " " if part else ""
    inner = text(part) if starts else text("x" + part.strip())[1:]
    return " " * part[0].isspace() + inner + " " * part[-1].isspace()


def fill(sentence: object, *values: object) -> Safe:
    """Write a template's own sentence as prose and put a value at each `{}`; a bare value is written as text."""
    pieces = str(sentence).split("{}")
    if len(pieces) != len(values) + 1:
        raise TypeError(f"{sentence!r} has {len(pieces) - 1} places for {len(values)} values")
    out = ""
    for number, piece in enumerate(pieces):
        if number:
            value = values[number - 1]
            out = _meet(out, value if isinstance(value, Safe) else _escape_piece(str(value), starts=not out))
        out = _meet(out, _spans(piece, starts=not out))
    return Safe(out)


def say(*parts: object) -> Safe:
    """Join sentences with spaces; what is empty or false says nothing."""
    return Safe(" ".join(prose(part) for part in parts if part))


def codes(values: Iterable[object], last: str = "and") -> Safe:
    """Write values as code spans joined by commas and a last word."""
    spans = [code(value) for value in values]
    return Safe(f" {last} ".join(part for part in (", ".join(spans[:-1]), spans[-1]) if part) if spans else "")


def fence(lines: object, language: str = "text", width: int = 0) -> Safe:
    """Write lines as a fenced block, indented by `width`; a form that the host would run is broken up with a backslash."""
    given = [lines] if isinstance(lines, str) else list(lines)  # type: ignore[call-overload]
    body = [re.sub(r"\s", " ", str(line)).rstrip().replace(_LIVE, "!\\`").replace(_BLOCK, "```\\!") for line in given]
    ticks = "`" * max(3, 1 + max((len(run) for line in body for run in re.findall("`+", line)), default=0))
    return Safe("\n".join((" " * width + line).rstrip() for line in [ticks + language, *body, ticks]))


def sh(value: object) -> Safe:
    """Write a value as one single-quoted shell word."""
    return Safe("'" + str(value).replace("'", "'\\''") + "'")


def as_json(value: object) -> Safe:
    """Write a value as JSON on one line, keys in their own order."""
    return Safe(json.dumps(value, ensure_ascii=False, default=lambda window: window.plain()))


def yaml(value: object) -> Safe:
    """Write a scalar as YAML: strings double-quoted, whatever they hold."""
    if not isinstance(value, str):
        return Safe(json.dumps(value))
    if re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", value) and value not in _YAML_WORDS:
        return Safe(value)
    out = []
    for char in value.replace(_LIVE, "!\x00").replace(_BLOCK, "``\x00!"):
        if char == "\x00":
            out.append("\\x60")
        elif char in '"\\':
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\n")
        elif char == "\t":
            out.append("\\t")
        elif " " <= char <= "~" or ("\xa0" <= char <= "\ufffd" and char not in "\u2028\u2029\ufeff"):
            out.append(char)
        elif ord(char) <= 0xFF:
            out.append(f"\\x{ord(char):02x}")
        elif ord(char) <= 0xFFFF:
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(f"\\U{ord(char):08x}")
    return Safe('"' + "".join(out) + '"')


def cell(value: object) -> Safe:
    """Write a value as a cell of a table: on one line, and no bar of its own ends it."""
    return Safe(re.sub(r"\\*\|", _bar, prose(value)))


def _bar(match: re.Match[str]) -> str:
    slashes = match[0][:-1]
    if len(slashes) % 2:
        return match[0]
    # Readers disagree on a bar behind two backslashes; an entity is no bar to any of them.
    return slashes + ("&#124;" if slashes else "\\|")


def target(value: object) -> Safe:
    """Write a value as where a link leads; what would end it or split it is percent-encoded."""
    given = "".join(str(value).split()).encode()
    return Safe("".join(chr(b) if 32 < b < 127 and chr(b) not in "<>()[]\\\"'`|" else f"%{b:02X}" for b in given))


def line(value: object) -> Safe:
    """Write a value as it is into a text that no program reads, such as a licence: on one line."""
    return Safe(_one_line(value))


def link(path: object) -> Safe:
    """Write a link to a file of the bundle, named by its stem."""
    return Safe(f"[{str(path).rpartition('/')[2].partition('.')[0]}]({path})")


FILTERS = {
    "line": line,
    "markdown": markdown,
    "link": link,
    "target": target,
    "cell": cell,
    "text": text,
    "code": code,
    "prose": prose,
    "fill": fill,
    "codes": codes,
    "fence": fence,
    "sh": sh,
    "json": as_json,
    "yaml": yaml,
}
