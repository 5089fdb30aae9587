"""Write changed texts back in place, byte order mark and line ends as they were."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from skillgen.model.subject import Source


def rewrite(sources: Iterable[Source]) -> None:
    """Replace each file at its path, atomically, keeping its mode."""
    for source in sources:
        path = Path(os.path.realpath(source.path))
        data = (b"\xef\xbb\xbf" if source.bom else b"") + encode(source)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(temporary).chmod(path.stat().st_mode & 0o7777)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def encode(source: Source) -> bytes:
    """Return the bytes of a text with its carriage returns put back."""
    pieces, last = [], 0
    for at in source.returns:
        pieces += [source.text[last:at], "\r"]
        last = at
    pieces.append(source.text[last:])
    return "".join(pieces).encode()
