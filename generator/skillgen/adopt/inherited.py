"""List what a flavor takes over from its base though the text does not say it, each with its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skillgen.adopt.evidence import Evidence, shown

#: Sections that hold what only the owner of a product knows.
_SECTIONS = (
    "product",
    "plugin",
    "host",
    "front",
    "command",
    "flags",
    "identity",
    "root",
    "store",
    "tools",
    "team",
    "bridge",
    "signal",
    "last",
    "global_pass",
    "stop_hook",
    "notes",
    "asides",
    "stale_s",
)
#: Derived from the names, or the bundle's own.
_OURS = frozenset(
    {
        ("product", "noun"),
        ("plugin", "author"),
        ("plugin", "license"),
        ("plugin", "category"),
        ("plugin", "marketplace"),
        ("plugin", "version"),
        ("plugin", "keywords"),
        ("plugin", "description"),
        ("plugin", "display_name"),
        ("plugin", "package"),
        ("front", "description"),
        ("front", "name"),
        ("host", "id"),
        ("host", "manifests"),
        ("global_pass", "gate"),
        ("global_pass", "uncaptured_teams"),
        ("tools", "style"),
        ("root", "kind"),
        ("team", "report"),
    }
)
#: What a mode does; the rest of it is worded from these.
_OF_MODES = (
    "action",
    "records",
    "nested",
    "helpers",
    "markers",
    "links",
    "settings",
    "detail",
    "pause_with",
    "keeps",
    "resume",
)


def inherited(
    data: Mapping[str, Any], base: Mapping[str, Any], lines: Mapping[tuple[str, ...], int], evidence: Evidence
) -> list[str]:
    """Return `key: value` for each value that the text says nowhere; `lines` knows what was read from it."""
    found = []
    for section in _SECTIONS:
        for path, value in _values(data[section], (section,)):
            if path[:2] in _OURS or path in lines or path[:2] in lines or _empty(value) or _said(value, evidence):
                continue
            found.append(f"{'.'.join(path)}: {shown(value)}")
    for key, mode in data["modes"].items():
        below = base["modes"].get(key)
        for name in _OF_MODES:
            value = mode[name]
            if ("modes", key, name) in lines or _empty(value) or _said(value, evidence):
                continue
            if below is not None and below[name] == value:
                found.append(f"modes.{key}.{name}: {shown(value)}")
    return found


def _values(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and value and len(path) < 3:
        for name, child in value.items():
            yield from _values(child, (*path, str(name)))
    else:
        yield path, value


def _empty(value: Any) -> bool:
    return value in (None, "", False, "none") or value == [] or value == {}


def _said(value: Any, evidence: Evidence) -> bool:
    if isinstance(value, str):
        return evidence.says(value) or evidence.mentions(value)
    if isinstance(value, list):
        return all(_said(item, evidence) for item in value)
    if isinstance(value, dict):
        return all(_said(item, evidence) for item in value.values() if not _empty(item))
    return False
