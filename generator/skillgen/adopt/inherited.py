"""List what a flavor takes over from its base though the text does not say it, each with its value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillgen.adopt.evidence import Evidence, shown
from skillgen.model.facts import Fact

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
    "kept",
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
#: What the base's tools do: the words for it stand in many a text, the claim in none.
_CLAIMS = frozenset(
    {
        ("tools", "write"),
        ("tools", "write_merges"),
        ("tools", "clear_without_session"),
        ("tools", "clear_without_mode"),
        ("tools", "empty_clear"),
        ("tools", "rejects"),
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
    data: Mapping[str, Any],
    base: Mapping[str, Any],
    held: Iterable[Fact],
    lines: Mapping[tuple[str, ...], int],
    evidence: Evidence,
) -> list[str]:
    """Return `key: value` for each value that the text says nowhere.

    `held`: facts of the text that the contract holds; `lines` knows what was read from the text.
    """
    told = {path for fact in held for path in _told(fact)}
    known = {path[:2] for path in lines} | told
    found = []
    if data["identity"]["kind"] == "none":
        known |= {("store", "sessions"), ("store", "root_records")}
    for section in _SECTIONS:
        for path, value in _values(data[section], (section,)):
            ours = path[:2] in _OURS or path in lines or {path[:1], path[:2], path} & known
            said = path not in _CLAIMS and _said(value, evidence)
            if not ours and not _empty(value) and not said:
                found.append(f"{'.'.join(path)}: {shown(_short(value))}")
    for key, mode in data["modes"].items():
        below = base["modes"].get(key)
        for name in _OF_MODES:
            value, path = mode[name], ("modes", key, name)
            if path in told or path in lines or _empty(value) or _said(value, evidence):
                continue
            if name == "action" or (below is not None and below[name] == value):
                found.append(f"modes.{key}.{name}: {shown(_short(value))}")
    return found


_TELLS = {"action": ("action",), "keeps": ("keeps", "resume"), "link": ("links",), "mode": ("title",)}
_SECTIONS_TOLD = {
    "flags": (("flags",),),
    "variable": (("identity", "kind"), ("identity", "variables")),
    "team": (("team", "kind"),),
    "timeout": (("team", "grace_s"), ("team", "reconcile_s"), ("team", "interrupt_s"), ("stale_s",)),
    "store": (("store", "kind"),),
    "artifact": (("global_pass", "artifacts"),),
    "signal": (("signal", "kind"), ("signal", "file")),
    "final": (("last", "kind"), ("last", "record")),
}


def _told(fact: Fact) -> Iterator[tuple[str, ...]]:
    """The paths of a contract on whose value a held fact bears."""
    yield from _SECTIONS_TOLD.get(fact.kind, ())
    for name in _TELLS.get(fact.kind, ()):
        yield ("modes", fact.key, name)


def _short(value: Any) -> Any:
    """Leave out of a listing what says nothing, and of paths all but the path."""
    if isinstance(value, list):
        return [item["path"] if isinstance(item, dict) and "path" in item else _short(item) for item in value]
    if isinstance(value, dict):
        return {
            key: child for key, child in value.items() if not _empty(child) and (key, child) != ("first", "dependant")
        }
    return value


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
        return evidence.says(value) or (" " in value and evidence.mentions(value))
    if isinstance(value, list):
        return all(_said(item, evidence) for item in value)
    if isinstance(value, dict):
        return all(_said(item, evidence) for item in value.values() if not _empty(item))
    return False
