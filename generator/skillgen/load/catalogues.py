"""Read the marketplace files of a repository and the manifests of its bundles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skillgen.errors import InputError, Problem
from skillgen.hosts import known_hosts


def read_catalogues(root: Path) -> dict[str, bytes]:
    """Return path -> bytes of the marketplace files below `root`; raise InputError for one behind a link."""
    found = {}
    for path in known_hosts().catalogues:
        for place in (path, *map(str, Path(path).parents)):
            if place != "." and (root / place).is_symlink():
                what = "put a regular file or directory in its place"
                raise InputError([Problem(str(root / place), 0, 0, "is a symbolic link", what)])
        if (root / path).is_file():
            found[path] = (root / path).read_bytes()
    return found


def read_bundles(root: Path, below: str) -> list[tuple[str, dict[str, dict[str, Any]]]]:
    """Return (directory relative to `root`, manifest path -> manifest) of every bundle below, sorted by directory.

    With an empty `below` the root itself is the one bundle.

    Raises InputError for manifests that are no JSON objects with a name and a version.
    """
    problems: list[Problem] = []
    bundles = []
    if not (root / below).is_dir():
        raise InputError([Problem(str(root / below), 0, 0, "is not a directory", "run `skillgen build`")])
    lying = (
        sorted(path for path in (root / below).iterdir() if path.is_dir() and not path.is_symlink())
        if below
        else [root]
    )
    for directory in lying:
        manifests = {}
        for place in dict.fromkeys(client.place for client in known_hosts().listing):
            path = directory / place
            if path.is_file():
                try:
                    manifest = json.loads(path.read_bytes())
                    if not isinstance(manifest, dict) or not {"name", "version"} <= set(manifest):
                        raise ValueError("no object with name and version")
                    manifests[place] = manifest
                except (ValueError, RecursionError) as error:
                    problems.append(
                        Problem(str(path), 0, 0, f"cannot be used ({error})", "mend it, or run `skillgen build`")
                    )
        if manifests:
            bundles.append((f"{below}/{directory.name}" if below else "", manifests))
    if not below and not bundles:
        what = "holds no manifest of a client with marketplaces"
        problems.append(Problem(str(root), 0, 0, what, "name the directory of bundles with --dist"))
    if problems:
        raise InputError(problems)
    return bundles
