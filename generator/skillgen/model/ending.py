"""Say how a session's cancel is announced and which record goes last."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Model, RelPath, Said
from skillgen.model.told import SAYS, Read, Told


class OutcomeFields(Model):
    """What a pause and an end write into a record beside `active`, `current_phase` and `completed_at`, so that the product takes it
    for cancelled and not for finished. `{time}` in a value stands for the time of the write."""

    deactivate: dict[FileName, Said]
    terminalize: dict[FileName, Said]


_SIGNAL = Read(facts=("signal",))
_FINAL = Read(facts=("final",))


class NoSignal(Model):
    kind: Annotated[Literal["none"], _SIGNAL, Told(values=(("none", "not at all"),))]


class SessionSignal(Model):
    """A file in the session's directory that the stop hook reads (facts C6, 6.3.7)."""

    kind: Annotated[
        Literal["session-file"], _SIGNAL, Told(values=(("session-file", "by a file in the session's directory"),))
    ]
    file: Annotated[FileName, _SIGNAL]
    ttl_ms: Annotated[int, Field(ge=1, le=600_000)]
    source: Said
    never_mode: Said
    """A signal that names this mode is ignored by the hook."""


class RunSignal(Model):
    """A file in a mode's run directory that its loop reads; written only where the directory exists and the row is active."""

    kind: Annotated[
        Literal["run-directory"], _SIGNAL, Told(values=(("run-directory", "by a file in the run's directory"),))
    ]
    directory: RelPath
    """Under a run root; `{mode}` and `{session}` stand for the record's name and the id."""
    file: Annotated[FileName, _SIGNAL]
    modes: tuple[FileName, ...]
    reason: Said


Signal = Annotated[NoSignal | SessionSignal | RunSignal, Field(discriminator="kind")]


class NoLast(Model):
    kind: Annotated[Literal["none"], _FINAL, Told(values=(("none", "nothing"),))]


class RecordLast(Model):
    """One record of the session, cleared whatever it says."""

    kind: Annotated[Literal["record"], _FINAL, Told(values=(("record", "one record of the session"),))]
    record: Annotated[FileName, _FINAL]
    why: Annotated[Said, SAYS]


class LedgerLast(Model):
    """The session's record, and the session's own slots of the ledger in the state directory (facts C8, 6.3.8)."""

    kind: Annotated[Literal["ledger"], _FINAL, Told(values=(("ledger", "the session's slots of the shared ledger"),))]
    record: Annotated[FileName, _FINAL]
    skills: FileName
    support: FileName
    session: FileName
    why: Annotated[Said, SAYS]


class EntriesLast(Model):
    """The session's entries of a list, in the session's and the root record (facts R17)."""

    kind: Annotated[Literal["entries"], _FINAL, Told(values=(("entries", "the session's entries of a list"),))]
    record: Annotated[FileName, _FINAL]
    entries: FileName
    session: FileName
    why: Annotated[Said, SAYS]


Last = Annotated[NoLast | RecordLast | LedgerLast | EntriesLast, Field(discriminator="kind")]
