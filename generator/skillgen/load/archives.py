"""Read a .skill or .zip archive without unpacking it; refuse the dangerous ones."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from skillgen.errors import Problem
from skillgen.hosts import known_hosts
from skillgen.load.decode import decode
from skillgen.load.kinds import COMMAND_DIRECTORIES, JUNK, kind_of
from skillgen.model.subject import File, Kind, Source, Tree

MAX_ENTRIES = 5_000
MAX_TOTAL = 64 << 20
MAX_RATIO = 200
READ_LIMIT = 1 << 20


def is_archive(path: Path) -> bool:
    """Whether the file starts like a zip, whatever its name says."""
    with path.open("rb") as stream:
        return stream.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def open_archive(path: Path, shown: str, problems: list[Problem]) -> Tree | None:
    """Return the archive as a tree, or None after adding the problem."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        problems.append(Problem(shown, 0, 0, f"not a readable archive: {error}", "fetch it again"))
        return None
    with archive:
        entries = [info for info in archive.infolist() if not info.filename.endswith("/")]
        what = _refusal(entries)
        if what:
            problems.append(Problem(shown, 0, 0, what, "pack it again without that"))
            return None
        return _tree(archive, entries, path, shown, problems)


def _refusal(entries: list[zipfile.ZipInfo]) -> str:
    if len(entries) > MAX_ENTRIES:
        return f"the archive holds {len(entries)} files, more than {MAX_ENTRIES}"
    names: set[str] = set()
    for info in entries:
        parts = info.filename.replace("\\", "/").split("/")
        if not info.filename:
            return "the archive holds an entry without a name"
        if ".." in parts or info.filename.startswith(("/", "\\")) or ":" in parts[0]:
            return f"the archive holds a path that leaves it: {info.filename!r}"
        if info.filename in names:
            return f"the archive holds {info.filename!r} twice"
        if info.flag_bits & 1:
            return f"the archive is encrypted: {info.filename!r}"
        names.add(info.filename)
    total = sum(info.file_size for info in entries)
    packed = sum(info.compress_size for info in entries) or 1
    if total > MAX_TOTAL or (total > READ_LIMIT and total / packed > MAX_RATIO):
        return f"the archive unpacks to {total >> 20} MiB from {packed >> 10} KiB; refused"
    return ""


def _tree(
    archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], path: Path, shown: str, problems: list[Problem]
) -> Tree | None:
    top = {info.filename.split("/", 1)[0] for info in entries}
    prefix = f"{next(iter(top))}/" if len(top) == 1 and all("/" in info.filename for info in entries) else ""
    files: dict[str, File] = {}
    sources: list[Source] = []
    names = {info.filename.removeprefix(prefix) for info in entries}
    roots = {name.rpartition("/")[0] for name in names if name.rpartition("/")[2] == "SKILL.md"}
    for info in sorted(entries, key=lambda entry: entry.filename):
        name = info.filename.removeprefix(prefix)
        if name.endswith(JUNK):
            continue
        mode = info.external_attr >> 16
        is_link = (mode & 0o170000) == 0o120000
        try:
            # A damaged entry is told here, and never met by a rule that reads it later.
            with archive.open(info) as stream:
                data = stream.read(READ_LIMIT + 1)
            link = data[:400].decode("utf-8", "replace") if is_link else ""
            files[name] = File(name, info.file_size, bool(mode & 0o111), _reader(path, info.filename), link, is_link)
            kind = kind_of(name)
            if kind is Kind.TEXT and name.endswith(".md") and any(name.startswith(f"{r}/" if r else "") for r in roots):
                kind = Kind.REFERENCE
            wanted = kind in (Kind.SKILL, Kind.COMMAND, Kind.REFERENCE) or (
                kind is Kind.PROMPT and COMMAND_DIRECTORIES & set(name.split("/")[:-1])
            )
            if wanted and not is_link:
                source = decode(data, info.file_size, f"{shown}/{name}", kind, problems, fixable=False)
                if source:
                    sources.append(source)
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            RuntimeError,
            EOFError,
            OSError,
            ValueError,
        ) as error:
            problems.append(
                Problem(f"{shown}/{name}", 0, 0, f"cannot be read from the archive: {error}", "pack it again")
            )
    bundle = any(name in names for name in known_hosts().signs)
    if not sources:
        problems.append(Problem(shown, 0, 0, "the archive holds no SKILL.md, command or prompt", "name one that does"))
        return None
    skill = not bundle and "SKILL.md" in names
    name = prefix.rstrip("/") or path.stem
    return Tree(shown, name, dict(sorted(files.items())), tuple(sources), bundle or not skill, skill)


def _reader(path: Path, name: str) -> Callable[[], bytes]:
    def read() -> bytes:
        with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
            return stream.read(READ_LIMIT)

    return read
