"""Write and read the SHA256SUMS file that stands beside the artifacts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_sums(files: Mapping[str, bytes]) -> bytes:
    """Return the lines that `sha256sum --check SHA256SUMS` reads, sorted by name."""
    return "".join(f"{sha256(files[name])}  {name}\n" for name in sorted(files)).encode()


def read_sums(data: bytes) -> dict[str, str]:
    """Return name -> digest; raise ValueError("line N") at the first line that is none."""
    sums: dict[str, str] = {}
    for number, line in enumerate(data.decode().splitlines(), 1):
        match = _LINE.fullmatch(line)
        if not match or match[2] in sums:
            raise ValueError(f"line {number}")
        sums[match[2]] = match[1]
    return sums
