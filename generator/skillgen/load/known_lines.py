"""Read which lines the published texts of the products have; only digests are kept, not the texts."""

from __future__ import annotations

import os

_DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known")


def known_lines() -> frozenset[str]:
    """Return the `line_digest` of every line of every published text, whoever published it.

    A file `known/<flavor>.txt` holds those of one product, made with the names of its flavor's contract; a newer
    published text only adds lines.
    """
    found: set[str] = set()
    for name in sorted(os.listdir(_DIRECTORY)):
        if name.endswith(".txt"):
            with open(os.path.join(_DIRECTORY, name), encoding="ascii") as file:
                found.update(line for line in file.read().split() if not line.startswith("#"))
    return frozenset(found)
