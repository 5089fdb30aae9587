"""Put a page in its place, whole or not at all."""

from __future__ import annotations

import os

from skillgen.errors import UsageError
from skillgen.pack.write import write_file


def write_page(path: str, text: str) -> None:
    """Write the text; raise UsageError where the disk refuses."""
    path = os.path.abspath(path)
    if not os.path.isdir(os.path.dirname(path)):
        raise UsageError(f"{os.path.dirname(path)}: is no directory; make it, or name another place with --out")
    write_file(path, text.encode())
