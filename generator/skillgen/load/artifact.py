"""Read a plugin zip, a `.skill` or an npm tarball without unpacking it."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skillgen.errors import InputError, Problem, to_read
from skillgen.model.files import Files
from skillgen.model.names import name_problem, twins

LARGEST = 64 * 1024 * 1024
"""Bytes that an archive may unpack to."""

_DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error, EOFError),
    *(NotImplementedError, OSError, RuntimeError, ValueError, LookupError),
)
"""What the readers of the standard library raise on damaged input."""


class Entry(NamedTuple):
    name: str
    size: int
    mode: int
    kind: str
    data: bytes


def read_file(file: Path) -> bytes:
    """Return the bytes of an archive; raise InputError if it is no regular file, cannot be read or is too large."""
    try:
        if not file.is_file():
            raise InputError([Problem(str(file), 0, 0, "is no regular file", "name an archive")])
        if file.stat().st_size > 2 * LARGEST:
            raise InputError(
                [
                    Problem(
                        str(file),
                        0,
                        0,
                        f"is larger than {2 * LARGEST >> 20} MiB",
                        "name an archive of one skill or plugin",
                    )
                ]
            )
        return file.read_bytes()
    except OSError as error:
        raise InputError([Problem(str(file), 0, 0, f"cannot be read ({error.strerror})", to_read(error))]) from None


def read_archive(path: str, data: bytes) -> Files:
    """Return the files of an archive, its one top directory (`package/`, the skill's name) taken off.

    The modes are those of the entries, all twelve bits, so that no odd one hides.

    Raises InputError for what no unpacker should be given: names that climb or are absolute, links, devices, two
    entries of one name, encrypted or damaged entries, more than 64 MiB.
    """
    problems: list[Problem] = []
    files: dict[str, tuple[bytes, int]] = {}
    total = 0
    try:
        for entry in _zip(data) if data[:2] == b"PK" else _tar(data):
            wrong = name_problem(entry.name) or entry.kind
            total += entry.size
            if total > LARGEST:
                raise InputError(
                    [Problem(path, 0, 0, f"unpacks to more than {LARGEST >> 20} MiB", "pack less into it")]
                )
            if not wrong and entry.name in files:
                wrong = "stands in the archive twice"
            if wrong:
                problems.append(
                    Problem(path, 0, 0, f"entry {entry.name!r} {wrong}", "pack it again without that entry")
                )
            else:
                files[entry.name] = (entry.data, entry.mode & 0o7777)
    except _DAMAGE as error:
        raise InputError([Problem(path, 0, 0, f"is no readable archive ({error})", "fetch it again")]) from None
    for name, other in twins(files):
        problems.append(
            Problem(
                path,
                0,
                0,
                f"entry {name!r} is one name with {other!r} where case does not count",
                "rename one of the two",
            )
        )
    if problems:
        raise InputError(problems)
    return _without_top(files)


def _zip(data: bytes) -> Iterator[Entry]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            # `orig_filename` is what stands in the archive; `filename` has been cut at a NUL already.
            name = info.orig_filename
            mode = info.external_attr >> 16
            if name.endswith("/"):
                if wrong := name_problem(name):
                    yield Entry(name, 0, 0, wrong, b"")
                continue
            kind = "is encrypted" if info.flag_bits & 1 else ""
            if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
                kind = "is a link or device"
            if info.file_size > LARGEST:
                kind = "is too large"
            # A wrong CRC must not hide which file differs; the caller compares SHA-256.
            info.CRC = None  # type: ignore[assignment]
            yield Entry(name, info.file_size, mode, kind, b"" if kind else archive.read(info))


def _tar(data: bytes) -> Iterator[Entry]:
    with gzip.open(io.BytesIO(data)) as stream:
        plain = stream.read(LARGEST + 1)
    if len(plain) > LARGEST:
        raise tarfile.TarError(f"unpacks to more than {LARGEST >> 20} MiB")
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
        for member in archive:
            if member.isdir():
                if wrong := name_problem(member.name):
                    yield Entry(member.name, 0, 0, wrong, b"")
                continue
            kind = "" if member.isreg() else "is a link or device"
            content = archive.extractfile(member) if not kind else None
            yield Entry(member.name, member.size, member.mode, kind, content.read() if content else b"")


def _without_top(files: dict[str, tuple[bytes, int]]) -> Files:
    tops = {name.partition("/")[0] for name in files}
    if len(tops) == 1 and all("/" in name for name in files):
        files = {name.partition("/")[2]: file for name, file in files.items()}
    return dict(sorted(files.items()))
