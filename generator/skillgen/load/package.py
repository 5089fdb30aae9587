"""Read a release of a product without unpacking it: a text, a directory, an npm .tgz, a zip, or a git revision."""

from __future__ import annotations

import hashlib
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from skillgen.errors import UsageError, to_read
from skillgen.load.files import shown
from skillgen.load.git import contents, git

MOST_FILES = 50_000
MOST_BYTES = 1 << 30
"""Of all files of a release, unpacked."""
KEPT = 1 << 20
"""Bytes of one file that are kept; of a larger one only the digest is known."""
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv"})
_READ = (".md", ".mdc", ".toml", ".json", ".yaml", ".yml", ".js", ".mjs", ".cjs", ".ts", ".sh", ".py", ".ps1")
"""Ends of the files whose bytes are kept, since they may hold facts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: the digest of its bytes, and these where they are kept (None where not)."""

    digest: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Package:
    """One release as it was read; paths are POSIX and relative to its root (npm's own `package/` is taken off)."""

    name: str
    """As the user named it."""
    files: Mapping[str, Entry]
    alone: bool
    """Whether it is one text and nothing around it."""

    def text(self, path: str) -> str:
        data = self.files[path].data or b""
        return data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def open_package(name: str) -> Package:
    """Return the release; raise UsageError in one line for what is none, or cannot be read safely.

    `REPO@REV:path` names a file or directory of a commit; git is asked for objects only and runs nothing of the repository.
    """
    if os.path.isdir(name):
        return Package(name, dict(_limit(name, _directory(name))), False)
    if os.path.lexists(name):
        return _file(name)
    repository, at, rest = name.rpartition("@")
    revision, colon, path = rest.partition(":")
    if at and colon and os.path.isdir(repository):
        return _revision(name, repository, revision, path.strip("/"))
    raise UsageError(f"{name}: no such file, directory or revision; a revision is written REPOSITORY@REVISION:PATH")


def _file(name: str) -> Package:
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{shown(name)}: is not a regular file; name a file, a directory or an archive")
            head = file.read(4)
    except OSError as error:
        raise UsageError(f"{shown(name)}: cannot be read ({error.strerror})", to_read(error)) from None
    if head[:2] == b"\x1f\x8b":
        return Package(name, dict(_limit(name, _tar(name))), False)
    if head in (b"PK\x03\x04", b"PK\x05\x06"):
        return Package(name, dict(_limit(name, _zip(name))), False)
    with open(name, "rb") as file:
        data = file.read(KEPT + 1)
    if len(data) > KEPT:
        raise UsageError(
            f"{shown(name)}: is larger than {KEPT >> 20} MiB and no archive that is known; name a .tgz or .zip, or a directory"
        )
    if b"\0" in data:
        raise UsageError(f"{shown(name)}: is binary, and no archive that is known; name a .tgz or .zip, or a directory")
    return Package(name, {os.path.basename(name): Entry(_digest(data), data)}, True)


Found = tuple[str, int, Callable[[], bytes]]
"""Path, size, and what gives the bytes."""


def _limit(name: str, found: Iterator[Found]) -> Iterator[tuple[str, Entry]]:
    seen: set[str] = set()
    total = 0
    for path, size, read in found:
        parts = path.replace("\\", "/").split("/")
        if path.startswith("/") or ".." in parts or ":" in parts[0] or "\0" in path:
            raise UsageError(
                f"{shown(name)}: holds a path that leaves it: {path!r}; take the package from its registry again"
            )
        if path in seen:
            raise UsageError(f"{shown(name)}: holds {path!r} twice; take the package from its registry again")
        seen.add(path)
        total += size
        if len(seen) > MOST_FILES or total > MOST_BYTES:
            raise UsageError(
                f"{shown(name)}: holds more than {MOST_FILES} files or {MOST_BYTES >> 30} GiB; name the directory of the product in it"
            )
        data = read()
        yield path, Entry(_digest(data), data if len(data) <= KEPT and path.endswith(_READ) else None)


def _directory(top: str) -> Iterator[Found]:
    for directory, names, files in os.walk(top):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(files):
            path = os.path.join(directory, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode):
                yield os.path.relpath(path, top).replace(os.sep, "/"), status.st_size, lambda path=path: _bytes(path)  # type: ignore[misc]


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"{shown(path)}: cannot be read ({error.strerror})", to_read(error)) from None


def _tar(name: str) -> Iterator[Found]:
    try:
        with tarfile.open(name, "r|gz") as archive:
            for member in archive:
                if not member.isreg():
                    continue
                stream = archive.extractfile(member)
                # npm packs everything below `package/`.
                path = member.name.removeprefix("./").removeprefix("package/")
                yield path, member.size, lambda stream=stream: stream.read() if stream else b""  # type: ignore[misc]
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise UsageError(f"{shown(name)}: no readable archive ({error}); fetch it again") from None


def _zip(name: str) -> Iterator[Found]:
    try:
        with zipfile.ZipFile(name) as archive:
            for info in archive.infolist():
                if info.filename.endswith("/") or stat.S_ISLNK(info.external_attr >> 16):
                    continue
                if info.file_size > (1 << 20) and info.file_size > 200 * max(info.compress_size, 1):
                    raise UsageError(
                        f"{shown(name)}: {info.filename!r} unpacks to {info.file_size >> 20} MiB; take the package from its registry again"
                    )
                yield info.filename, info.file_size, lambda info=info: archive.read(info)  # type: ignore[misc]
    except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, NotImplementedError) as error:
        raise UsageError(f"{shown(name)}: no readable archive ({error}); fetch it again") from None


def _revision(name: str, repository: str, revision: str, path: str) -> Package:
    if (
        revision.startswith("-")
        or git(["rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], repository) is None
    ):
        raise UsageError(
            f"{name}: {shown(repository)} has no revision {revision}; `git -C {shown(repository)} log --oneline` shows those that are there"
        )
    spec = [path] if path else []
    rows = (git(["ls-tree", "-r", "-z", "--full-tree", revision, "--", *spec], repository) or b"").split(b"\0")
    parsed = [(head.split(), os.fsdecode(file)) for head, tab, file in (row.partition(b"\t") for row in rows) if tab]
    found = [(file, head[2]) for head, file in parsed if head[0] in (b"100644", b"100755")]
    if not found:
        raise UsageError(
            f"{name}: the revision holds nothing at {path or 'its root'}; `git -C {shown(repository)} ls-tree -r --name-only {revision}` shows what it holds"
        )
    read = dict(zip((blob for _, blob in found), contents(repository, [blob for _, blob in found]), strict=False))
    files: dict[str, Entry] = {}
    for file, name_of_blob in found:
        data = read.get(name_of_blob, b"")
        inside = file.removeprefix(path).lstrip("/") or os.path.basename(file)
        files[inside] = Entry(_digest(data), data if len(data) <= KEPT and inside.endswith(_READ) else None)
    return Package(name, files, len(found) == 1 and found[0][0] == path)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
