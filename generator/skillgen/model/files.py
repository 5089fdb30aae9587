"""Name a tree of files held in memory."""

from __future__ import annotations

from collections.abc import Mapping

Files = Mapping[str, tuple[bytes, int]]
"""POSIX path relative to the tree's root -> (content, mode); the mode is 0o644 or 0o755."""

PLAIN = 0o644
EXECUTABLE = 0o755

IGNORED_NAMES = frozenset({"__pycache__", ".DS_Store"})
IGNORED_SUFFIXES = (".pyc",)


def is_ignored(path: str) -> bool:
    """Tell whether `path` is left behind by running or looking at a tree and never content of it."""
    return path.endswith(IGNORED_SUFFIXES) or not IGNORED_NAMES.isdisjoint(path.split("/"))
