"""Read a file's bytes, or say why it cannot be read."""

from __future__ import annotations

import os
import stat

from skillgen.errors import InputError, Problem, to_read
from skillgen.model.visible import escaped


def shown(path: str) -> str:
    """Return a path as a message should show it: relative where it lies below the current directory, on one line."""
    return escaped(relative(path))


def relative(path: str) -> str:
    """Return a path relative to the current directory where it lies below that, else whole."""
    full = os.path.abspath(path)
    here = os.getcwd()
    return full[len(here) + 1 :] if full.startswith(here + os.sep) else full


def read(path: str, most: int = -1) -> bytes:
    """Return the bytes of a regular file, no more than `most` if that is given; raise InputError for anything else."""
    try:
        # Opened without blocking, so that a named pipe cannot hold the command.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InputError([Problem(shown(path), 0, 0, "is not a regular file", "put a file there")])
            return file.read(most)
    except OSError as error:
        raise InputError([Problem(shown(path), 0, 0, f"cannot be read ({error.strerror})", to_read(error))]) from None
