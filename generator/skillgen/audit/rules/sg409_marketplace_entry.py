"""A marketplace file cannot be used.

What it checks: a marketplace file has a name, an owner where the client wants one, and entries with a name and a
source; no name stands twice; a local source begins with `./`, does not climb, exists, and holds a manifest of the same
name (and of the same version, where the entry gives one).

Why it matters: Codex drops an entry whose source climbs or lacks `./` and refuses another name; Claude Code takes a
missing directory and a wrong name, and its users then see the failure.

How to fix it: write what the message names; leave `version` out of the entry, the manifest's wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import Manifest, is_package, read
from skillgen.audit.tree import Bundle
from skillgen.hosts import shipped_hosts

CODE = "SG409"
TITLE = "marketplace that cannot be used"
SEVERITY = Severity.ERROR
SCOPE = Scope.MARKETPLACE
CANCEL_ONLY = False

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.A)


def check(subject: Bundle) -> Iterator[Hit]:
    for path in shipped_hosts().catalogues:
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
    owned = shipped_hosts().catalogue_at(manifest.path).kind == "owned"
    if owned and not (isinstance(owner, dict) and isinstance(owner.get("name"), str)):
        yield _hit(manifest, "owner", "the marketplace has no owner", 'add `"owner": {"name": "…"}`')
    if not isinstance(plugins, list):
        yield _hit(manifest, "plugins", "`plugins` is no list", "list the plugins")
        return
    seen = set()
    for entry in plugins:
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            yield _hit(manifest, "plugins", "an entry has no name", "give it the plugin's name")
            continue
        line = manifest.line_of("name", entry["name"])
        if entry["name"] in seen:
            yield Hit(line, f"{entry['name']!r} is listed twice", "keep one entry", path=manifest.path)
        seen.add(entry["name"])
        for what, repair in _entry(bundle, entry):
            yield Hit(line, f"{entry['name']!r}: {what}", repair, path=manifest.path)


def _entry(bundle: Bundle, entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    source = entry.get("source")
    if isinstance(source, dict) and source.get("source") == "local":
        source = source.get("path")
    if not isinstance(source, str):
        if not isinstance(source, dict) or not isinstance(source.get("source"), str):
            yield "the entry has no source", 'add `"source": "./DIRECTORY"`'
        return
    if not source.startswith("./") or ".." in source.split("/") or "\\" in source:
        yield f"the source {source!r} is no directory below the root", "begin it with ./ and do not climb"
        return
    place = source.removeprefix("./").rstrip("/")
    prefix = f"{place}/" if place else ""
    if not any(path.startswith(prefix) for path in bundle.files):
        yield f"the source {source!r} does not exist", "correct it or add the plugin"
        return
    for path, host in shipped_hosts().manifests.items():
        if not is_package(host) and prefix + path in bundle.files:
            data = read(bundle, prefix + path).data
            for key in ("name", "version"):
                if key in data and key in entry and data[key] != entry[key]:
                    yield f"{key} {entry[key]!r} is {data[key]!r} in {prefix + path}", "write the manifest's"


def _hit(manifest: Manifest, key: str, what: str, repair: str) -> Hit:
    return Hit(manifest.line_of(key), what, repair, path=manifest.path)
