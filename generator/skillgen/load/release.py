"""Read the records that stand beside an artifact: checksums, provenance and the list of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillgen.errors import InputError, Problem
from skillgen.load.files import read
from skillgen.model.json_text import parse_json
from skillgen.model.release import PROVENANCE, RECORD, SPDX, SUMS, Release


def read_published(path: Path, against: Path | None) -> bytes | None:
    """Return the record of a publication that tells of the tree at `path`; None where the records of a pack do.

    It lies in `against`, else at the root of the repository that holds the tree.
    """
    for directory in [against] if against else [path.resolve(), *path.resolve().parents]:
        if (directory / SUMS).is_file():
            return None
        if (directory / RECORD).is_file():
            return _read_file(directory / RECORD)
        if not against and (directory / ".git").exists():
            return None
    return None


def _read_file(path: Path) -> bytes:
    return read(str(path))


def read_release(directory: Path) -> Release:
    """Return the records of `directory`; raise InputError where one is missing or not what it should be."""
    problems: list[Problem] = []
    found: dict[str, bytes] = {}
    for name in (SUMS, PROVENANCE, SPDX):
        try:
            found[name] = read(str(directory / name))
        except InputError as error:
            repair = (
                "keep the records of `skillgen pack` beside the artifact, or name their directory, or the marketplace "
                "that `skillgen publish` wrote to, with --against"
            )
            problems.append(Problem(str(directory / name), 0, 0, error.problems[0].what, repair))
    if problems:
        raise InputError(problems)
    sums: dict[str, str] = {}
    parsed: dict[str, Any] = {}
    for name, data in found.items():
        try:
            if name == SUMS:
                sums = _sums(data)
            else:
                parsed[name] = parse_json(data)
        except ValueError as error:
            problems.append(Problem(str(directory / name), 0, 0, f"cannot be understood ({error})", "pack again"))
    if problems:
        raise InputError(problems)
    try:
        subjects = {_text(row["name"]): _text(row["digest"]["sha256"]) for row in parsed[PROVENANCE]["subject"]}
        return Release(sums, subjects, *_read_list(parsed[SPDX]), {name: found[name] for name in (PROVENANCE, SPDX)})
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, StopIteration) as error:
        what = f"its records are not those of a pack ({type(error).__name__}: {error})"
        raise InputError([Problem(str(directory), 0, 0, what, "pack again")]) from None


def _sums(data: bytes) -> dict[str, str]:
    sums: dict[str, str] = {}
    for number, line in enumerate(data.decode().splitlines(), 1):
        digest, gap, name = line[:64], line[64:66], line[66:]
        if gap not in {"  ", " *"} or not name or set(digest) - set("0123456789abcdef") or name in sums:
            raise ValueError(f"line {number} is no checksum line")
        sums[name] = digest
    return sums


def _read_list(document: Any) -> tuple[dict[str, dict[str, tuple[str, int]]], dict[str, str]]:
    """Return artifact -> path -> (digest, mode), and artifact -> digest of the archive."""
    files: dict[str, tuple[str, str, int]] = {}
    for entry in document["files"]:
        digest = _text(next(c["checksumValue"] for c in entry["checksums"] if c["algorithm"] == "SHA256"))
        path, mode = _text(entry["fileName"]).removeprefix("./"), int(entry["comment"].split()[-1], 8)
        _add_once(files, _text(entry["SPDXID"]), (path, digest, mode))
    names: dict[str, str] = {}
    for package in document["packages"]:
        _add_once(names, _text(package["SPDXID"]), _text(package["packageFileName"]))
    trees: dict[str, dict[str, tuple[str, int]]] = {name: {} for name in names.values()}
    if len(trees) != len(names):
        raise ValueError("two packages have one name")
    for relation in document["relationships"]:
        if relation["relationshipType"] == "CONTAINS":
            path, digest, mode = files[relation["relatedSpdxElement"]]
            _add_once(trees[names[relation["spdxElementId"]]], path, (digest, mode))
    digests = {
        package["packageFileName"]: _text(package["checksums"][0]["checksumValue"])
        for package in document["packages"]
        if "checksums" in package
    }
    return trees, digests


def _add_once(found: dict[str, Any], key: str, value: Any) -> None:
    # Of two that say different things the reader of one would see one, and of another the other.
    if key in found:
        raise ValueError(f"{key!r} stands there twice")
    found[key] = value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} where a string should be")
    return value
