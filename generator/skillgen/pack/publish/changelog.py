"""Write the changelog that users of a published plugin read."""

from __future__ import annotations

from collections.abc import Sequence

from skillgen.model.visible import escaped

CHANGELOG = "CHANGELOG.md"


def add_version(earlier: str, plugin: str, version: str, items: Sequence[str]) -> str:
    """Return the changelog with a section for `version` on top; `earlier` is the published text or ""."""
    title = f"# Changelog of {plugin}\n"
    lines = [f"- {escaped(item)}" for item in items] or ["- Text only: the contract is as it was."]
    section = f"\n## {version}\n\n" + "\n".join(lines) + "\n"
    rest = earlier.removeprefix(title) if earlier.startswith(title) else ""
    return title + section + rest
