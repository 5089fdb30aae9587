"""Write a zip archive that has the same bytes on every machine."""

from __future__ import annotations

import io
import zipfile

from skillgen.model.files import Files

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest date that a zip can hold."""
_UNIX = 3


def write_zip(files: Files, top: str = "") -> bytes:
    """Return a zip of `files`, sorted, below the directory `top` if one is given.

    Entries are stored: deflate output differs between zlib builds, and Claude Code, Copilot and claude.ai read both.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(files):
            data, mode = files[path]
            entry = zipfile.ZipInfo(f"{top}/{path}" if top else path, _EPOCH)
            entry.create_system = _UNIX
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
