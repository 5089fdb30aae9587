"""Decide what a publication changes; refuse what would lose or overwrite something."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillgen.errors import UsageError
from skillgen.hosts import shipped_hosts
from skillgen.model.files import EXECUTABLE, PLAIN, Files
from skillgen.model.host import Host
from skillgen.model.origin import Origin
from skillgen.model.semver import version_key
from skillgen.pack.marketplace import (
    Listed,
    entry_source,
    new_catalogue,
    put_entry,
    read_catalogue,
    write_catalogue,
)
from skillgen.pack.publish.changelog import CHANGELOG, add_version
from skillgen.pack.publish.record import RECORD, Published, write_record
from skillgen.pack.publish.target import Target
from skillgen.pack.sums import sha256

Changes = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[str]]
"""What changed in meaning from one contract.json to another, one sentence an item."""


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: a bundle placed, its entries added or raised."""

    name: str
    version: str
    directory: str
    earlier: str
    """Version that it replaces, "" for a new plugin."""
    writes: Files = field(repr=False)
    """Path relative to the repository's root -> (content, mode)."""
    deletes: tuple[str, ...]
    entries: tuple[str, ...]
    """Marketplace files that list the plugin."""
    message: str

    @property
    def tag(self) -> str:
        return tag_name(self.name, self.version)


@dataclass(frozen=True, slots=True)
class State:
    """What the branch holds while steps are planned on top of each other."""

    record: Mapping[str, Published]
    catalogues: Mapping[str, bytes]
    name: str
    """Of a marketplace that is new."""
    owner: str


def tag_name(plugin: str, version: str) -> str:
    """Return the tag that `claude plugin tag` would set."""
    return f"{plugin}--v{version}"


def plan_step(
    target: Target, state: State, origin: Origin, files: Files, changes: Changes
) -> tuple[Step | None, State]:
    """Return the step that publishes one bundle, None if just that is published already, and the state after it.

    Raises UsageError for a lower version, an equal one with other bytes, files of others in the way, a published file
    that was edited in the repository, or a bundle that no marketplace could list.
    """
    clients = [client for client in shipped_hosts().listing if client.place in files]
    if not clients:
        raise UsageError(
            f"{origin.flavor}: has no manifest of a client with marketplaces; publish its npm package or .skill archive (`skillgen pack`)"
        )
    published = state.record.get(origin.plugin)
    directory = _directory(origin.plugin, published, state, clients)
    _refuse_foreign(target, directory, published)
    if published and not _is_newer(origin, files, published):
        return None, state
    old = target.tree(directory) if published else {}
    placed = {**files, CHANGELOG: (_changelog(origin, files, published, old, changes), PLAIN)}
    writes = {f"{directory}/{path}": file for path, file in placed.items()}
    deletes = tuple(f"{directory}/{path}" for path in sorted(set(published.files if published else ()) - set(placed)))
    catalogues = dict(state.catalogues)
    entries = []
    for client in clients:
        path, data = _raise_entry(client, catalogues, Listed(directory, json.loads(files[client.place][0])), state)
        catalogues[path] = data
        writes[path] = (data, PLAIN)
        entries.append(path)
    record = {
        **state.record,
        origin.plugin: Published(
            path=directory,
            version=origin.version,
            flavor=origin.flavor,
            revision=origin.revision,
            skillgen=origin.skillgen,
            contract=origin.contract,
            files={path: (sha256(data), mode) for path, (data, mode) in placed.items()},
        ),
    }
    writes[RECORD] = (write_record(record), PLAIN)
    earlier = published.version if published else ""
    message = f"Publish {origin.plugin} {origin.version}\n\nFlavor {origin.flavor}, revision {origin.revision}.\n"
    message += f"Contract sha256 {origin.contract}, rendered by skillgen {origin.skillgen}.\n"
    step = Step(origin.plugin, origin.version, directory, earlier, writes, deletes, tuple(entries), message)
    return step, State(record, catalogues, state.name, state.owner)


def _directory(plugin: str, published: Published | None, state: State, clients: Sequence[Host]) -> str:
    """Return where the plugin lives already, else `plugins/<name>`."""
    for client in clients:
        for path in client.places:
            if path not in state.catalogues:
                continue
            for entry in read_catalogue(path, state.catalogues[path]).get("plugins", []):
                if entry["name"] == plugin:
                    source = entry_source(entry)
                    if not source or ".." in source.split("/"):
                        raise UsageError(f"{path}: lists {plugin} from another place, {entry.get('source')!r}")
                    return source
    return published.path if published else f"plugins/{plugin}"


def _refuse_foreign(target: Target, directory: str, published: Published | None) -> None:
    known = published.files if published and published.path == directory else {}
    foreign, edited = target.not_directories(directory), []
    for path, (data, mode) in sorted(target.tree(directory).items()):
        if path not in known:
            foreign.append(f"{directory}/{path}" if path != directory else path)
        elif known[path] != (sha256(data), EXECUTABLE if mode == "100755" else PLAIN):
            edited.append(f"{directory}/{path}")
    if foreign:
        raise UsageError("no publication wrote these files, move them away first:\n  " + "\n  ".join(foreign))
    if edited:
        raise UsageError(
            "these files were edited since they were published; bring the edit into the flavor or revert it:\n  "
            + "\n  ".join(edited)
        )


def _is_newer(origin: Origin, files: Files, published: Published) -> bool:
    """Return False if exactly this is published; raise UsageError if the version must be raised."""
    if version_key(origin.version) > version_key(published.version):
        return True
    if version_key(origin.version) < version_key(published.version):
        raise UsageError(
            f"{origin.plugin}: {published.version} is published, {origin.version} is lower; raise it with --version"
        )
    there = {path: file for path, file in published.files.items() if path != CHANGELOG}
    if {path: (sha256(data), mode) for path, (data, mode) in files.items()} != there:
        raise UsageError(
            f"{origin.plugin}: {origin.version} is published with other bytes; raise it with --version or in the flavor"
        )
    return False


def _changelog(
    origin: Origin, files: Files, published: Published | None, old: Mapping[str, tuple[bytes, str]], changes: Changes
) -> bytes:
    contract = f"skills/{origin.skill}/contract.json"
    if not published or contract not in old:
        items: Sequence[str] = [f"First publication: flavor {origin.flavor}, revision {origin.revision}."]
    else:
        items = changes(json.loads(old[contract][0]), json.loads(files[contract][0]))
    earlier = old[CHANGELOG][0].decode() if CHANGELOG in old else ""
    return add_version(earlier, origin.plugin, origin.version, items).encode()


def _raise_entry(client: Host, catalogues: Mapping[str, bytes], bundle: Listed, state: State) -> tuple[str, bytes]:
    path = next((place for place in client.places if place in catalogues), client.places[-1])
    old = catalogues.get(path, b"")
    document = read_catalogue(path, old) if old else new_catalogue(client, state.name, state.owner)
    return path, write_catalogue(put_entry(client, document, bundle), old)
