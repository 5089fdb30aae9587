"""Look at the files of a fork that concern its bundle, and at no others."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillgen.errors import UsageError, to_read
from skillgen.load.files import shown
from skillgen.load.observe import mark, observe
from skillgen.model.files import is_ignored
from skillgen.model.lock import Mark

LINKED = Mark("link", False)


def look(root: str, trees: Iterable[str], paths: Iterable[str]) -> dict[str, Mark]:
    """Return the mark of every file below `trees` and of those among `paths` that are there.

    All are POSIX and relative to `root`. What lies behind a symbolic link is marked as one; nothing is followed.
    """
    found: dict[str, Mark] = {}
    seen: set[str] = set()
    for tree in trees:
        top = os.path.join(root, tree)
        seen.add(tree + "/")
        if behind_link(root, tree):
            continue
        found |= {f"{tree}/{path}": one for path, one in observe(top).items()}
    covered = tuple(seen)
    for path in paths:
        if path in found or is_ignored(path):
            continue
        if path.startswith(covered) and not behind_link(root, path):
            continue
        one = look_at(root, path)
        if one is not None:
            found[path] = one
    return found


def look_at(root: str, path: str) -> Mark | None:
    """Return the mark of one file, None if nothing is there."""
    target = os.path.join(root, path)
    if not os.path.lexists(target):
        return None
    if behind_link(root, path):
        return LINKED
    try:
        return mark(target)
    except OSError as error:
        raise UsageError(f"{shown(target)}: cannot be read ({error.strerror})", to_read(error)) from None


def behind_link(root: str, path: str) -> bool:
    """Tell whether `path`, or a directory between `root` and it, is a symbolic link."""
    parts = path.split("/")
    return any(os.path.islink(os.path.join(root, *parts[: count + 1])) for count in range(len(parts)))
