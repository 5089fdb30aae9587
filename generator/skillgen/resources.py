"""Find the templates and flavors that ship with skillgen, in a wheel or at the root of a checkout."""

from __future__ import annotations

import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))
"""Directory of the package `skillgen`."""


def shipped(name: str) -> str:
    """Return the directory of the shipped `templates` or `flavors`."""
    packed = os.path.join(PACKAGE, "_data")
    root = packed if os.path.isdir(packed) else os.path.dirname(os.path.dirname(PACKAGE))
    return os.path.join(root, name)
