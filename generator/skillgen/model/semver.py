"""Order semantic versions (https://semver.org, 2.0.0)."""

from __future__ import annotations

import re

_VERSION = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
    r"(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


def is_version(text: str) -> bool:
    return len(text) <= 256 and _VERSION.fullmatch(text) is not None


def version_key(text: str) -> tuple[object, ...]:
    """Return a key by which versions sort in precedence; build metadata does not count.

    Raises ValueError if `text` is no semantic version.
    """
    match = _VERSION.fullmatch(text) if len(text) <= 256 else None
    if match is None:
        raise ValueError(f"{text!r} is no semantic version; write MAJOR.MINOR.PATCH")
    release = tuple(int(match[number]) for number in (1, 2, 3))
    if match[4] is None:
        return (*release, 1)
    # A number sorts below a word, a shorter list of identifiers below a longer one that begins alike.
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in match[4].split(".")]
    return (*release, 0, tuple(parts))
