"""Decide what a publication changes; refuse what would lose or overwrite something."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillgen.errors import InputError, Problem, UsageError
from skillgen.hosts import known_hosts
from skillgen.model.files import EXECUTABLE, PLAIN, Files
from skillgen.model.host import Host
from skillgen.model.lock import NAME as LOCK
from skillgen.model.origin import Origin
from skillgen.model.release import RECORD
from skillgen.model.semver import version_key
from skillgen.model.visible import escaped
from skillgen.pack.marketplace import (
    Listed,
    entry_source,
    new_catalogue,
    put_entry,
    read_catalogue,
    write_catalogue,
)
from skillgen.pack.publish.changelog import CHANGELOG, add_version
from skillgen.pack.publish.record import Published, place_problem, write_record
from skillgen.pack.publish.target import Target
from skillgen.pack.sums import sha256

ATTRIBUTES = ".gitattributes"
_GIT_MODES = {PLAIN: "100644", EXECUTABLE: "100755"}

Changes = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[str]]
"""What changed in meaning from one contract.json to another, one sentence an item."""


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: a bundle placed, its entries added or raised."""

    name: str
    version: str
    directory: str
    """Where the bundle lies, relative to the repository's root; "" for the root itself."""
    earlier: str
    """Version that it replaces, "" for a new plugin."""
    writes: Files = field(repr=False)
    """Path relative to the repository's root -> (content, mode), of what is not there already."""
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
    clients = [client for client in known_hosts().listing if client.place in files]
    if not clients:
        raise UsageError(
            f"{origin.flavor}: has no manifest of a client with marketplaces; publish its npm package or .skill archive (`skillgen pack`)"
        )
    published = state.record.get(origin.plugin)
    directory = _directory(origin.plugin, published, state, clients)
    if not directory and target.read(LOCK) is not None:
        raise UsageError(
            f"{target.path}: carries its bundle itself ({LOCK}), and what is edited there would be lost; "
            "`skillgen sync` brings it up to date, and the commit publishes it"
        )
    known = published.files if published and published.path == directory else {}
    added = {ATTRIBUTES: (b"* text eol=lf linguist-generated\n", PLAIN)} if directory else {}
    there = _read_standing(target, directory, {*files, *added, CHANGELOG, *known})
    _refuse_foreign(target, directory, there, known)
    if published and not _is_newer(origin, files, published):
        return None, state
    placed = {**files, **added, CHANGELOG: (_changelog(origin, files, published, there, changes), PLAIN)}
    writes = {_join_below(directory, path): file for path, file in placed.items()}
    deletes = tuple(_join_below(directory, path) for path in sorted(set(known) - set(placed)))
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
    _refuse_behind_links(target, [*writes, *deletes])
    before = target.tree(*writes)
    writes = {path: file for path, file in writes.items() if before.get(path) != (file[0], _GIT_MODES[file[1]])}
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
                    if source is None or (source and place_problem(source)):
                        raise UsageError(
                            f"{path}: lists {plugin} from another place, {entry.get('source')!r}; remove that entry, or publish elsewhere"
                        )
                    return source
    return published.path if published else f"plugins/{plugin}"


def _join_below(directory: str, path: str) -> str:
    return f"{directory}/{path}" if directory else path


def _read_standing(target: Target, directory: str, ours: Iterable[str]) -> dict[str, tuple[bytes, str]]:
    """Return path below `directory` -> (content, git's mode) of what stands where the bundle goes.

    A directory of its own is the bundle's whole; beside a bundle at the repository's root lies what is not its.
    """
    if directory:
        return {path.removeprefix(f"{directory}/"): file for path, file in target.tree(directory).items()}
    return target.tree(*sorted(ours))


def _refuse_foreign(
    target: Target, directory: str, there: Mapping[str, tuple[bytes, str]], known: Mapping[str, tuple[str, int]]
) -> None:
    foreign, edited = target.not_directories([_join_below(directory, path) for path in known or ["x"]]), []
    for path, (data, mode) in sorted(there.items()):
        if path not in known:
            foreign.append(_join_below(directory, path) if path != directory else path)
        elif mode != _GIT_MODES[known[path][1]] or known[path][0] != sha256(data):
            edited.append(_join_below(directory, path))
    if foreign:
        raise UsageError(
            "no publication wrote these files; move them away first:\n  " + "\n  ".join(map(escaped, sorted(foreign)))
        )
    if edited:
        raise UsageError(
            "these files were edited since they were published; bring the edit into the flavor or revert it:\n  "
            + "\n  ".join(map(escaped, edited))
        )


def _refuse_behind_links(target: Target, paths: Iterable[str]) -> None:
    """Raise UsageError where a directory on the way to a file is a link or another repository: it would lead elsewhere."""
    if links := target.not_directories(paths):
        raise UsageError(
            "these are no directories, and files go below them; put directories in their place:\n  "
            + "\n  ".join(map(escaped, links))
        )


def _is_newer(origin: Origin, files: Files, published: Published) -> bool:
    """Return False if exactly this is published; raise UsageError if the version must be raised."""
    if version_key(origin.version) > version_key(published.version):
        return True
    if version_key(origin.version) < version_key(published.version):
        raise UsageError(
            f"{origin.plugin}: {published.version} is published, {origin.version} is lower; raise it with --version"
        )
    there = {path: file for path, file in published.files.items() if path not in (CHANGELOG, ATTRIBUTES)}
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
        new = json.loads(files[contract][0])
        try:
            items = changes(json.loads(old[contract][0]), new)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            what = f"is no contract that could be compared ({type(error).__name__}: {error})"
            where = _join_below(published.path, contract)
            raise InputError([Problem(where, 0, 0, what, "take it back from the repository's history")]) from None
    earlier = old[CHANGELOG][0].decode("utf-8", "replace") if CHANGELOG in old else ""
    return add_version(earlier, origin.plugin, origin.version, items).encode()


def _raise_entry(client: Host, catalogues: Mapping[str, bytes], bundle: Listed, state: State) -> tuple[str, bytes]:
    path = next((place for place in client.places if place in catalogues), client.places[-1])
    old = catalogues.get(path, b"")
    document = read_catalogue(path, old) if old else new_catalogue(client, state.name, state.owner)
    return path, write_catalogue(put_entry(client, document, bundle), old)
