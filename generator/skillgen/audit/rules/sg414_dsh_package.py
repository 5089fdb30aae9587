"""A package for dsh is put together wrongly.

What it checks: package.json names its patch in `dsh.bundle.patch`; the patch inserts a row whose `name` is the
package's; `files` lists the patch, the entry module and the skills; there is no install script.

Why it matters: dsh notices a wrong name only when it starts, ignores a package without `dsh.bundle` but for a warning,
and its desktop market refuses install scripts; what `files` leaves out is not in the published package.

How to fix it: write the package's name in cordis.patch.yml, and add what is missing to `files`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import Manifest, is_packaged, read
from skillgen.audit.tree import Bundle

CODE = "SG414"
TITLE = "dsh package put together wrongly"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
_ROW = re.compile(r"^[ -]*name:[ \t]*(['\"]?)(?P<name>[^'\"#\s]+)\1", re.MULTILINE | re.A)


def check(subject: Bundle) -> Iterator[Hit]:
    if not is_packaged(subject, "dsh"):
        return
    if "package.json" not in subject.files:
        yield Hit(0, "a patch for dsh without a package.json", "add one", path="cordis.patch.yml")
        return
    manifest = read(subject, "package.json", "dsh")
    if manifest.error:
        return
    scripts = manifest.data.get("scripts", {})
    for name in _SCRIPTS:
        if isinstance(scripts, dict) and name in scripts:
            yield _hit(manifest, name, f"{name!r} runs when the package is installed", "take the script out")
    bundle = manifest.data.get("dsh", {})
    bundle = bundle.get("bundle", {}) if isinstance(bundle, dict) else {}
    patch = bundle.get("patch") if isinstance(bundle, dict) else None
    if not isinstance(patch, str):
        yield _hit(
            manifest, "dsh", "`dsh.bundle.patch` is missing", 'add `"dsh": {"bundle": {"patch": "./cordis.patch.yml"}}`'
        )
        return
    patch = patch.removeprefix("./")
    yield from _files(subject, manifest, patch)
    if patch in subject.files:
        text = subject.files[patch].read().decode("utf-8", "replace")
        names = [match["name"] for match in _ROW.finditer(text)]
        if manifest.data.get("name") not in names:
            what = f"inserts {', '.join(names) or 'nothing'}, not the package {manifest.data.get('name')!r}"
            yield Hit(1, what, "write the package's name", path=patch)


def _files(bundle: Bundle, manifest: Manifest, patch: str) -> Iterator[Hit]:
    listed = manifest.data.get("files")
    if not isinstance(listed, list):
        return
    names = [str(item).removeprefix("./").rstrip("/*") for item in listed]
    main = str(manifest.data.get("main", "")).removeprefix("./")
    needed = [patch, *(path for path in bundle.files if path.startswith("skills/")), *([main] if main else [])]
    for path in dict.fromkeys(path if path in (patch, main) else "skills" for path in needed):
        if not any(path == name or path.startswith(f"{name}/") for name in names):
            yield _hit(manifest, "files", f"`files` leaves out {path}", f"add {path!r}")


def _hit(manifest: Manifest, key: str, what: str, repair: str) -> Hit:
    return Hit(manifest.line_of(key), what, repair, path=manifest.path)
