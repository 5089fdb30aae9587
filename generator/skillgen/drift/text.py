"""Show how one text differs from another, line by line."""

from __future__ import annotations

from difflib import unified_diff


def text_diff(before: str, after: str, before_name: str, after_name: str) -> list[str]:
    """Return a unified diff without line ends; nothing for equal texts."""
    return list(unified_diff(before.splitlines(), after.splitlines(), before_name, after_name, lineterm=""))
