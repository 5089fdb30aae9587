"""Keep what was published, beside the marketplace, so that the next publication knows its own files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from skillgen.errors import InputError, Problem

RECORD = "skillgen-published.json"


@dataclass(frozen=True, slots=True)
class Published:
    """One plugin as it was published last."""

    path: str
    """Directory relative to the repository's root."""
    version: str
    flavor: str
    revision: str
    skillgen: str
    contract: str
    """SHA-256 of contract.json in hex."""
    files: Mapping[str, tuple[str, int]]
    """Path below `path` -> (SHA-256 in hex, mode)."""


def read_record(data: bytes | None) -> dict[str, Published]:
    """Return plugin name -> what was published; raise InputError if the file is not ours."""
    if data is None:
        return {}
    try:
        document = json.loads(data)
        if document["schema_version"] != 1:
            raise ValueError(f"schema_version {document['schema_version']!r} is not known to this version of skillgen")
        return {
            name: Published(
                files={path: (file["sha256"], int(file["mode"], 8)) for path, file in row["files"].items()},
                **{key: str(row[key]) for key in ("path", "version", "flavor", "revision", "skillgen", "contract")},
            )
            for name, row in document["plugins"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = f"cannot be understood ({error})"
        raise InputError([Problem(RECORD, 0, 0, what, "take it back from the repository's history")]) from None


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
