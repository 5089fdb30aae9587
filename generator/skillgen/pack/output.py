"""Hold an output directory: refuse what is none, keep other builds out of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from skillgen.errors import UsageError, to_write
from skillgen.model.lock import UNFINISHED
from skillgen.pack.write import remove


def check_place(directory: str, sources: Sequence[str]) -> None:
    """Raise UsageError for a directory that nobody means: the root, a home or one above it, or what is built from.

    `sources`: directories of templates and flavors that were read; a clone of skillgen counts with all that it holds.
    """
    there = os.path.realpath(directory)
    home = os.path.realpath(os.path.expanduser("~"))
    if there == os.path.dirname(there):
        raise UsageError(f"{directory}: is the root of the file system; name a directory of its own")
    if there == home or home.startswith(there + os.sep):
        raise UsageError(f"{directory}: is your home directory or one above it; name a directory of its own")
    for source in map(os.path.realpath, sources):
        clone = os.path.dirname(source)
        parts = ("generator", "templates", "flavors")
        shipped = all(os.path.isdir(os.path.join(clone, part)) for part in parts)
        inside = shipped and any(f"{there}{os.sep}".startswith(os.path.join(clone, part, "")) for part in parts)
        if there == source or inside or (shipped and there == clone):
            raise UsageError(f"{directory}: holds what bundles are built from; name a directory of its own")


def check_output(directory: str, bundles: Sequence[str], sources: Sequence[str] = ()) -> None:
    """Raise UsageError if a build may not write there; creates nothing."""
    check_place(directory, sources)
    if os.path.islink(directory):
        raise UsageError(f"{directory}: is a symbolic link; name the directory that it leads to")
    if os.path.lexists(directory) and not os.path.isdir(directory):
        raise UsageError(f"{directory}: is a file; name a directory with --out")
    for bundle in bundles:
        path = os.path.join(directory, bundle)
        check_place(path, sources)
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
        raise UsageError(
            f"{error.filename or directory}: cannot be written ({error.strerror})", to_write(error)
        ) from None
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
