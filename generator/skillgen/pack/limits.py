"""Hold an archive against what public registries and upload pages take."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from skillgen.hosts import known_hosts
from skillgen.model.files import Files

LARGEST = 10 * 1000 * 1000
"""Bytes of an archive."""
DEEPEST = 8
"""Names in the path of a file, its own counted."""
NAME = 64
DESCRIPTION = 1024
LICENCE = 100
"""Characters."""
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.A)
_FRONT = re.compile(r"---\r?\n(.*?\r?\n)---[ \t]*\r?\n", re.DOTALL)


def over_limits(size: int, files: Files) -> Iterator[tuple[str, str]]:
    """Yield (path inside the archive, "" for the archive itself, what a registry would refuse) of an archive of `size` bytes.

    Links, devices and names that climb are none of it: no such archive is opened at all.
    """
    if size > LARGEST:
        yield "", f"has {size:,} bytes, registries take {LARGEST:,}"
    for path in files:
        if path.count("/") >= DEEPEST:
            yield path, f"lies {path.count('/') + 1} names deep, registries take {DEEPEST}"
    said = list(_read_words(files))
    for path, words in said:
        yield from ((path, what) for what in _find_wrong_words(words, path))
    # A skill alone says it where it is offered.
    plugin = any(path.endswith(".json") for path, _ in said)
    licensed = any(path.lower().startswith(("license", "licence")) for path in files)
    if plugin and not licensed and not any(isinstance(words.get("license"), str) for _, words in said):
        yield "", "has no licence: neither a LICENSE file nor a `license` key"


def _read_words(files: Files) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what the archive says of itself: its manifests, and each skill's front matter."""
    for path in dict.fromkeys(known_hosts().manifests):
        if path in files:
            try:
                data = json.loads(files[path][0])
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                yield path, data
    for path in files:
        match = _FRONT.match(files[path][0].decode("utf-8", "replace")) if path.endswith("SKILL.md") else None
        if match:
            try:
                data = YAML(typ="safe").load(io.StringIO(match[1]))
            except (YAMLError, ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                yield path, data


def _find_wrong_words(words: Mapping[str, Any], path: str) -> Iterator[str]:
    name, description, licence = (words.get(key) for key in ("name", "description", "license"))
    scoped = str(name).rpartition("/")[2] if path == "package.json" else str(name)
    if not isinstance(name, str) or len(scoped) > NAME or not _NAME.fullmatch(scoped):
        yield f"says the name {str(name)[:80]!r}; registries take up to {NAME} small letters, digits and single hyphens"
    if not isinstance(description, str) or not 0 < len(description.strip()) <= DESCRIPTION:
        length = len(description) if isinstance(description, str) else 0
        yield f"has a description of {length} characters; registries take 1 to {DESCRIPTION}"
    if licence is not None and (not isinstance(licence, str) or len(licence) > LICENCE or "\n" in licence):
        yield f"has a licence that is no line of up to {LICENCE} characters"
