"""Find the templates and flavors that ship with skillgen, in a wheel or at the root of a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_root() -> Path:
    """Return the directory that holds `templates/` and `flavors/`."""
    packed = _PACKAGE / "_data"
    return packed if packed.is_dir() else _PACKAGE.parent.parent


def templates_dir() -> Path:
    return data_root() / "templates"


def flavors_dir() -> Path:
    return data_root() / "flavors"
