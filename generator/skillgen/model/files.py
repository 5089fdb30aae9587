"""Name the files that go into a rendering, come out of it, and lie in a tree held in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Files = Mapping[str, tuple[bytes, int]]
"""POSIX path relative to the tree's root -> (content, mode); the mode is 0o644 or 0o755."""

PLAIN = 0o644
EXECUTABLE = 0o755

IGNORED_NAMES = frozenset({"__pycache__", ".DS_Store"})
IGNORED_SUFFIXES = (".pyc",)


def is_ignored(path: str) -> bool:
    """Tell whether `path` is left behind by running or looking at a tree and never content of it."""
    return path.endswith(IGNORED_SUFFIXES) or not IGNORED_NAMES.isdisjoint(path.split("/"))


class TemplateFile(NamedTuple):
    """A file under `templates/`, keyed by its POSIX path there, such as `cancel/bundle/SKILL.md.j2`."""

    source: str
    """Path to show in messages."""
    data: bytes
    executable: bool
    own: bool
    """Shipped with skillgen; false for what a user's `--templates` brought."""


class RenderedFile(NamedTuple):
    """A file of a bundle, keyed by its POSIX path there; `mode` is 0o644 or 0o755."""

    data: bytes
    mode: int
