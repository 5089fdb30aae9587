"""A manifest points outside its bundle or to what is not there.

What it checks: paths in `skills`, `agents`, `commands`, `hooks`, `mcpServers`, `contextFileName`, `main` and
`dsh.bundle.patch` begin with `./` where the host wants that, never climb, exist, and name a file or a directory as the host
wants it.

Why it matters: Claude Code refuses such a plugin; Codex drops the part without a word and Copilot CLI loads nothing.

How to fix it: write the path from the bundle's root, `./skills/`, and put the file there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.kinds import leads_out, paths_of, plain_path
from skillgen.audit.manifests import Manifest, is_package, manifest_of, plugin_manifests
from skillgen.audit.tree import Bundle
from skillgen.hosts import known_hosts

CODE = "SG407"
TITLE = "manifest path outside the bundle or missing"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    for manifest in plugin_manifests(subject):
        known = manifest_of(manifest.host)
        name = known_hosts()[manifest.host].name
        if "skills" in known.replaces:
            yield from _without_skill(subject, manifest, name)
        for key, value in _paths(manifest):
            line = manifest.line_of(key)
            plain = plain_path(value)
            kind = known.keys.get(key, "")
            if leads_out(value):
                yield Hit(
                    line, f"{value!r} leads out of the bundle", "write it from the bundle's root", path=manifest.path
                )
            elif plain and not _is_there(subject, plain):
                yield Hit(line, f"{value!r} is not in the bundle", "add it or take the key out", path=manifest.path)
            elif known.dotted and not value.startswith("./") and value != ".":
                yield Hit(line, f"{value!r} does not begin with ./", f"write {'./' + value!r}", path=manifest.path)
            elif kind == "directories" and plain in subject.files:
                what = f"{value!r} is a file; in {key!r} {name} takes directories only"
                yield Hit(line, what, "name the directory that holds it", path=manifest.path)
            elif kind == "files" and plain not in subject.files:
                what = f"{value!r} is a directory; in {key!r} {name} takes files only"
                yield Hit(line, what, "name each file", path=manifest.path)


def _without_skill(bundle: Bundle, manifest: Manifest, name: str) -> Iterator[Hit]:
    """Directories of skills that are there and hold none, where the host looks nowhere else."""
    places = [plain_path(value) for key, value in _paths(manifest) if key == "skills"]
    places = [place for place in places if place not in bundle.files and _is_there(bundle, place)]
    texts = [path for path in bundle.files if path.rpartition("/")[2] == "SKILL.md"]
    if places and not any(f"{path}/".startswith(f"{place}/") for path in texts for place in places):
        what = f"no skill lies in {', '.join(places)}, and {name} looks nowhere else"
        yield Hit(manifest.line_of("skills"), what, "name the directory that holds the skills", path=manifest.path)


def _paths(manifest: Manifest) -> Iterator[tuple[str, str]]:
    yield from paths_of(manifest.data, manifest_of(manifest.host).keys)
    if is_package(manifest.host):
        if isinstance(manifest.data.get("main"), str):
            yield "main", manifest.data["main"]
        patch = _dig(manifest.data, manifest.host, "bundle", "patch")
        if isinstance(patch, str):
            yield "patch", patch


def _dig(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _is_there(bundle: Bundle, path: str) -> bool:
    return path in bundle.files or any(name.startswith(f"{path}/") for name in bundle.files)
