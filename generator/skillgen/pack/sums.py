"""Write the SHA256SUMS file that stands beside the artifacts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_sums(files: Mapping[str, bytes]) -> bytes:
    """Return the lines that `sha256sum --check SHA256SUMS` reads, sorted by name."""
    return "".join(f"{sha256(files[name])}  {name}\n" for name in sorted(files)).encode()
