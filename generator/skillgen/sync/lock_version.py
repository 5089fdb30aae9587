"""Refuse the lock of a newer skillgen: what it wrote would be taken back."""

from __future__ import annotations

from skillgen import __version__
from skillgen.errors import UsageError
from skillgen.model.lock import Entry


def check_version(entry: Entry, lock: str) -> None:
    """Raise UsageError for an entry that a newer skillgen wrote."""
    if entry.skillgen == __version__ and entry.schema == 1:
        return
    from skillgen.model.contract import SCHEMA_VERSION

    if _numbers(entry.skillgen) > _numbers(__version__) or entry.schema > SCHEMA_VERSION:
        raise UsageError(
            f"{lock}: was written by skillgen {entry.skillgen}, this is {__version__}; "
            f"install that version or a newer one"
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("+")[0].split(".") if part.isdigit())
