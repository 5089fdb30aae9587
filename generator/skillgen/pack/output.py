"""Hold an output directory: refuse what is none, keep other builds out of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from skillgen.errors import UsageError
from skillgen.model.lock import UNFINISHED
from skillgen.pack.write import remove


def check_output(directory: str, bundles: list[str]) -> None:
    """Raise UsageError if a build may not write there; creates nothing."""
    if os.path.islink(directory):
        raise UsageError(f"{directory}: is a symbolic link; name the directory that it leads to")
    if os.path.lexists(directory) and not os.path.isdir(directory):
        raise UsageError(f"{directory}: is a file; name a directory with --out")
    for bundle in bundles:
        path = os.path.join(directory, bundle)
        if os.path.islink(path):
            raise UsageError(f"{path}: is a symbolic link; nothing is written through it, remove it")
        if os.path.lexists(path) and not os.path.isdir(path):
            raise UsageError(f"{path}: is a file where a bundle's directory must be; remove it")


@contextmanager
def held(directory: str) -> Iterator[None]:
    """Create the directory, and let one build at a time write into it."""
    try:
        os.makedirs(directory, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{error.filename or directory}: cannot be written ({error.strerror})") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sweep(directory: str) -> None:
    """Remove what a killed build left beside the bundles; only while the directory is held."""
    for name in _list_left(directory):
        remove(directory, name)


def tidy(directory: str) -> None:
    """Remove the same where no build follows."""
    if _list_left(directory):
        with held(directory):
            sweep(directory)


def _list_left(directory: str) -> list[str]:
    names = os.listdir(directory) if os.path.isdir(directory) else []
    return [name for name in names if name.startswith(UNFINISHED)]
