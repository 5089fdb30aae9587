"""Look at what lies in a bundle's directory now."""

from __future__ import annotations

import hashlib
import os
import stat

from skillgen.errors import UsageError, to_read
from skillgen.load.files import shown
from skillgen.model.files import is_ignored
from skillgen.model.lock import Mark


def observe(directory: str) -> dict[str, Mark]:
    """Return POSIX path -> mark of all that lies below a directory; nothing if there is none. Follows no link.

    Raises UsageError for what cannot be read.
    """
    found: dict[str, Mark] = {}
    if os.path.isdir(directory) and not os.path.islink(directory):
        _walk(directory, "", found)
    return found


def _walk(directory: str, prefix: str, found: dict[str, Mark]) -> None:
    try:
        with os.scandir(directory) as entries:
            listed = list(entries)
        for entry in listed:
            if is_ignored(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                _walk(entry.path, f"{prefix}{entry.name}/", found)
            else:
                found[prefix + entry.name] = mark(entry.path)
    except OSError as error:
        raise UsageError(
            f"{shown(str(error.filename or directory))}: cannot be read ({error.strerror})", to_read(error)
        ) from None


def mark(path: str) -> Mark:
    """Return the mark of what is there; follows no link. Raises OSError for what cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        # A link or a socket cannot be opened so; anything else that fails, fails again.
        if os.path.islink(path):
            return Mark("link", False)
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return Mark("special", False)
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Mark("special", False)
        first = os.read(descriptor, status.st_size + 1)
        digest = hashlib.sha256(first)
        if len(first) != status.st_size:
            # It was read in parts, or is growing; else its end is known without a second read.
            while block := os.read(descriptor, 1 << 20):
                digest.update(block)
    finally:
        os.close(descriptor)
    return Mark(digest.hexdigest(), bool(status.st_mode & stat.S_IXUSR))
