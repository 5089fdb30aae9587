"""A bundle or skill does not fit through the upload pages.

What it checks: at most 200 files and 30 MiB in a skill, no archive inside, one SKILL.md a skill and no plugin manifest
inside one; at most 5,000 files in a bundle.

Why it matters: claude.ai and Claude Desktop refuse such a `.skill`, with a message that names only the first reason.

How to fix it: leave out what the skill does not read; unpack archives; move manifests to the bundle's root.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Bundle

CODE = "SG412"
TITLE = "over the limits of an upload"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

FILES_OF_A_SKILL = 200
BYTES_OF_A_SKILL = 30 * 1024 * 1024
FILES_OF_A_BUNDLE = 5_000
_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".skill", ".7z", ".rar", ".whl")


def check(subject: Bundle) -> Iterator[Hit]:
    if len(subject.files) > FILES_OF_A_BUNDLE:
        yield Hit(0, f"{len(subject.files)} files, {FILES_OF_A_BUNDLE} are the limit", "leave out what is not needed")
    roots = [path.removesuffix("SKILL.md") for path in subject.files if path.endswith("/SKILL.md")]
    for root in roots:
        inside = {path: file for path, file in subject.files.items() if path.startswith(root)}
        if any(root != other and root.startswith(other) for other in roots):
            yield Hit(0, "a second SKILL.md inside a skill", "move it to a skill of its own", path=f"{root}SKILL.md")
            continue
        if len(inside) > FILES_OF_A_SKILL:
            what = f"the skill holds {len(inside)} files, {FILES_OF_A_SKILL} are the limit"
            yield Hit(0, what, "leave out what it does not read", path=f"{root}SKILL.md")
        size = sum(file.size for file in inside.values())
        if size > BYTES_OF_A_SKILL:
            what = f"the skill holds {size >> 20} MiB, {BYTES_OF_A_SKILL >> 20} are the limit"
            yield Hit(0, what, "leave out what it does not read", path=f"{root}SKILL.md")
        for path in inside:
            if path.lower().endswith(_ARCHIVES):
                yield Hit(0, "an archive inside a skill", "unpack it or leave it out", path=path)
            elif path.endswith("-plugin/plugin.json"):
                yield Hit(0, "a plugin manifest inside a skill", "move it to the bundle's root", path=path)
