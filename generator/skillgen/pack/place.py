"""Write a release into its output directory, each file whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from skillgen.errors import InputError, Problem, to_write
from skillgen.model.files import Files
from skillgen.model.names import name_problem
from skillgen.model.release import SUMS


def write_release(directory: Path, release: Files) -> tuple[str, ...]:
    """Write `release`, remove what an earlier pack wrote there and this one did not; return the removed names.

    What is removed stands in the earlier SHA256SUMS; that file goes last, so that a run that was cut off is repeated.
    """
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise InputError([Problem(str(directory), 0, 0, "is in the way", "remove it or choose another --out")])
    earlier = _earlier_names(directory)
    for name in sorted(release, key=lambda name: (name == SUMS, name)):
        data, mode = release[name]
        _refuse_links(directory, name)
        write_whole(directory / name, data, mode)
    gone = tuple(sorted(name for name in earlier - set(release) if not name_problem(name)))
    for name in gone:
        _refuse_links(directory, name)
        (directory / name).unlink(missing_ok=True)
        for parent in Path(name).parents:
            if parent != Path() and (directory / parent).is_dir() and not any((directory / parent).iterdir()):
                (directory / parent).rmdir()
    return gone


def write_whole(path: Path, data: bytes, mode: int) -> None:
    """Put `data` at `path` by rename, with exactly `mode`, whatever the umask; raise InputError where that fails."""
    temporary = path.parent / f".{path.name[:100]}.{secrets.token_hex(4)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                os.fchmod(stream.fileno(), mode)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError([Problem(str(path), 0, 0, f"cannot be written ({error.strerror})", to_write(error))]) from None


def _earlier_names(directory: Path) -> set[str]:
    try:
        lines = (directory / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return set()
    return {line[66:] for line in lines if len(line) > 66}


def _refuse_links(directory: Path, name: str) -> None:
    for parent in Path(name).parents:
        if (directory / parent).is_symlink():
            raise InputError([Problem(str(directory / parent), 0, 0, "is a symbolic link", "remove it")])
