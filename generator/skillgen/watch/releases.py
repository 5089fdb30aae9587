"""Compare two releases as packages: skills, tools, hooks, programs, variables, manifests, version."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skillgen.load.package import Package

_MANIFESTS = ("package.json", "plugin.json", "marketplace.json", ".mcp.json", "mcp.json", "hooks.json")
_CODE = (".js", ".mjs", ".cjs", ".ts", ".sh", ".py", ".ps1")
_VARIABLE = re.compile(
    r"""process\.env(?:\.|\[["'])([A-Z][A-Z0-9_]{2,})|environ(?:\.get\(|\[)["']([A-Z][A-Z0-9_]{2,})"""
)
_STUB = 1200
"""Bytes below which a skill that was three times as long has become a stub."""
_RELEVANT = re.compile(r"cancel|state|stop|hook|session|mode", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shift:
    """One difference of two packages: what kind of thing, its name, `added`, `removed`, `changed` or `stub`, and how."""

    kind: str
    name: str
    state: str
    detail: str = ""


def shifts(old: Package, new: Package) -> list[Shift]:
    """Return the differences, those that concern a cancel first within their kind."""
    found = [
        *_skills(old, new),
        *tool_shifts(tools_of(old), tools_of(new)),
        *_named("program", _programs(old), _programs(new), "what it starts"),
        *_files("hook script", old, new, _hook_scripts(old) | _hook_scripts(new)),
        *_named("variable", dict.fromkeys(_variables(old), ""), dict.fromkeys(_variables(new), ""), ""),
        *_files("manifest", old, new, {path for each in (old, new) for path in each.files if _is_manifest(path)}),
    ]
    kinds = list(dict.fromkeys(shift.kind for shift in found))
    return sorted(found, key=lambda shift: (kinds.index(shift.kind), not _RELEVANT.search(shift.name)))


def tool_shifts(old: Mapping[str, str], new: Mapping[str, str]) -> list[Shift]:
    """Compare tools by name and schema."""
    return list(_named("tool", old, new, "its schema"))


def version_of(package: Package) -> str:
    """Return the version that a manifest states, "" where none does."""
    for path in sorted(package.files, key=lambda path: (path.count("/"), path)):
        if path.rpartition("/")[2] in ("package.json", "plugin.json"):
            version = _json(package, path).get("version")
            if isinstance(version, str):
                return version
    return ""


def product_of(package: Package) -> str:
    """Return the name that a manifest states, "" where none does."""
    for name in ("package.json", "plugin.json"):
        for path in sorted(package.files, key=lambda path: (path.count("/"), path)):
            if path.rpartition("/")[2] == name and isinstance(found := _json(package, path).get("name"), str):
                return found
    return ""


def skills_of(package: Package) -> dict[str, str]:
    """Return skill -> path of its SKILL.md; of several of one name the shortest path counts."""
    found: dict[str, str] = {}
    for path in sorted(package.files, key=lambda path: (path.count("/"), path)):
        parts = path.split("/")
        if parts[-1] == "SKILL.md" and len(parts) > 1:
            found.setdefault(parts[-2], path)
    return found


def _skills(old: Package, new: Package) -> Iterator[Shift]:
    one, two = skills_of(old), skills_of(new)
    for name in sorted({*one, *two}):
        if name not in one or name not in two:
            yield Shift("skill", name, "added" if name in two else "removed")
            continue
        before, after = old.files[one[name]], new.files[two[name]]
        if before.digest == after.digest:
            continue
        sizes = len(before.data or b""), len(after.data or b"")
        if sizes[1] <= _STUB and sizes[1] * 3 <= sizes[0]:
            yield Shift("skill", name, "stub", f"from {sizes[0]} to {sizes[1]} bytes")
        else:
            lines = [package.text(path).count("\n") for package, path in ((old, one[name]), (new, two[name]))]
            yield Shift("skill", name, "changed", f"from {lines[0]} to {lines[1]} lines")


def tools_of(package: Package) -> dict[str, str]:
    """Return tool -> its input schema, for tools that stand as JSON in the package."""
    found: dict[str, str] = {}
    for path, entry in package.files.items():
        if path.endswith(".json") and entry.data and b"nputSchema" in entry.data:
            for tool in _with_schema(_parsed(entry.data)):
                found.setdefault(str(tool["name"]), json.dumps(tool["inputSchema"], sort_keys=True))
    return found


def _with_schema(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("name"), str) and isinstance(value.get("inputSchema"), dict):
            yield value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _with_schema(inner)


def _programs(package: Package) -> dict[str, str]:
    root = _json(package, "package.json")
    found = root.get("bin")
    if isinstance(found, str):
        return {str(root.get("name", "")): found}
    return {str(name): str(path) for name, path in found.items()} if isinstance(found, dict) else {}


def _hook_scripts(package: Package) -> set[str]:
    """Return the files of the package that a hooks.json names in its commands."""
    said = " ".join(
        (entry.data or b"").decode("utf-8", "replace")
        for path, entry in package.files.items()
        if path.rpartition("/")[2] == "hooks.json"
    )
    names = set(re.findall(r"[\w./-]+\.(?:mjs|cjs|js|py|sh|ps1)\b", said))
    return {path for path in package.files if any(path == name.lstrip("./") or f"/{path}" in name for name in names)}


def _variables(package: Package) -> list[str]:
    found: set[str] = set()
    for path, entry in package.files.items():
        if path.endswith(_CODE) and entry.data and b"env" in entry.data:
            for match in _VARIABLE.finditer(entry.data.decode("utf-8", "replace")):
                found.add(match[1] or match[2])
    # The product's own begin as most do; tests and other programs have theirs.
    first = Counter(name.partition("_")[0] for name in found if "_" in name).most_common(1)
    own = first[0][0] + "_" if first else ""
    return sorted(name for name in found if name.startswith(own) and not {"TEST", "FAKE"} & set(name.split("_")))


def _named(kind: str, one: Mapping[str, str], two: Mapping[str, str], what: str) -> Iterator[Shift]:
    for name in sorted({*one, *two}):
        if name not in one or name not in two:
            yield Shift(kind, name, "added" if name in two else "removed")
        elif one[name] != two[name]:
            yield Shift(kind, name, "changed", what)


def _files(kind: str, old: Package, new: Package, paths: Iterable[str]) -> Iterator[Shift]:
    for path in sorted(paths):
        before, after = old.files.get(path), new.files.get(path)
        if before is None or after is None:
            yield Shift(kind, path, "added" if after else "removed")
        elif before.digest != after.digest:
            yield Shift(kind, path, "changed")


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] in _MANIFESTS and path.count("/") <= 4


def _json(package: Package, path: str) -> dict[str, Any]:
    entry = package.files.get(path)
    value = _parsed(entry.data) if entry and entry.data else None
    return value if isinstance(value, dict) else {}


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
