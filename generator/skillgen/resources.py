"""Find the templates and flavors that ship with skillgen, in a wheel or at the root of a checkout."""

from __future__ import annotations

import os
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = os.path.dirname(os.path.abspath(__file__))
"""Directory of the package `skillgen`."""


_chosen = ""
_own_templates: tuple[str, ...] = ()
_SIGNS = ("pyproject.toml", "generator/skillgen/__init__.py", "templates/cancel/skill.yaml")


def use(root: str) -> None:
    """Take templates and flavors from this clone of skillgen in place of those that came with the running one."""
    global _chosen
    _chosen = root


def take_templates(directories: Sequence[str]) -> None:
    """Take a user's own directories of templates, which may hold hosts, for what follows in this process."""
    global _own_templates
    _own_templates = tuple(directories)


def own_templates() -> tuple[str, ...]:
    """Return the user's own directories of templates; the later wins."""
    return _own_templates


def clone_around(directory: str) -> str:
    """Return the root of the clone of skillgen that a directory lies in, "" for none.

    A directory that merely has `flavors/` or `templates/` is none.
    """
    at = os.path.realpath(directory)
    while True:
        if all(os.path.isfile(os.path.join(at, sign)) for sign in _SIGNS):
            return at
        above = os.path.dirname(at)
        if above == at:
            return ""
        at = above


def shipped(name: str) -> str:
    """Return the directory of the shipped `templates` or `flavors`."""
    return os.path.join(_chosen or _own(), name)


@cache
def _own() -> str:
    """Return the directory of what this package ships, in a wheel or a checkout."""
    packed = os.path.join(PACKAGE, "_data")
    return packed if os.path.isdir(packed) else os.path.dirname(os.path.dirname(PACKAGE))
