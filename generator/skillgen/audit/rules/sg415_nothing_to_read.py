"""A bundle says too little about itself.

What it checks: a README.md of at least 40 words at the root, a LICENSE file or a `license` in the manifest, and a
description of at most 1,024 characters.

Why it matters: the plugin directory of Claude Code refuses a submission without them, and Copilot CLI a longer
description.

How to fix it: write what the plugin does and how it is installed; add the licence.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import plugin_manifests
from skillgen.audit.tree import Bundle

CODE = "SG415"
TITLE = "bundle says too little about itself"
SEVERITY = Severity.NOTE
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

WORDS = 40
DESCRIPTION = 1024


def check(subject: Bundle) -> Iterator[Hit]:
    manifests = list(plugin_manifests(subject))
    readme = next((path for path in subject.files if path.lower() == "readme.md"), "")
    if not readme:
        yield Hit(0, "no README.md at the root", "write one of at least 40 words", path="README.md")
    elif len(subject.files[readme].read().decode("utf-8", "replace").split()) < WORDS:
        yield Hit(0, "fewer than 40 words", "say what it does and how it is installed", path=readme)
    licensed = any(path.lower().startswith(("license", "licence", "copying")) for path in subject.files)
    if not licensed and not any(isinstance(manifest.data.get("license"), str) for manifest in manifests):
        yield Hit(0, "no licence", "add a LICENSE file and a `license` key", path="LICENSE")
    for manifest in manifests:
        text = manifest.data.get("description")
        line = manifest.line_of("description")
        if not isinstance(text, str) or not text.strip():
            yield Hit(line, "the manifest has no description", "write one sentence", path=manifest.path)
        elif len(text) > DESCRIPTION:
            yield Hit(
                line,
                f"the description has {len(text)} characters, {DESCRIPTION} are the limit",
                "shorten it",
                path=manifest.path,
                severity=Severity.ERROR,
            )
