"""Give every model the same strictness, and name the kinds of string that a flavor may hold."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from skillgen.model.names import is_web_address
from skillgen.model.visible import unseen


class Model(BaseModel):
    """Frozen, strict, closed.

    Attribute docstrings become the JSON Schema's descriptions; `resolve.schema` reads them, since pydantic's own reading
    of them would cost every command more than all other imports together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


def _text(value: str) -> str:
    if bad := unseen(value, lines=True):
        raise ValueError(f"holds the hidden character U+{ord(bad):04X}; write text that a reader sees")
    return value


def _require_words(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; write the text, or leave the key out")
    return _text(value)


def _key(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", value) or len(value) > 64:
        raise ValueError(f"{value!r} is not a key; use lower-case letters, digits and single hyphens, at most 64")
    return value


def _file_name(value: str) -> str:
    _text(value)
    if not re.fullmatch(r"[^/\\]{1,200}", value) or value in {".", ".."} or unseen(value):
        raise ValueError(f"{value!r} is not a file name; use one name without a slash")
    return value


def _path(value: str) -> str:
    _text(value)
    parts = value.split("/")
    if value.startswith(("/", "~")) or "\\" in value or unseen(value):
        raise ValueError(f"{value!r} is not a relative path; write it relative to its root, with / between names")
    if any(part in {"", ".", ".."} for part in parts):
        raise ValueError(f"{value!r} leaves or repeats its directory; write it without '.', '..' and empty names")
    return value


def _check_granted(value: str) -> str:
    if "`" in value:
        raise ValueError(f"{value!r} holds a backquote; write the calls as the host's own grammar has them")
    return _text(value)


def _web(value: str) -> str:
    if value and not is_web_address(value):
        raise ValueError(f"{value!r} is no web address; write one that begins with https://, or leave it empty")
    return _text(value)


def _rules(value: str) -> str:
    """Hold Markdown for a section of its own: in its normal form, below the section's heading, nothing that runs by itself."""
    if not value.strip():
        return _text(value)
    _text(value)
    if any(live in value for live in ("!`", "```!", "~~~!")):
        raise ValueError("holds a command that Claude Code runs by itself; write it without the exclamation mark")
    # Only who has house rules pays for the parser.
    from skillgen.model.markdown import headings, normal

    if high := [title for level, title in headings(value) if level < 3]:
        raise ValueError(
            f"holds the heading {high[0]!r}; the section is of level 2, so begin headings with ### or deeper"
        )
    body, made = value.strip("\n"), normal(value.strip("\n"))
    if body != made:
        rows = zip(body.split("\n"), [*made.split("\n"), ""], strict=False)
        at, (ours, theirs) = next(((n, row) for n, row in enumerate(rows, 1) if row[0] != row[1]), (1, (body, made)))
        raise ValueError(f"line {at} of it, {ours!r}, is not in the normal form of Markdown; write {theirs!r}")
    return value


def _variable(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,127}", value):
        raise ValueError(f"{value!r} is not the name of an environment variable; write one such as OMC_SESSION_ID")
    return value


def _session_pattern(value: str) -> str:
    _text(value)
    try:
        pattern = re.compile(value)
    except re.error as error:
        raise ValueError(f"is not a regular expression ({error}); write one that matches a whole session id") from None
    if not (value.startswith("^") and value.endswith("$")):
        raise ValueError("is not anchored; begin it with ^ and end it with $")
    for hostile in ("a/b", "/", "a\\b", "a\nb", "a\x00b", ""):
        if pattern.fullmatch(hostile):
            raise ValueError(
                f"matches {hostile!r}; a session id becomes a path, so it must not be empty or hold a slash"
            )
    return value


Text = Annotated[str, AfterValidator(_text)]
"""Prose or a message; may be empty."""
Said = Annotated[str, AfterValidator(_require_words)]
"""Prose or a message that must say something."""
Rules = Annotated[str, AfterValidator(_rules)]
"""Markdown below a heading of level 2; may be empty."""
Key = Annotated[str, AfterValidator(_key)]
FileName = Annotated[str, AfterValidator(_file_name)]
RelPath = Annotated[str, AfterValidator(_path)]
RelPathOrSame = Annotated[str, AfterValidator(lambda value: value and _path(value))]
"""A relative path; empty stands for the directory itself."""
Web = Annotated[str, AfterValidator(_web)]
"""An http or https address; may be empty."""
Granted = Annotated[str, AfterValidator(_check_granted)]
"""Calls that a host lets through without asking; may be empty."""
Variable = Annotated[str, AfterValidator(_variable)]
SessionPattern = Annotated[str, AfterValidator(_session_pattern)]
