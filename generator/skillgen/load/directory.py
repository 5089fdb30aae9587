"""Read a directory tree that is about to be packed or published, or say why it cannot be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from skillgen.errors import InputError, Problem
from skillgen.model.files import EXECUTABLE, PLAIN, Files, is_ignored
from skillgen.model.names import name_problem, twins

LARGEST_TREE = 64 * 1024 * 1024
"""Bytes; a bundle holds a few hundred kilobytes."""


def read_directory(root: Path) -> Files:
    """Return the files below `root`; the mode is 0o755 where the owner may execute.

    Raises InputError with every symbolic link, device, unsafe name and unreadable file.
    """
    if root.is_symlink() or not root.is_dir():
        raise InputError([Problem(str(root), 0, 0, "is not a directory")])
    files: dict[str, tuple[bytes, int]] = {}
    problems: list[Problem] = []
    size = 0
    for entry, path in _walk(root, "", problems):
        where = _shown(f"{root}/{path}")
        if wrong := name_problem(path):
            problems.append(Problem(where, 0, 0, wrong, "rename it"))
            continue
        try:
            status = entry.stat(follow_symlinks=False)
            if not stat.S_ISREG(status.st_mode):
                problems.append(Problem(where, 0, 0, f"is {_kind(status.st_mode)}", "put a regular file in its place"))
                continue
            size += status.st_size
            if size > LARGEST_TREE:
                raise InputError([Problem(str(root), 0, 0, f"holds more than {LARGEST_TREE >> 20} MiB")])
            files[path] = (Path(entry.path).read_bytes(), EXECUTABLE if status.st_mode & 0o100 else PLAIN)
        except OSError as error:
            problems.append(Problem(where, 0, 0, f"cannot be read ({error.strerror})"))
    for path, other in twins(files):
        problems.append(Problem(f"{root}/{path}", 0, 0, f"is one name with {other} where case does not count"))
    if problems:
        raise InputError(problems)
    return dict(sorted(files.items()))


def _walk(directory: Path | str, prefix: str, problems: list[Problem]) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yield every entry that is no directory, and directories whose name is wrong, without following links."""
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(_shown(str(directory)), 0, 0, f"cannot be read ({error.strerror})"))
        return
    for entry in entries:
        path = prefix + entry.name
        if is_ignored(path):
            continue
        if entry.is_dir(follow_symlinks=False) and not name_problem(path):
            yield from _walk(entry.path, path + "/", problems)
        else:
            yield entry, path


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a device, pipe or socket"


def _shown(path: str) -> str:
    """Return `path` with line feeds and undecodable bytes escaped, so that one problem stays one line."""
    return path.encode("utf-8", "backslashreplace").decode().replace("\n", "\\n").replace("\r", "\\r")
