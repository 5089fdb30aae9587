"""Hold a value of a manifest or an entry against the kind that the host's file names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skillgen.model.names import is_web_address

PATHS = frozenset({"path", "paths", "directories", "files", "parts", "commands", "servers"})
"""Kinds that hold paths."""
_PATHS = "a path or a list of paths"
#: Kind -> (types, how such a value is called).
_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "a string"),
    "url": ((str,), "a string"),
    "path": ((str,), "a path"),
    "person": ((dict,), 'an object such as {"name": "…"}'),
    "texts": ((list,), "a list of strings"),
    "list": ((list,), "a list"),
    "object": ((dict,), "an object"),
    "bool": ((bool,), "true or false"),
    "paths": ((str, list), _PATHS),
    "directories": ((str, list), _PATHS),
    "files": ((str, list), _PATHS),
    "parts": ((str, list, dict), "a path, a list of paths, or an object"),
    "commands": ((str, list, dict), "a path, a list of paths, or an object"),
    "servers": ((str, list, dict), "a path, a list of paths, or an object"),
    "plugins": ((list,), "a list of names"),
}


def find_unlike(kind: str, key: str, value: object) -> tuple[str, str]:
    """Return what is wrong with a value and what would be right, two empty strings where nothing is."""
    types, wanted = _KINDS.get(kind, ((object,), ""))
    if not isinstance(value, types):
        return f"{key!r} must be {wanted}", f"write {wanted}"
    if kind == "url" and not is_web_address(str(value)):
        return f"{key!r} is no web address", "write one that begins with https://, or leave it out"
    return next(_inside(kind, key, value), ("", ""))


def _inside(kind: str, key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with what a value of the right type holds."""
    if kind == "person":
        if not isinstance(value.get("name"), str) or not value["name"].strip():
            yield f"the {key} has no name", "add a `name`"
        for part in ("email", "url"):
            if not isinstance(value.get(part, ""), str):
                yield f"{part!r} of the {key} is no string", "write a string, or leave it out"
    elif kind == "texts" and not all(isinstance(word, str) for word in value):
        yield f"{key!r} holds what is no string", "write strings only"
    elif kind == "plugins" and not all(_is_plugin(one) for one in value):
        yield f"{key!r} holds what names no plugin", 'write names, or objects such as {"name": "…"}'
    elif kind in PATHS and isinstance(value, list):
        inline = (str,) if kind in ("paths", "directories", "files", "commands") else (str, dict)
        if not all(isinstance(one, inline) for one in value):
            yield f"{key!r} holds what is no path", "write paths only"
    elif kind == "commands" and isinstance(value, dict):
        for name, one in value.items():
            given = [part for part in ("source", "content") if isinstance(one, dict) and isinstance(one.get(part), str)]
            if len(given) != 1:
                yield f"the command {name!r} has not just one of `source` and `content`", "name its file in `source`"
    elif kind == "servers" and isinstance(value, dict):
        for name, one in value.items():
            if what := wrong_server(one):
                yield f"the server {name!r} {what[0]}", what[1]


def _is_plugin(value: Any) -> bool:
    return isinstance(value.get("name") if isinstance(value, dict) else value, str)


def wrong_server(server: Any) -> tuple[str, str] | None:
    """Return what is wrong with the description of an MCP server and what would be right, None where nothing is."""
    if not isinstance(server, dict) or not ("command" in server or "url" in server):
        return "has neither a command nor a url", 'add `"command": "…"`'
    for key in ("command", "url"):
        if not isinstance(server.get(key, ""), str):
            return f"has a {key} that is no string", "write a string"
    arguments = server.get("args", [])
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        return "has `args` that are no list of strings", 'write `"args": ["…"]`'
    for key in ("env", "headers"):
        given = server.get(key, {})
        if not isinstance(given, dict) or not all(isinstance(word, str) for word in given.values()):
            return f"has a value in `{key}` that is no string", "write every value in quotes"
    return None


def paths_of(data: Mapping[str, Any], keys: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (key, path) for every path that the keys of `data` hold."""
    found = []
    for key, kind in keys.items():
        value = data.get(key) if kind in PATHS else None
        found += [(key, item) for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]
    return found


def plain_path(path: str) -> str:
    """Return a path as the files of a bundle are listed, "" for the root."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def leads_out(path: str) -> bool:
    """Tell whether a path leaves the directory that it is relative to."""
    return path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/") or ":" in path.split("/")[0]
