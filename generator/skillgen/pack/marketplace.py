"""Write the entries by which each client finds bundles in a repository."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from skillgen.errors import InputError, Problem
from skillgen.hosts import known_hosts
from skillgen.model.host import Host


@dataclass(frozen=True, slots=True)
class Listed:
    """One bundle as a marketplace lists it."""

    source: str
    """Directory relative to the repository's root, without `./`."""
    manifest: Mapping[str, Any]
    """The client's own manifest of the bundle."""

    @property
    def name(self) -> str:
        return str(self.manifest["name"])


def read_catalogue(path: str, data: bytes) -> dict[str, Any]:
    """Return a marketplace file; raise InputError if it is none that an entry can be added to."""
    try:
        document = json.loads(data, object_pairs_hook=_refuse_twins)
    except (ValueError, RecursionError) as error:
        raise InputError([Problem(path, 0, 0, f"is no JSON ({error})", "repair it first")]) from None
    if not isinstance(document, dict) or not isinstance(document.get("plugins", []), list):
        raise InputError([Problem(path, 0, 0, "is no marketplace: `plugins` must be a list", "repair it first")])
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in document.get("plugins", [])]
    if None in names or len(set(names)) != len(names):
        raise InputError([Problem(path, 0, 0, "lists a plugin without a name or twice", "repair it first")])
    return document


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: writing the file again would lose one of them."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice")
    return dict(pairs)


def new_catalogue(client: Host, name: str, owner: str) -> dict[str, Any]:
    """Return a marketplace without entries; `claude plugin validate --strict` wants the description."""
    if client.shelved:
        return {"name": name, "interface": {"displayName": name}, "plugins": []}
    description = f"Plugins of {owner}, rendered by skillgen."
    return {"name": name, "owner": {"name": owner}, "metadata": {"description": description}, "plugins": []}


def put_entry(client: Host, document: Mapping[str, Any], bundle: Listed) -> dict[str, Any]:
    """Return the marketplace with the bundle's entry added, or raised in its place; keys of others are kept.

    The version stands in the bundle's manifest alone, which wins over the entry; an entry that has one is kept equal.
    """
    plugins = list(document.get("plugins", []))
    for place, old in enumerate(plugins):
        if old["name"] == bundle.name:
            entry = {**old, **_entry(client, bundle, old)}
            if "version" in old:
                entry["version"] = bundle.manifest["version"]
            plugins[place] = entry
            break
    else:
        plugins.append(_entry(client, bundle, {}))
    return {**document, "plugins": plugins}


def _entry(client: Host, bundle: Listed, old: Mapping[str, Any]) -> dict[str, Any]:
    source = f"./{bundle.source}"
    if not client.shelved:
        return {"name": bundle.name, "source": source, "description": bundle.manifest.get("description", "")}
    category = bundle.manifest.get("interface", {}).get("category", "Productivity")
    return {
        "name": bundle.name,
        "source": {"source": "local", "path": source},
        "policy": old.get("policy", {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}),
        "category": old.get("category", category),
    }


def entry_source(entry: Mapping[str, Any]) -> str | None:
    """Return the directory that an entry points to, without `./`; None where it is no directory of the repository."""
    source = entry.get("source")
    if isinstance(source, dict) and source.get("source") == "local":
        source = source.get("path")
    if not isinstance(source, str) or not source.startswith("./"):
        return None
    return source.removeprefix("./").rstrip("/")


def write_catalogue(document: Mapping[str, Any], like: bytes = b"") -> bytes:
    """Return the file's bytes, indented as `like` is."""
    found = re.search(rb"^\{\r?\n([ \t]+)", like)
    indent = found[1].decode() if found else "  "
    return (json.dumps(document, indent=indent, ensure_ascii=False) + "\n").encode()


def catalogue_name(text: str) -> str:
    """Return `text` as a marketplace's name: what every client takes is lower-case letters, digits, hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64] or "marketplace"


def make_catalogues(
    bundles: Iterable[tuple[str, Mapping[str, Mapping[str, Any]]]],
    existing: Mapping[str, bytes],
    below: str,
    name: str,
    owner: str,
) -> dict[str, bytes]:
    """Return each client's marketplace file over `bundles` (directory, manifest path -> manifest).

    Entries that point below the directory `below` (with an empty one: to the root) are replaced as a whole, all others are kept; a client that no bundle
    serves and that has no file yet gets none.
    """
    bundles = list(bundles)
    made: dict[str, bytes] = {}
    for client in known_hosts().listing:
        path = next((place for place in client.places if place in existing), client.places[-1])
        listed = [Listed(source, found[client.place]) for source, found in bundles if client.place in found]
        if not listed and path not in existing:
            continue
        old = existing.get(path, b"")
        document = read_catalogue(path, old) if old else new_catalogue(client, name, owner)
        _refuse_twice(listed, client)
        names = {bundle.name for bundle in listed}
        kept = [
            entry for entry in document.get("plugins", []) if entry["name"] in names or not _lies_below(entry, below)
        ]
        document = {**document, "plugins": kept}
        for bundle in listed:
            document = put_entry(client, document, bundle)
        made[path] = write_catalogue(document, old)
    return made


def _lies_below(entry: Mapping[str, Any], below: str) -> bool:
    source = entry_source(entry)
    return source == "" if not below else f"{source or ''}/".startswith(f"{below}/")


def _refuse_twice(listed: list[Listed], client: Host) -> None:
    """Raise InputError where two bundles have one name: a client would see only one of them."""
    first: dict[str, Listed] = {}
    problems = []
    for bundle in listed:
        other = first.setdefault(bundle.name, bundle)
        if other is not bundle:
            what = f"has the name {bundle.name!r}, as {other.source} has"
            where = f"{bundle.source}/{client.place}"
            problems.append(Problem(where, 0, 0, what, "rename one, or keep it out of this directory"))
    if problems:
        raise InputError(problems)
