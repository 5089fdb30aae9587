"""Put a page in its place, whole or not at all."""

from __future__ import annotations

import os

from skillgen.errors import UsageError
from skillgen.pack.write import Writer


def write_page(path: str, text: str) -> None:
    """Write the text; raise UsageError where the disk refuses."""
    directory, name = os.path.split(os.path.abspath(path))
    if not os.path.isdir(directory):
        raise UsageError(f"{directory}: is no directory")
    with Writer(directory) as writer:
        writer.stage(name, text.encode(), 0o644)
        writer.commit()
