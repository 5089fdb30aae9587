"""Keep what a conform run came to beside the flavor, so that others can see it without the program."""

from __future__ import annotations

import json
import os.path
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from skillgen.conform.verdict import LAWS, State, cell
from skillgen.errors import InputError, Problem
from skillgen.load.files import read, shown
from skillgen.load.flavors import PROVEN
from skillgen.model.base import Model, Said, Text

if TYPE_CHECKING:
    from skillgen.conform.run import Conformance


class Reason(Model):
    """Why laws were not proven, or broken, for some modes."""

    modes: tuple[Text, ...]
    laws: tuple[Said, ...]
    state: State
    why: Text


class Proof(Model):
    """`<flavor>.proven.json`: the last run of `skillgen conform` that was recorded."""

    program: Said
    version: Said
    barred: bool
    parts: tuple[Said, ...]
    missing: tuple[Said, ...]
    table: dict[str, dict[str, State]]
    """Mode ("" for the product as a whole) -> law -> what it came to."""
    reasons: tuple[Reason, ...]


def proof_of(found: Conformance) -> Proof:
    """Return what a run came to, without times and places."""
    modes = list(dict.fromkeys(verdict.mode for verdict in found.verdicts))
    table: dict[str, dict[str, State]] = {}
    for mode in modes:
        of_mode = [verdict for verdict in found.verdicts if verdict.mode == mode]
        cells = {law: cell(verdict for verdict in of_mode if verdict.law == law) for law in LAWS}
        table[mode] = {law: state for law, state in cells.items() if state is not None}
    together: dict[tuple[State, str], list[tuple[str, str]]] = {}
    for verdict in found.verdicts:
        if verdict.state != "proven":
            together.setdefault((verdict.state, verdict.why), []).append((verdict.mode, verdict.law))
    reasons = tuple(
        Reason(
            modes=tuple(dict.fromkeys(mode for mode, _ in places)),
            laws=tuple(dict.fromkeys(law for _, law in places)),
            state=state,
            why=why,
        )
        for (state, why), places in together.items()
    )
    return Proof(
        program=found.program,
        version=found.version,
        barred=found.barred,
        parts=found.parts,
        missing=found.missing,
        table=table,
        reasons=reasons,
    )


def proof_path(flavor: str, path: str) -> str:
    """Return where the record of the flavor in the file `path` lies."""
    return str(Path(path).with_name(flavor + PROVEN))


def dump(proof: Proof) -> bytes:
    return (json.dumps(proof.model_dump(), indent=1, ensure_ascii=False) + "\n").encode()


def load_proof(flavor: str, path: str) -> Proof | None:
    """Return the record beside the flavor, or None where there is none; raise InputError for a broken one."""
    beside = proof_path(flavor, path)
    if not os.path.lexists(beside):
        return None
    try:
        return Proof.model_validate_json(read(beside))
    except ValidationError as error:
        what = f"is no record of a conform run ({error.errors(include_url=False)[0]['msg']})"
        repair = f"write it anew with: skillgen conform {flavor} --record"
        raise InputError([Problem(shown(beside), 0, 0, what, repair)]) from None
