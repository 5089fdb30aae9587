"""Tell current flavors from older revisions of theirs."""

from __future__ import annotations

import re

from skillgen.load.flavors import FlavorFiles

_HEAD = re.compile(r"(base|revision): +(\"?)([A-Za-z0-9._-]+)\2 *(?:#.*)?")


def current_flavors(files: FlavorFiles) -> list[str]:
    """Return the ids of all flavors that are no older revision, sorted.

    An older revision is named `<base>-<revision>` after the `base` and `revision` that it holds.
    """
    return [id_ for id_ in files.paths if not is_older(id_, files)]


def is_older(id_: str, files: FlavorFiles) -> bool:
    """Tell whether a flavor is an older revision of another one that is there."""
    parts = id_.split("-")
    if not any("-".join(parts[:count]) in files.paths for count in range(1, len(parts))):
        return False
    head = _head(files.data(id_))
    if head is None:
        document = files.document(id_, [])
        entries = document.mapping() if document else {}
        head = {name: node.text() for name, node in entries.items() if name in ("base", "revision")}
    return id_ == f"{head.get('base')}-{head.get('revision')}"


def _head(data: bytes) -> dict[str, str] | None:
    """Read base and revision where both are the first keys of a file, without a YAML parser; None where they are not."""
    found: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        if not line or line.startswith("#"):
            continue
        match = _HEAD.fullmatch(line)
        if match is None or match[1] in found:
            # A line that goes on with the last value would change what it means.
            return found if len(found) == 2 and not line.startswith(" ") else None
        found[match[1]] = match[3]
    return found if len(found) == 2 else None
