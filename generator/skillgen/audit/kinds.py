"""Hold a value of a manifest or an entry against the kind that the host's file names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillgen.model.names import is_web_address

PATHS = frozenset({"path", "paths", "directories", "files", "parts"})
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
}


def find_unlike(kind: str, key: str, value: object) -> tuple[str, str]:
    """Return what is wrong with a value and what would be right, two empty strings where nothing is."""
    types, wanted = _KINDS.get(kind, ((object,), ""))
    if not isinstance(value, types):
        return f"{key!r} must be {wanted}", f"write {wanted}"
    if kind == "url" and not is_web_address(str(value)):
        return f"{key!r} is no web address", "write one that begins with https://, or leave it out"
    return "", ""


def paths_of(data: Mapping[str, Any], keys: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (key, path) for every path that the keys of `data` hold."""
    found = []
    for key, kind in keys.items():
        value = data.get(key) if kind in PATHS else None
        found += [(key, item) for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]
    return found


def leads_out(path: str) -> bool:
    """Tell whether a path leaves the directory that it is relative to."""
    return path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/") or ":" in path.split("/")[0]
