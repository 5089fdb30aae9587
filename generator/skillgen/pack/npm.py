"""Write an npm package tarball that has the same bytes on every machine."""

from __future__ import annotations

import io
import struct
import tarfile
import zlib

from skillgen.model.files import Files

_EPOCH = 499162500
"""1985-10-26T08:15:00Z, the date that npm itself gives every entry (npm-packlist, `pacote`)."""
_BLOCK = 0xFFFF


def write_tgz(files: Files) -> bytes:
    """Return a gzipped tar of `files`, sorted, below `package/` as npm and pnpm want it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as archive:
        for path in sorted(files):
            data, mode = files[path]
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size, entry.mode, entry.mtime = len(data), mode, _EPOCH
            archive.addfile(entry, io.BytesIO(data))
    return stored_gzip(buffer.getvalue())


def stored_gzip(data: bytes) -> bytes:
    """Return a gzip member of `data` in stored blocks, written by hand.

    Even level 0 of zlib cuts its blocks differently between zlib and zlib-ng.
    """
    out = bytearray(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
    blocks = [data[i : i + _BLOCK] for i in range(0, len(data), _BLOCK)] or [b""]
    for number, block in enumerate(blocks, 1):
        out += struct.pack("<BHH", number == len(blocks), len(block), len(block) ^ 0xFFFF) + block
    return bytes(out + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF))
