"""Tell which paths a bundle can have, for what is rendered and for what a lock says was rendered."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from skillgen.model.lock import NAME, UNFINISHED
from skillgen.model.names import name_problem, twins

_PLAIN = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*(?:/[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)*", re.A
)
_GIT = re.compile(r"\.git|git~[0-9]+", re.IGNORECASE)
"""A git directory's name, and the short one that Windows gives it."""
ATTRIBUTES = ".gitattributes"
"""The one hidden file that a skill's directory has."""
_TOPS = frozenset({"skills", "lib", "agents", "commands", "hooks", "assets", "references", "scripts", "rules"})


# Bundles have most of their paths in common, and a lock names those of all.
@lru_cache(maxsize=1 << 12)
def place_problem(path: str) -> str:
    """Return why no skillgen could have rendered a file with this POSIX path, "" if one could.

    A bundle has files at its root and in the directories that hosts load from; hidden ones are those of manifests
    (`.claude-plugin/`, `.github/plugin/`), and `.gitattributes` in a skill's directory.
    """
    if not _PLAIN.fullmatch(path) and (wrong := name_problem(path)):
        return wrong
    parts = path.split("/")
    if any(_GIT.fullmatch(part) for part in parts):
        return "lies in a git directory"
    if path.casefold() == NAME or parts[-1].startswith(UNFINISHED):
        return "is a file that skillgen keeps for itself"
    hidden = [part for part in parts if part.startswith(".")]
    if hidden:
        manifest = parts[0] == hidden[0] and (parts[0].endswith("plugin") or parts[1:2] in (["plugin"], ["plugins"]))
        attributes = parts[-1] == ATTRIBUTES and parts[0] == "skills" and len(parts) == 3
        if len(hidden) > 1 or not ((manifest and len(parts) > 1) or attributes):
            return "is hidden and neither a manifest nor a skill's .gitattributes"
    elif len(parts) > 1 and parts[0] not in _TOPS:
        return f"lies in {parts[0]}/, which is no directory of a bundle"
    return ""


def one_name(paths: Collection[str]) -> str:
    """Return a path that is one file with another where case does not count, "" if there is none."""
    # Nearly always all are plain: then only their lower case counts.
    if len({path.lower() for path in paths}) == len(paths) and all(map(_PLAIN.fullmatch, paths)):
        tops = {path[:at] for path in paths for at, char in enumerate(path) if char == "/"}
        if len({top.lower() for top in tops}) == len(tops):
            return ""
    return next((path for path, _ in twins(paths)), "")
