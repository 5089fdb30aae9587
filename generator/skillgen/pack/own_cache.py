"""Keep files in the user's own cache directory, and read back only what nobody else could have written."""

from __future__ import annotations

import os
import stat

from skillgen.errors import SkillgenError
from skillgen.pack.write import Writer


def cache_directory() -> str:
    """Return the directory of skillgen's caches, '' where the environment names none that can be meant."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "skillgen") if os.path.isabs(base) else ""


def read_own(name: str) -> bytes:
    """Return what a file of the cache holds; nothing where it is not there, not the user's own, or others may write it."""
    directory = cache_directory()
    path = os.path.join(directory, name)
    try:
        for mine in (directory, path):
            status = os.lstat(mine)
            # It is run, or decides what is said: nobody else may have written it.
            if status.st_uid != os.geteuid() or stat.S_ISLNK(status.st_mode) or status.st_mode & 0o022:
                return b""
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def write_own(name: str, data: bytes, kept: int) -> None:
    """Put a file into the cache, for the user alone, and of those with the same beginning keep only the newest `kept`."""
    directory = cache_directory()
    if not directory:
        return
    try:
        os.makedirs(os.path.dirname(directory), exist_ok=True)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        with Writer(directory) as writer:
            writer.stage(name, data, 0o600)
            writer.commit()
        opens = name.partition("-")[0] + "-"
        paths = [os.path.join(directory, entry) for entry in os.listdir(directory) if entry.startswith(opens)]
        for path in sorted(paths, key=os.path.getmtime)[:-kept]:
            os.unlink(path)
    except (OSError, SkillgenError):
        return
