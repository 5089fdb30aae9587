"""Hold the facts of the upstream text that a flavor was made from, as they lie beside it in `<flavor>.facts.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from skillgen.model.facts import Fact

_PROSE = frozenset({"front"})
"""Kinds whose value is the upstream's own prose; it stays where it is."""


@dataclass(frozen=True, slots=True)
class Pin:
    """Where the facts were read (package, version, path, sha256), and what they were."""

    upstream: dict[str, Any]
    facts: tuple[Fact, ...]


def kept(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the facts that a pin keeps."""
    return (fact for fact in facts if fact.kind not in _PROSE)


def dump_pin(pin: Pin) -> bytes:
    """Return the file: one fact a line, so that a diff of it reads well."""
    rows = [json.dumps(_row(fact), ensure_ascii=False) for fact in pin.facts]
    head = json.dumps(pin.upstream, ensure_ascii=False)
    return ('{"upstream": ' + head + ',\n"facts": [\n' + ",\n".join(rows) + "\n]}\n").encode()


def _row(fact: Fact) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": fact.kind, "key": fact.key, "value": fact.value, "line": fact.line}
    if fact.detail and fact.kind != "timeout":
        row["detail"] = fact.detail
    if fact.stance != "said":
        row["stance"] = fact.stance
    return row
