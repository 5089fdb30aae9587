"""Find the forks that a path names: one fork, a directory of checkouts, or a list in a file."""

from __future__ import annotations

import os
from dataclasses import dataclass

from skillgen.errors import InputError, Problem, UsageError, to_read
from skillgen.load.files import read, shown
from skillgen.model.lock import NAME
from skillgen.model.lock_text import parse_lock
from skillgen.model.node import Node

_SKIP = frozenset({"node_modules", "dist", "build", "venv"})
_DEPTH = 3
"""How deep below a directory of checkouts a plugin root may lie."""


@dataclass(frozen=True, slots=True)
class Place:
    """The plugin root of one fork."""

    root: str
    flavor: str = ""
    """What it is to be brought to; empty for what its lock says."""


def find_forks(path: str) -> list[Place]:
    """Return the forks, sorted by path or in the file's order. Raises UsageError or InputError where there is none."""
    if os.path.isfile(path):
        return _read_listing(path)
    if not os.path.isdir(path):
        raise UsageError(
            f"{path}: is no directory of a fork, nor a list of forks; name the root of a fork, or a forks.yaml"
        )
    if os.path.lexists(os.path.join(path, NAME)):
        return [Place(path)]
    found = [Place(root) for root in _directories_below(path, 0)] or [Place(root) for root in _above(path)]
    if not found:
        what = f"{path}: there is no {NAME} in it or below"
        raise UsageError(f"{what}; for a hand-edited copy run skillgen adopt {path}")
    return found


def _above(path: str) -> list[str]:
    """Return the root, within the repository, of the fork whose skill lies at a path or below it; as the path is written."""
    where = os.path.realpath(path)
    at = os.path.dirname(where)
    while not os.path.lexists(os.path.join(where, ".git")):
        lock = os.path.join(at, NAME)
        if os.path.isfile(lock):
            inside = os.path.relpath(where, at).replace(os.sep, "/")
            skills = [entry.origin.skill or entry.usual for entry in parse_lock(shown(lock), read(lock)).values()]
            return [_written(at, path)] if any(f"{skill}/".startswith(f"{inside}/") for skill in skills) else []
        if os.path.lexists(os.path.join(at, ".git")) or os.path.dirname(at) == at:
            break
        at = os.path.dirname(at)
    return []


def _written(root: str, path: str) -> str:
    return root if os.path.isabs(path) else os.path.relpath(root, os.path.realpath("."))


def _directories_below(directory: str, depth: int) -> list[str]:
    found: list[str] = []
    try:
        with os.scandir(directory) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=depth == 0)
                and not entry.name.startswith(".")
                and entry.name not in _SKIP
            )
    except OSError as error:
        raise UsageError(f"{shown(directory)}: cannot be read ({error.strerror})", to_read(error)) from None
    for name in names:
        path = os.path.join(directory, name)
        if os.path.lexists(os.path.join(path, NAME)):
            found.append(path)
        elif depth < _DEPTH:
            found += _directories_below(path, depth + 1)
    return found


def _read_listing(path: str) -> list[Place]:
    from skillgen.model.document import parse_document

    problems: list[Problem] = []
    node = parse_document(shown(path), read(path), problems)
    items = node.mapping().get("forks") if node else None
    if node and (items is None or not items.items()):
        problems.append(node.place.problem("lists no forks", "write `forks:` and a list of paths"))
    if problems or items is None:
        raise InputError(problems)
    top = os.path.dirname(path)
    found = [_place(item, top, problems) for item in items.items()]
    if problems:
        raise InputError(problems)
    return found


def _place(item: Node, top: str, problems: list[Problem]) -> Place:
    entries = item.mapping()
    name = item.text() or (entries["path"].text() if "path" in entries else "")
    flavor = entries["flavor"].text() if "flavor" in entries else ""
    if not name or entries.keys() - {"path", "flavor"} or ("flavor" in entries and not flavor):
        problems.append(item.place.problem("is no fork", "write its path, or `path:` and `flavor:`"))
    return Place(os.path.normpath(os.path.join(top, name)), flavor)
