"""A skill of the bundle, or a tool of it, is called by another plugin's name than the manifest gives.

What it checks: in a bundle with a plugin manifest, commands of the form `/plugin:skill` or `$plugin:skill` for a skill that
the bundle holds, and tools that the host names after the plugin (`mcp__plugin_NAME_server__tool`). The name has to be the
manifest's, or that of the product's own plugin where the skill's contract says that it stands beside it.

Why it matters: the host builds both from the manifest's name, so after a renaming the old ones reach nothing, or another
plugin that is installed too.

How to fix it: write the manifest's name, or build the bundle again from a flavor with the new one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.identity import NO_PLUGIN
from skillgen.audit.language import forbidden, gives_credit
from skillgen.audit.manifests import is_package, plugin_manifests
from skillgen.audit.text import Text
from skillgen.audit.tree import Bundle
from skillgen.hosts import known_hosts

CODE = "SG610"
TITLE = "called by another name than the manifest gives"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

_COMMAND = re.compile(r"(?<![\w/.])[/$]([a-z][\w-]*):([a-z][\w-]*)", re.A)


@lru_cache
def _tools(form: str) -> re.Pattern[str]:
    """Return what finds the tools of a plugin, as the host calls them."""
    pattern = re.escape(form).replace(r"\{plugin\}", r"([A-Za-z0-9.-]+)").replace(r"\{server\}", r"[A-Za-z0-9.-]+")
    return re.compile(r"(?<!\w)" + pattern.replace(r"\{tool\}", r"\w"), re.A)


def check(subject: Bundle) -> Iterator[Hit]:
    manifests = [manifest for manifest in plugin_manifests(subject) if not is_package(manifest.host)]
    names = {manifest.data["name"] for manifest in manifests if isinstance(manifest.data.get("name"), str)}
    if not names:
        return
    skills = {skill.name for skill in subject.skills}
    forms = {form for manifest in manifests if (form := known_hosts()[manifest.host].tools)}
    for text in subject.texts:
        allowed = names | _read_product_plugin(text)
        mine = sorted(names)[0]
        for number, match in scan(text, _COMMAND):
            if match[2] in skills and match[1] not in allowed and match[1] not in NO_PLUGIN:
                yield from _hit(
                    text, number, match, f"{match[0]} does not reach this skill: the manifest says {mine!r}"
                )
        for form in forms:
            for number, match in scan(text, _tools(form)):
                if match[1] not in allowed:
                    yield from _hit(
                        text, number, match, f"a tool of the plugin {match[1]!r}: the manifest says {mine!r}"
                    )


def _read_product_plugin(text: Text) -> set[str]:
    """Return the name of the product's own plugin, where the skill's contract names one."""
    if text.skill is None or "contract.json" not in text.skill.files:
        return set()
    try:
        product = json.loads(text.skill.files["contract.json"].read())["product"]["plugin"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return set()
    return {product} if isinstance(product, str) and product else set()


def _hit(text: Text, number: int, match: re.Match[str], what: str) -> Iterator[Hit]:
    line = text.lines[number - 1]
    if forbidden(line, match.start(), match.end()) or gives_credit(line):
        return
    assert text.bundle is not None
    path = text.path.removeprefix(f"{text.bundle.root}/")
    yield Hit(number, what, "write the manifest's name", match.start() + 1, match.end() + 1, path=path)
