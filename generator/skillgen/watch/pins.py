"""Keep the facts of the upstream text that a flavor was made from, and hold a newer release against them."""

from __future__ import annotations

import hashlib
import os.path
from pathlib import Path

from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.files import read as read_file
from skillgen.load.files import shown
from skillgen.load.flavors import FACTS
from skillgen.load.package import Package
from skillgen.model.facts import KINDS, Fact
from skillgen.model.json_text import parse_json
from skillgen.model.pin import Pin, kept
from skillgen.watch.compare import Reading
from skillgen.watch.moves import Move, moves, spoken
from skillgen.watch.releases import product_of, version_of


def pin_path(flavor: str, flavors: dict[str, str]) -> str:
    """Return the path of the facts beside a flavor's file."""
    return str(Path(flavors[flavor]).with_name(flavor + FACTS))


def make_pin(package: Package, reading: Reading) -> Pin:
    """Return the pin of a release."""
    data = package.files[reading.path].data or b""
    upstream = {
        "package": product_of(package),
        "version": version_of(package),
        "path": reading.path,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    return Pin(upstream, tuple(kept(spoken(reading.facts))))


def load(path: str) -> Pin:
    """Return the pin that a file holds; raise UsageError where there is none, InputError for a broken one."""
    if not os.path.lexists(path):
        raise UsageError(f"{shown(path)} is not there; write it with: skillgen watch --pin PACKAGE --flavor ID")
    try:
        found = parse_json(read_file(path))
        facts = tuple(
            Fact(
                row["kind"],
                row["key"],
                row["value"],
                int(row["line"]),
                row.get("detail", ""),
                stance=row.get("stance", "said"),
            )
            for row in found["facts"]
        )
        upstream = {str(key): str(value) for key, value in found["upstream"].items()}
        if not all(isinstance(word, str) for fact in facts for word in (fact.key, fact.value, fact.detail)):
            raise ValueError("a key, value or detail is no text")
        if any(fact.kind not in KINDS for fact in facts):
            raise ValueError("it holds a kind of fact that this skillgen does not know")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        repair = "write it anew with: skillgen watch --pin PACKAGE --flavor ID"
        raise InputError([Problem(shown(path), 0, 0, f"is no file of facts ({error})", repair)]) from None
    return Pin(upstream, facts)


def moved_since(pin: Pin, reading: Reading) -> list[Move]:
    """Return what moved between the pinned facts and a newer text."""
    return moves(pin.facts, kept(spoken(reading.facts)))
