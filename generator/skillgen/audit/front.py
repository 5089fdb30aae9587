"""Read front matter: keys with their lines, or why there are none; never raises."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from skillgen.audit import salvage

#: A front matter is read up to this size; what is longer is a problem and never parsed.
LIMIT = 32_768
DEPTH = 8
_OPEN = re.compile(r"---[ \t]*$", re.A)
_CLOSE = re.compile(r"(---|\.\.\.)[ \t]*$", re.A)


@dataclass(frozen=True, slots=True)
class Key:
    """One top-level key; `value` is text, a list or a mapping of such, or None; `flow` marks `[a, b]` and `{a: b}`."""

    name: str
    value: Any
    line: int
    column: int
    flow: bool = False
    quoted: bool = False
    broken: bool = False
    """The key's own lines do not parse; `value` is then all of them as one text, nested values are unknown."""


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter of one text; `line` to `end` are its fences (0 when it has none)."""

    line: int = 0
    end: int = 0
    keys: tuple[Key, ...] = ()
    problem: str = ""
    problem_line: int = 0
    problem_column: int = 0
    aliases: tuple[tuple[int, int], ...] = field(default=())
    body_line: int = 1
    """Where the body starts, counted from 1."""

    def get(self, name: str) -> Key | None:
        """Return the first key of that name."""
        return next((key for key in self.keys if key.name == name), None)

    def string(self, name: str) -> str:
        """Return a scalar value as text, '' when it is absent or no scalar."""
        key = self.get(name)
        return key.value if key and isinstance(key.value, str) else ""


def read_front(lines: list[str], *, anywhere: bool = False) -> Front:
    """Read the YAML front matter that opens a text; `anywhere` also takes one within the first ten lines."""
    start = 0
    if not (lines and _OPEN.match(lines[0])):
        start = _late_start(lines) if anywhere else -1
        if start < 0:
            return Front()
    end = next((n for n in range(start + 1, len(lines)) if _CLOSE.match(lines[n])), -1)
    if end < 0:
        keys_end = next((n for n in range(start + 1, len(lines)) if not lines[n].strip()), len(lines))
        front = _parse(lines[start + 1 : keys_end], start + 1)
        return Front(start + 1, 0, front.keys, "the front matter is never closed", start + 1, 1, body_line=keys_end + 1)
    front = _parse(lines[start + 1 : end], start + 1)
    return Front(
        start + 1,
        end + 1,
        front.keys,
        front.problem,
        front.problem_line,
        front.problem_column,
        front.aliases,
        end + 2,
    )


def _late_start(lines: list[str]) -> int:
    for n, line in enumerate(lines[:10]):
        if _OPEN.match(line) and n + 1 < len(lines) and re.match(r"[A-Za-z][\w-]*:", lines[n + 1]):
            return n
    return -1


@lru_cache(maxsize=1)
def _yaml() -> YAML:
    return YAML(typ="safe")


def _parse(lines: list[str], offset: int) -> Front:
    text = "\n".join(lines) + "\n"
    if len(text) > LIMIT:
        return Front(problem=f"the front matter is longer than {LIMIT} bytes", problem_line=offset)
    if toml := salvage.toml_keys(lines):
        keys = tuple(Key(name, value, line + offset + 1, 1) for name, value, line in toml)
        return Front(keys=keys, problem="the front matter is TOML, hosts read YAML", problem_line=offset + 1)
    aliases: list[tuple[int, int]] = []
    try:
        for event in _yaml().parse(text) if "*" in text else ():
            if isinstance(event, AliasEvent):
                aliases.append((event.start_mark.line + offset + 1, event.start_mark.column + 1))
        node = _yaml().compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line, max(len(lines) - 1, 0)) + offset + 1 if mark else offset
        what = " ".join(str(error.problem or error.context or "not YAML").split())
        return Front(
            keys=_salvage(lines, offset),
            problem=f"not valid YAML: {what}",
            problem_line=line,
            problem_column=(mark.column + 1) if mark else 1,
        )
    except (YAMLError, ValueError, RecursionError) as error:
        what = " ".join(str(error).split())[:120]
        return Front(keys=_salvage(lines, offset), problem=f"not valid YAML: {what}", problem_line=offset)
    if node is None:
        return Front(problem="the front matter is empty", problem_line=offset)
    if not isinstance(node, MappingNode):
        return Front(problem="the front matter is not a mapping of keys to values", problem_line=offset + 1)
    return Front(keys=_keys(node, offset), aliases=tuple(aliases))


def _keys(node: MappingNode, offset: int) -> tuple[Key, ...]:
    return tuple(
        Key(
            name.value if isinstance(name, ScalarNode) else "?",
            _as_plain(value, 0),
            name.start_mark.line + offset + 1,
            name.start_mark.column + 1,
            isinstance(value, (MappingNode, SequenceNode)) and bool(value.flow_style),
            isinstance(value, ScalarNode) and value.style in ("'", '"', "|", ">"),
        )
        for name, value in node.value
    )


def _salvage(lines: list[str], offset: int) -> tuple[Key, ...]:
    """Read the keys of a broken front matter one by one, so that one bad line does not hide the others."""
    keys: list[Key] = []
    for name, value, first, stop in salvage.blocks(lines):
        try:
            node = _yaml().compose("\n".join(lines[first:stop]) + "\n")
        except (YAMLError, ValueError, RecursionError):
            node = None
        if isinstance(node, MappingNode) and len(node.value) == 1:
            keys.extend(_keys(node, offset + first))
        else:
            keys.append(Key(name, value, offset + first + 1, 1, broken=True))
    return tuple(keys)


def _as_plain(node: Node, depth: int, seen: set[int] | None = None) -> Any:
    """Return a node as data; what an alias repeats is left out, since aliases of aliases grow without bound."""
    seen = set() if seen is None else seen
    if depth > DEPTH or (id(node) in seen and not isinstance(node, ScalarNode)):
        return "…"
    seen.add(id(node))
    if isinstance(node, ScalarNode):
        return None if (node.tag or "").endswith(":null") else node.value
    if isinstance(node, SequenceNode):
        return [_as_plain(item, depth + 1, seen) for item in node.value[:100]]
    if isinstance(node, MappingNode):
        return {str(key.value)[:200]: _as_plain(value, depth + 1, seen) for key, value in node.value[:100]}
    return None
