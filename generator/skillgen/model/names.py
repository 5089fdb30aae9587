"""Tell which file names no archive may hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

LONGEST_PATH = 240
"""Bytes of a whole path: below the 255 of a tar header, with room for a top directory."""

_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


def name_problem(path: str) -> str:
    """Return what is wrong with one POSIX path of an archive or bundle, "" if nothing is.

    A name must mean the same file below the root on every file system that unpacks it.
    """
    parts = path.rstrip("/").split("/")
    if path.startswith("/") or (len(path) > 1 and path[1] == ":"):
        return "is an absolute path"
    if ".." in parts:
        return "climbs out of its directory with '..'"
    if "\\" in path:
        return "holds a backslash, which is a separator elsewhere"
    if any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in path):
        return "holds a line feed, control or invisible character"
    if not path or any(part in {"", "."} for part in parts):
        return "has an empty part"
    if len(path.encode()) > LONGEST_PATH:
        return f"is {len(path.encode())} bytes long, {LONGEST_PATH} are the limit"
    for part in parts:
        if part.split(".")[0].lower() in _RESERVED or part.endswith((".", " ")) or any(c in '<>:"|?*' for c in part):
            return "cannot be a file name on Windows"
    return ""


def twins(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (path, earlier path) where two names are one on a file system that folds case or Unicode forms.

    Directories count as well: `A/x` and `a/y` end in one directory there.
    """
    seen: dict[str, str] = {}
    for path in sorted(set(paths)):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            name = "/".join(parts[:depth])
            folded = unicodedata.normalize("NFC", name).casefold()
            if seen.setdefault(folded, name) != name:
                yield path, seen[folded]
                break


def is_web_address(text: str) -> bool:
    """Tell whether a text is an http or https address with a host, without blanks or control characters."""
    from urllib.parse import urlsplit

    if any(character.isspace() or ord(character) < 32 for character in text):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
