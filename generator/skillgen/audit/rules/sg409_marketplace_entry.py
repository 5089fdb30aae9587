"""A marketplace file cannot be used.

What it checks: a marketplace file has a name, an owner where the client wants one, and entries with a name and a
source; no name stands twice; a local source begins with `./`, does not climb, exists, and holds a skill or a manifest of the
same name (and of the same version, where the entry gives one); a source elsewhere is of a kind that the client knows; the
entry's other keys hold what they should, and its paths lead to what the plugin has.

Why it matters: Codex drops an entry whose source climbs or lacks `./` and refuses another name; Claude Code takes a
missing directory and a wrong name, and its users then see the failure.

How to fix it: write what the message names; leave `version` out of the entry, the manifest's wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.kinds import PATHS, find_unlike, leads_out, paths_of, plain_path
from skillgen.audit.manifests import Manifest, is_package, read
from skillgen.audit.tree import Bundle
from skillgen.hosts import known_hosts
from skillgen.model.host import Host, Kind

CODE = "SG409"
TITLE = "marketplace that cannot be used"
SEVERITY = Severity.ERROR
SCOPE = Scope.MARKETPLACE
CANCEL_ONLY = False

_NAME = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,64}", re.A)
_COMMIT = re.compile(r"[0-9a-f]{40}", re.A)


def check(subject: Bundle) -> Iterator[Hit]:
    for path in known_hosts().catalogues:
        if path in subject.files:
            manifest = read(subject, path)
            if not manifest.error:
                yield from _catalogue(subject, manifest)
            elif subject.tree.catalogue:
                yield Hit(manifest.line, f"no JSON object: {manifest.error}", "repair the JSON", path=path)


def _catalogue(bundle: Bundle, manifest: Manifest) -> Iterator[Hit]:
    name, owner, plugins = (manifest.data.get(key) for key in ("name", "owner", "plugins"))
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield _hit(manifest, "name", "the marketplace has no name of letters, digits, - and _", "give it one")
    host = known_hosts().lister(manifest.path)
    if not host.shelved and not (
        isinstance(owner, dict) and isinstance(owner.get("name"), str) and owner["name"].strip()
    ):
        yield _hit(manifest, "owner", "the marketplace has no owner", 'add `"owner": {"name": "…"}`')
    if isinstance(name, str) and (taken := _find_reserved(host, name)):
        yield _hit(manifest, "name", f"{name!r} is reserved by {host.name} ({taken})", "name it after its owner")
    metadata = manifest.data.get("metadata", {})
    if not isinstance(metadata, dict):
        yield _hit(manifest, "metadata", "`metadata` is no object", 'write {"description": "…"}')
        metadata = {}
    for key, kind in (host.catalogue.keys if host.catalogue else {}).items():
        what, repair = find_unlike(kind, key, manifest.data[key]) if key in manifest.data else ("", "")
        if what:
            yield _hit(manifest, key, what, repair)
    if not isinstance(plugins, list):
        yield _hit(manifest, "plugins", "`plugins` is no list", "list the plugins")
        return
    if not plugins:
        line = manifest.line_of("plugins")
        yield Hit(line, "the marketplace lists nothing", "list a plugin", path=manifest.path, severity=Severity.WARNING)
    seen = set()
    for entry in plugins:
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            yield _hit(manifest, "plugins", "an entry has no name", "give it the plugin's name")
            continue
        line = manifest.line_of("name", entry["name"])
        if entry["name"] in seen:
            yield Hit(line, f"{entry['name']!r} is listed twice", "keep one entry", path=manifest.path)
        seen.add(entry["name"])
        for what, repair in (*_keys(host, entry), *_entry(bundle, host, entry, metadata.get("pluginRoot"))):
            yield Hit(line, f"{entry['name']!r}: {what}", repair, path=manifest.path)


def _find_reserved(host: Host, name: str) -> str:
    """Return the reserved name or beginning that a marketplace's name is, "" where it is free."""
    for taken in host.catalogue.reserved if host.catalogue else ():
        if name == taken or (taken.endswith("-") and name.startswith(taken)):
            return taken
    official = "official" in name and ("claude" in name or "anthropic" in name)
    return "official" if official and host.catalogue and host.catalogue.reserved else ""


def _keys(host: Host, entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Values of the wrong kind; a key that the host does not know is ignored and harms nobody."""
    known = _list_keys(host)
    for key, value in entry.items():
        what, repair = find_unlike(known.get(key, "any"), key, value)
        if what:
            yield what, repair


def _list_keys(host: Host) -> dict[str, Kind]:
    entry = host.catalogue.entry if host.catalogue else {}
    return {**host.manifest.keys, **entry} if host.manifest and entry else {}


def _entry(bundle: Bundle, host: Host, entry: dict[str, Any], below: object) -> Iterator[tuple[str, str]]:
    """`below`: the directory of bare sources, if the marketplace names one."""
    source = entry.get("source")
    if isinstance(source, dict) and source.get("source") == "local":
        source = source.get("path")
    if not isinstance(source, str):
        yield from _check_outside_source(host, source)
        return
    if isinstance(below, str) and below.startswith("./") and re.fullmatch(r"[\w-][\w./-]*", source, re.A):
        source = f"{below}/{source}"
    if not source.startswith("./") or ".." in source.split("/") or "\\" in source:
        yield f"the source {source!r} is no directory below the root", "begin it with ./ and do not climb"
        return
    place = plain_path(source)
    prefix = f"{place}/" if place else ""
    if not any(path.startswith(prefix) for path in bundle.files):
        yield f"the source {source!r} does not exist", "correct it or add the plugin"
        return
    manifests = [prefix + path for path, id_ in known_hosts().manifests.items() if not is_package(id_)]
    there = [path for path in manifests if path in bundle.files]
    skills = any(path.startswith(f"{prefix}skills/") and path.endswith("/SKILL.md") for path in bundle.files)
    if not there and not skills:
        yield f"the source {source!r} holds neither a manifest nor a skill", "name the plugin's own directory"
    for path in there:
        data = read(bundle, path).data
        for key in ("name", "version"):
            if key in data and key in entry and data[key] != entry[key]:
                yield f"{key} {entry[key]!r} is {data[key]!r} in {path}", "write the manifest's"
    yield from _parts(bundle, host, entry, prefix, bool(there))


def _check_outside_source(host: Host, source: object) -> Iterator[tuple[str, str]]:
    """A source outside this repository."""
    kind = source.get("source") if isinstance(source, dict) else None
    if not isinstance(source, dict) or not isinstance(kind, str):
        yield "the entry has no source", 'add `"source": "./DIRECTORY"`'
        return
    sources = host.catalogue.sources if host.catalogue else {}
    if sources and kind not in sources:
        yield f"{host.name} knows no source {kind!r}", f"write one of {', '.join(sources)}, or a path"
    for key in sources.get(kind, ()):
        if not isinstance(source.get(key), str):
            yield f"the source {kind!r} has no {key!r}", f'add `"{key}": "…"`'
    if "sha" in source and not _COMMIT.fullmatch(str(source["sha"])):
        yield f"the source's sha {source['sha']!r} is no commit", "write all 40 digits of it"


def _parts(bundle: Bundle, host: Host, entry: dict[str, Any], prefix: str, manifest: bool) -> Iterator[tuple[str, str]]:
    """Parts that the entry names: below the plugin's own directory, and not beside a manifest that is to be left alone."""
    known = _list_keys(host)
    named = paths_of(entry, known)
    if manifest and entry.get("strict") is False and any(kind in PATHS and key in entry for key, kind in known.items()):
        yield "`strict` is false and the plugin has a manifest: the two conflict", "take `strict` or the parts out"
    for key, path in named:
        plain = prefix + plain_path(path)
        inside = any(name.startswith(f"{plain}/") for name in bundle.files)
        if leads_out(path) or not path.startswith("./"):
            yield f"{path!r} in {key!r} does not begin with ./", "write it from the plugin's directory"
        elif plain not in bundle.files and not inside:
            yield f"{path!r} in {key!r} is not in the plugin", "write it from the plugin's directory"
        elif known[key] == "directories" and not inside:
            yield f"{path!r} in {key!r} is a file", "name the directory that holds it"
        elif known[key] == "files" and inside:
            yield f"{path!r} in {key!r} is a directory", "name each file"


def _hit(manifest: Manifest, key: str, what: str, repair: str) -> Hit:
    return Hit(manifest.line_of(key), what, repair, path=manifest.path)
