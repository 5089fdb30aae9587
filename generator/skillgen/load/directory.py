"""Read a directory tree that is about to be packed or published, or say why it cannot be."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from skillgen.errors import InputError, Problem, to_read
from skillgen.load.kept_modes import keeps_modes
from skillgen.model.files import EXECUTABLE, PLAIN, Files, is_ignored
from skillgen.model.names import name_problem, twins

LARGEST_TREE = 64 * 1024 * 1024
"""Bytes; a bundle holds a few hundred kilobytes."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A tree as it lies on a disk, with nothing passed over."""

    files: Files
    odd: tuple[tuple[str, str], ...]
    """Path and what is odd about it, for what is no file of its own: empty directories, modes that run as another."""


def read_directory(root: Path) -> Files:
    """Return the files below `root`; the mode is 0o755 where the owner may execute.

    Raises InputError with every symbolic link, device, unsafe name and unreadable file.
    """
    return _read_tree(root, is_ignored, []).files


def read_installed(root: Path, within: Callable[[str], bool] = lambda path: True) -> Installed:
    """Return everything below `root`, compiled code and empty directories too; of the modes as `read_directory` does.

    `within` tells of a path whether it is looked at, where the tree lies among files that are none of it.

    Where every file has the same execute bits, or git is told to heed none, the modes are left out (0). Raises
    InputError as `read_directory` does.
    """
    odd: list[tuple[str, str]] = []
    read = _read_tree(
        root, lambda path: path.split("/")[-1] in _OF_VIEWERS or path in _OF_CLIENTS or not within(path), odd
    )
    modes = {mode for _, mode in read.files.values()}
    if (len(modes) == 1 and len(read.files) > 1) or keeps_modes(str(root)) is False:
        return Installed({path: (data, 0) for path, (data, _) in read.files.items()}, read.odd)
    return read


def _read_tree(root: Path, skipped: Callable[[str], bool], odd: list[tuple[str, str]]) -> Installed:
    if root.is_symlink() or not root.is_dir():
        raise InputError([Problem(str(root), 0, 0, "is not a directory", "name the directory of what is installed")])
    files: dict[str, tuple[bytes, int]] = {}
    problems: list[Problem] = []
    size = 0
    for entry, path in _walk(root, "", skipped, odd, problems):
        where = _escape(f"{root}/{path}")
        if wrong := name_problem(path):
            problems.append(Problem(where, 0, 0, wrong, "rename it"))
            continue
        try:
            status = entry.stat(follow_symlinks=False)
            if not stat.S_ISREG(status.st_mode):
                problems.append(Problem(where, 0, 0, f"is {_kind(status.st_mode)}", "put a regular file in its place"))
                continue
            if special := stat.S_IMODE(status.st_mode) & 0o7000:
                odd.append((path, f"has mode {stat.S_IMODE(status.st_mode):04o}; take {special:04o} from it"))
            size += status.st_size
            if size > LARGEST_TREE:
                raise InputError(
                    [
                        Problem(
                            str(root),
                            0,
                            0,
                            f"holds more than {LARGEST_TREE >> 20} MiB",
                            "name the directory of one skill or plugin",
                        )
                    ]
                )
            files[path] = (Path(entry.path).read_bytes(), EXECUTABLE if status.st_mode & 0o100 else PLAIN)
        except OSError as error:
            problems.append(Problem(where, 0, 0, f"cannot be read ({error.strerror})", to_read(error)))
    for path, other in twins(files):
        problems.append(
            Problem(
                f"{root}/{path}", 0, 0, f"is one name with {other} where case does not count", "rename one of the two"
            )
        )
    if problems:
        raise InputError(problems)
    return Installed(dict(sorted(files.items())), tuple(odd))


_OF_VIEWERS = frozenset({".DS_Store"})
_OF_CLIENTS = frozenset({".in_use", ".orphaned_at"})
"""What Claude Code leaves at the root of what it installed: which of its sessions use it, and since when none does."""


def _walk(
    directory: Path | str,
    prefix: str,
    skipped: Callable[[str], bool],
    odd: list[tuple[str, str]],
    problems: list[Problem],
) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yield every entry that is no directory, and directories whose name is wrong, without following links."""
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(_escape(str(directory)), 0, 0, f"cannot be read ({error.strerror})", to_read(error)))
        return
    if not entries:
        odd.append((prefix.rstrip("/"), "is an empty directory, which no pack holds"))
    for entry in entries:
        path = prefix + entry.name
        if skipped(path):
            continue
        if entry.is_dir(follow_symlinks=False) and not name_problem(path):
            yield from _walk(entry.path, path + "/", skipped, odd, problems)
        else:
            yield entry, path


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a device, pipe or socket"


def _escape(path: str) -> str:
    """Return `path` with line feeds and undecodable bytes escaped, so that one problem stays one line."""
    return path.encode("utf-8", "backslashreplace").decode().replace("\n", "\\n").replace("\r", "\\r")
