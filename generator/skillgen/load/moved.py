"""Find where a fork moved its skill."""

from __future__ import annotations

import os

from skillgen.load.files import read
from skillgen.model.files import is_ignored

_SKIP = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv"})
_DEPTH = 6


def find_skill(root: str, flavor: str) -> str | None:
    """Return the directory, relative to `root`, that holds a skill with the flavor's contract; None without just one.

    Follows no link.
    """
    found = [
        path for path in _skills(root, "", {"SKILL.md", "contract.json"}) if _carries(os.path.join(root, path), flavor)
    ]
    return found[0] if len(found) == 1 else None


def find_named(root: str, name: str) -> list[str]:
    """Return every directory of that name, relative to `root`, that holds a SKILL.md."""
    return [path for path in _skills(root, "", {"SKILL.md"}) if path.split("/")[-1] == name]


def find_skills(root: str) -> list[str]:
    """Return every directory, relative to `root`, that holds a SKILL.md."""
    return list(_skills(root, "", {"SKILL.md"}))


def find_files(root: str, name: str) -> set[str]:
    """Return every regular file of that name, relative to `root`; follows no link."""
    found: set[str] = set()
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            with os.scandir(os.path.join(root, prefix)) as entries:
                listed = list(entries)
        except OSError:
            continue
        for entry in listed:
            if entry.name == name and entry.is_file(follow_symlinks=False):
                found.add(prefix + name)
            elif entry.is_dir(follow_symlinks=False) and not (entry.name in _SKIP or is_ignored(entry.name)):
                waiting += [f"{prefix}{entry.name}/"] if prefix.count("/") < _DEPTH else []
    return found


def _skills(directory: str, prefix: str, wanted: set[str]) -> list[str]:
    found = []
    try:
        with os.scandir(directory) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
    names = {entry.name for entry in listed if entry.is_file(follow_symlinks=False)}
    if prefix and wanted <= names:
        found.append(prefix.rstrip("/"))
    if prefix.count("/") < _DEPTH:
        for entry in listed:
            if entry.is_dir(follow_symlinks=False) and entry.name not in _SKIP and not is_ignored(entry.name):
                found += _skills(entry.path, f"{prefix}{entry.name}/", wanted)
    return found


def _carries(directory: str, flavor: str) -> bool:
    # Looked for as text: the contract may hold conflict markers.
    data = read(os.path.join(directory, "contract.json"))
    return f'"flavor": "{flavor}'.encode() in data[:2000]
