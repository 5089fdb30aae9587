"""Spell the calls of a flavor's state tools exactly as its host takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

SESSION = "<session_id>"


class Calls:
    """Spelled calls; every one names the session.

    `fields` of a write: name to a JSON value, or to a string in angle brackets that the agent replaces.
    """

    def __init__(self, tools: Mapping[str, Any]) -> None:
        self._names = tools["names"]
        self._arguments = tools["arguments"]
        self._dialect = DIALECTS[tools["style"]](tools)

    def read(self, record: str) -> str:
        return self._dialect.spell(self._names["read"], record, {})

    def clear(self, record: str) -> str:
        return self._dialect.spell(self._names["clear"], record, {})

    def write(self, record: str, fields: Mapping[str, Any], rest: str = "") -> str:
        """Spell a write; `rest` says in words what else goes along, such as `every other field as read`."""
        payload = self._arguments["payload"]
        beside = {} if payload and self._arguments["payload_whole"] else fields
        inside = [
            f"{self._dialect.field(name)}: {_value(value)}" for name, value in fields.items() if name not in beside
        ]
        extra = dict(beside)
        if rest or inside:
            extra[payload or "state"] = _Raw("{" + ", ".join([f"<{rest}>"] * bool(rest) + inside) + "}")
        return self._dialect.spell(self._names["write"], record, extra)

    def handed(self, field: str) -> str:
        """Spell the argument by which a write hands back the one field that names a run."""
        value = _Raw(f'{{{self._dialect.field(field)}: "<exact run id>"}}')
        return self._dialect.argument(self._arguments["payload"] or "state", value)


class Dialect:
    """How calls are spelled in one style of `tools`: `spell` a whole call, `argument` a piece of it, `field` a name inside an object."""

    def __init__(self, tools: Mapping[str, Any]) -> None:
        names = tools["arguments"]
        self.mode, self.session, self.workspace = names["mode"], names["session"], names["workspace"]
        self.line = tools["command_line"]

    def spell(self, tool: str, record: str, extra: Mapping[str, Any]) -> str:
        raise NotImplementedError

    def argument(self, name: str, value: Any) -> str:
        raise NotImplementedError

    def field(self, name: str) -> str:
        return name


class Keywords(Dialect):
    """`tool(mode="x", session_id="<session_id>")`."""

    def spell(self, tool: str, record: str, extra: Mapping[str, Any]) -> str:
        pairs = {self.mode: record, self.session: SESSION, **extra}
        return f"{tool}({', '.join(self.argument(name, value) for name, value in pairs.items())})"

    def argument(self, name: str, value: Any) -> str:
        return f"{name}={_value(value)}"


class Objects(Dialect):
    """`tool({ cwd, sessionId, mode: "x" })`; what stands alone is a variable of that name."""

    def spell(self, tool: str, record: str, extra: Mapping[str, Any]) -> str:
        pairs = {self.mode: record, **extra}
        words = [self.workspace] * bool(self.workspace) + [self.session]
        words += [self.argument(name, value) for name, value in pairs.items()]
        return f"{tool}({{ {', '.join(words)} }})"

    def argument(self, name: str, value: Any) -> str:
        return f"{name}: {_value(value)}"


class CommandLines(Dialect):
    """`tool --input '{"mode":"x","session_id":"<session_id>"}' --json`, as a shell takes it."""

    def spell(self, tool: str, record: str, extra: Mapping[str, Any]) -> str:
        pairs = {self.mode: record, self.session: SESSION, **extra}
        body = "{" + ",".join(self.argument(name, value) for name, value in pairs.items()) + "}"
        quoted = "'" + body.replace("'", "'\\''") + "'"
        return " ".join([tool, self.line["argument"], quoted, *self.line["switches"]])

    def argument(self, name: str, value: Any) -> str:
        return f"{json.dumps(name)}:{_value(value)}"

    def field(self, name: str) -> str:
        return json.dumps(name)


#: `tools.style` -> its dialect. There is no default: a style that nobody spells must not be spelled as another one.
DIALECTS: Mapping[str, type[Dialect]] = {"keywords": Keywords, "object": Objects, "command-line": CommandLines}


class _Raw(str):
    """An argument that is spelled already."""


def _value(value: Any) -> str:
    return str(value) if isinstance(value, _Raw) else json.dumps(value, ensure_ascii=False)
