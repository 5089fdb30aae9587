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
        self._object = tools["style"] == "object"
        self._line = tools["command_line"]

    def read(self, record: str) -> str:
        return self._spell(self._names["read"], record, {})

    def clear(self, record: str) -> str:
        return self._spell(self._names["clear"], record, {})

    def write(self, record: str, fields: Mapping[str, Any], rest: str = "") -> str:
        """Spell a write; `rest` says in words what else goes along, such as `every other field as read`."""
        payload = self._arguments["payload"]
        beside = {} if payload and self._arguments["payload_whole"] else fields
        inside = [
            f"{json.dumps(name) if self._line else name}: {_value(value)}"
            for name, value in fields.items()
            if name not in beside
        ]
        extra = dict(beside)
        if rest or inside:
            extra[payload or "state"] = _Raw("{" + ", ".join([f"<{rest}>"] * bool(rest) + inside) + "}")
        return self._spell(self._names["write"], record, extra)

    def handed(self, field: str) -> str:
        """Spell the argument by which a write hands back the one field that names a run."""
        value = f'{{{json.dumps(field) if self._line else field}: "<exact run id>"}}'
        if self._line:
            return f"{json.dumps(self._arguments['payload'] or 'state')}:{value}"
        return f"{self._arguments['payload'] or 'state'}{': ' if self._object else '='}{value}"

    def _spell(self, tool: str, record: str, extra: Mapping[str, Any]) -> str:
        mode, session = self._arguments["mode"], self._arguments["session"]
        if self._line:
            pairs = {mode: record, session: SESSION, **extra}
            body = "{" + ",".join(f"{json.dumps(name)}:{_value(value)}" for name, value in pairs.items()) + "}"
            quoted = "'" + body.replace("'", "'\\''") + "'"
            return " ".join([tool, self._line["argument"], quoted, *self._line["switches"]])
        if self._object:
            words = [self._arguments["workspace"]] if self._arguments["workspace"] else []
            words += [session, f"{mode}: {_value(record)}"]
            words += [f"{name}: {_value(value)}" for name, value in extra.items()]
            return f"{tool}({{ {', '.join(words)} }})"
        words = [f"{mode}={_value(record)}", f'{session}="{SESSION}"']
        words += [f"{name}={_value(value)}" for name, value in extra.items()]
        return f"{tool}({', '.join(words)})"


class _Raw(str):
    """An argument that is spelled already."""


def _value(value: Any) -> str:
    return str(value) if isinstance(value, _Raw) else json.dumps(value, ensure_ascii=False)
