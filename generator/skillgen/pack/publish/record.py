"""Keep what was published, beside the marketplace, so that the next publication knows its own files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from skillgen.errors import InputError, Problem
from skillgen.model.files import EXECUTABLE, PLAIN
from skillgen.model.names import name_problem
from skillgen.model.release import RECORD, Release
from skillgen.model.semver import is_version


@dataclass(frozen=True, slots=True)
class Published:
    """One plugin as it was published last."""

    path: str
    """Directory relative to the repository's root, "" for the root itself."""
    version: str
    flavor: str
    revision: str
    skillgen: str
    contract: str
    """SHA-256 of contract.json in hex."""
    files: Mapping[str, tuple[str, int]]
    """Path below `path` -> (SHA-256 in hex, mode)."""


def read_record(data: bytes | None) -> dict[str, Published]:
    """Return plugin name -> what was published; raise InputError if the file is not ours.

    The repository may be a stranger's: what is named there is written and removed later, so a name leads nowhere else.
    """
    if data is None:
        return {}
    try:
        document = json.loads(data)
        if document["schema_version"] != 1:
            raise ValueError(f"schema_version {document['schema_version']!r} is not known to this version of skillgen")
        return {name: _published(name, row) for name, row in document["plugins"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = f"cannot be understood ({error})"
        raise InputError([Problem(RECORD, 0, 0, what, "take it back from the repository's history")]) from None


def _published(name: str, row: Mapping[str, Any]) -> Published:
    texts = {key: row[key] for key in ("path", "version", "flavor", "revision", "skillgen", "contract")}
    wrong = [key for key, value in texts.items() if not isinstance(value, str)]
    if wrong or not is_version(texts["version"]):
        raise ValueError(f"{name}: {wrong[0] if wrong else 'version'} is not what a publication writes")
    files = {}
    for path, file in row["files"].items():
        if what := place_problem(path):
            raise ValueError(f"{name}: {path!r} {what}")
        digest, mode = file["sha256"], int(file["mode"], 8)
        if mode not in (PLAIN, EXECUTABLE) or not _DIGEST.fullmatch(digest):
            raise ValueError(f"{name}: {path!r} has a digest or mode that no publication writes")
        files[path] = (digest, mode)
    if texts["path"] and (what := place_problem(texts["path"])):
        raise ValueError(f"{name}: {texts['path']!r} {what}")
    return Published(files=files, **texts)


def place_problem(path: str) -> str:
    """Return why nothing is published at a path relative to the repository's root, "" where it may be."""
    if ".git" in path.casefold().split("/"):
        return "lies in a git directory"
    return name_problem(path)


def recorded_release(record: Mapping[str, Published]) -> Release:
    """Return the record as the list of files that a directory is held against."""
    return Release({}, {}, {name: row.files for name, row in record.items()}, {}, {})


def within_bundle(record: Mapping[str, Published]) -> Callable[[str], bool]:
    """Return what tells of a path in a published tree whether it is to be looked at.

    A bundle with a directory of its own is all of it. One at the repository's root is its files, what leads to them, and
    all that lies in its skill's directories; beside it lies what is the repository's own.
    """
    if all(row.path for row in record.values()):
        return lambda path: True
    files = {path for row in record.values() if not row.path for path in row.files}
    ways = {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 2)}
    owned = tuple({"/".join(path.split("/")[:2]) + "/" for path in files if path.startswith("skills/")})
    return lambda path: path in ways or path.startswith(owned)


_DIGEST = re.compile(r"[0-9a-f]{64}")


def write_record(record: Mapping[str, Published]) -> bytes:
    plugins = {
        name: {
            "path": row.path,
            "version": row.version,
            "flavor": row.flavor,
            "revision": row.revision,
            "skillgen": row.skillgen,
            "contract": row.contract,
            "files": {
                path: {"sha256": row.files[path][0], "mode": f"{row.files[path][1]:04o}"} for path in sorted(row.files)
            },
        }
        for name, row in sorted(record.items())
    }
    return (json.dumps({"schema_version": 1, "plugins": plugins}, indent=2, ensure_ascii=False) + "\n").encode()
