"""Tell the root of a plugin whose host nobody knows by a file in it that names the plugin."""

from __future__ import annotations

import json
import os
import re

from skillgen.errors import InputError
from skillgen.load.files import read

_KINDS = (".json", ".toml", ".yaml", ".yml")
_LARGEST = 1 << 20
#: What names a package, a site or a tool, and no plugin of agents.
_BUILDS = re.compile(
    r"(?:package(?:-lock)?|composer|tsconfig.*|deno|bower|jsr|pyproject|cargo|netlify|fly|wrangler)\.\w+", re.I
)
_NAMED = re.compile(r"name[ \t]*[:=][ \t]*(?:\"[^\"]+\"|'[^']+'|[^\s#\"'][^#]*)")


def names_itself(directory: str) -> bool:
    """Whether a file of the directory, or of a hidden one in it, gives a name at its top as a plugin's manifest does."""
    return any(_names(path) for path in _candidates(directory))


def _candidates(directory: str) -> list[str]:
    found = []
    for place, wanted in ((directory, ""), *((path, "plugin") for path in _hidden(directory))):
        try:
            with os.scandir(place) as entries:
                names = sorted(entry.name for entry in entries if entry.is_file())
        except OSError:
            continue
        found += [
            os.path.join(place, name)
            for name in names
            if name.lower().endswith(_KINDS)
            and not name.startswith(".")
            and not _BUILDS.fullmatch(name)
            and wanted in name.lower()
        ]
    return found


def _hidden(directory: str) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            return sorted(
                entry.path
                for entry in entries
                if entry.name.startswith(".") and entry.name != ".git" and entry.is_dir()
            )
    except OSError:
        return []


def _names(path: str) -> bool:
    try:
        if os.path.getsize(path) > _LARGEST:
            return False
        text = read(path).decode("utf-8-sig")
    except (InputError, OSError, ValueError):
        return False
    if path.lower().endswith(".json"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return False
        return isinstance(data, dict) and isinstance(data.get("name"), str) and bool(data["name"].strip())
    # Before the first table of TOML, and unindented in YAML, a key is the whole file's.
    top = re.split(r"(?m)^[ \t]*\[", text, maxsplit=1)[0] if path.lower().endswith(".toml") else text
    return any(_NAMED.match(line) for line in top.splitlines())
