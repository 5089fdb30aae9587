"""See through what editors and git change in a file without meaning it: line ends, final newline, byte order mark."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with line feeds only, and how to write it back as it was."""

    data: bytes
    crlf: bool = False
    bom: bool = False

    def unfold(self, data: bytes) -> bytes:
        """Return other text in this one's form."""
        if self.crlf:
            data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        return BOM + data if self.bom and not data.startswith(BOM) else data


def fold(data: bytes) -> Folded:
    """Return the text with line feeds only; binary data stays as it is."""
    if b"\0" in data:
        return Folded(data)
    bom = data.startswith(BOM)
    text = data[3:] if bom else data
    pairs = text.count(b"\r\n")
    # A file with both kinds is in the form that most of its lines have.
    return Folded(text.replace(b"\r\n", b"\n"), crlf=pairs * 2 > text.count(b"\n"), bom=bom)


def forms(data: bytes) -> dict[str, str]:
    """Return digest -> words for everything that this file is but for its form; no words for the file itself."""
    folded = fold(data)
    words = [word for word, there in (("CRLF line ends", folded.crlf), ("a byte order mark", folded.bom)) if there]
    if not words and folded.data != data:
        words = ["mixed line ends"]
    said = "has " + " and ".join(words) if words else ""
    bare = folded.data.rstrip(b"\n")
    final = "only the final newline differs"
    found = {_digest(bare + b"\n"): final, _digest(bare): final}
    found = {digest: f"{said}, and {final}" if said else final for digest, final in found.items()}
    found[_digest(folded.data)] = said
    found[_digest(data)] = ""
    return found


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
