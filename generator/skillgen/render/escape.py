"""Make any string safe where a template puts it: Markdown text, code span, fence, shell, JSON, YAML."""

from __future__ import annotations

import json
import re

#: Claude Code runs a command that stands in a skill as an exclamation mark before a code span.
_LIVE = "!`"


class Safe(str):
    """Text that has passed the filter of its place."""

    __slots__ = ()


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def text(value: object) -> Safe:
    """Write a value as Markdown text on one line: it opens no block, span, link, tag or table cell."""
    if isinstance(value, Safe):
        return value
    line = _one_line(value)
    line = re.sub(r"[\\`*\[\]<|~]", r"\\\g<0>", line)
    line = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", line)
    line = re.sub(r"&(?=#?\w+;)", "&amp;", line)
    # What opens a block only at the start of a line.
    line = re.sub(r"^([-+=#>])", r"\\\1", line)
    line = re.sub(r"^(\d{1,9})([.)])", r"\1\\\2", line)
    return Safe(line)


def code(value: object) -> Safe:
    """Write a value as a code span; as text where a code span would be run by the host."""
    line = _one_line(value)
    if not line or _LIVE in line or "|" in line:
        return text(line)
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return Safe(f"{fence}{pad}{line}{pad}{fence}")


def prose(value: object) -> Safe:
    """Write a sentence in which well-formed spans in single backquotes are code and all else is text."""
    if isinstance(value, Safe):
        return value
    parts = re.split(r"(?<!`)`([^`]+)`(?!`)", _one_line(value))
    out = ""
    for number, part in enumerate(parts):
        if number % 2:
            span = code(part)
            out = out[:-1] + "&#33;" + span if out.endswith("!") else out + span
        elif part:
            # Only the first part starts the line; spaces at the seams belong to the sentence.
            lead, tail = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
            out += lead + (text(part) if not out else _inner(part)) + tail
    return Safe(out)


def _inner(part: str) -> str:
    """Escape text that does not start its line."""
    return text("x" + part.strip())[1:] if part.strip() else ""


def fence(lines: object, language: str = "text") -> Safe:
    """Write lines as a fenced block; a form that the host would run is broken up with a backslash."""
    given = [lines] if isinstance(lines, str) else list(lines)  # type: ignore[call-overload]
    body = [_one_line(line).replace(_LIVE, "!\\`") for line in given]
    ticks = "`" * max(3, 1 + max((len(run) for line in body for run in re.findall("`+", line)), default=0))
    return Safe("\n".join([ticks + language, *body, ticks]))


def sh(value: object) -> Safe:
    """Write a value as one single-quoted shell word."""
    return Safe("'" + str(value).replace("'", "'\\''") + "'")


def as_json(value: object) -> Safe:
    """Write a value as JSON on one line, keys in their own order."""
    return Safe(json.dumps(value, ensure_ascii=False))


def yaml(value: object) -> Safe:
    """Write a scalar as YAML: strings double-quoted, whatever they hold."""
    if not isinstance(value, str):
        return Safe(json.dumps(value))
    out = []
    for char in value.replace(_LIVE, "!\x00"):
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


FILTERS = {"text": text, "code": code, "prose": prose, "fence": fence, "sh": sh, "json": as_json, "yaml": yaml}
