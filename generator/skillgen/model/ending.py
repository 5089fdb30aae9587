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
    """Field -> value, written by a pause, such as `{run_outcome: cancelled}`."""
    terminalize: dict[FileName, Said]
    """Field -> value, written by an end."""


_SIGNAL = Read(facts=("signal",))
_FINAL = Read(facts=("final",))


class NoSignal(Model):
    """Nothing listens, so nothing is announced."""

    kind: Annotated[Literal["none"], _SIGNAL, Told(values=(("none", "not at all"),))]


class SessionSignal(Model):
    """A file in the session's directory that the stop hook reads (facts C6, 6.3.7)."""

    kind: Annotated[
        Literal["session-file"], _SIGNAL, Told(values=(("session-file", "by a file in the session's directory"),))
    ]
    file: Annotated[FileName, _SIGNAL]
    """The file's name in the session's directory, such as `cancel-signal-state.json`."""
    ttl_ms: Annotated[int, Field(ge=1, le=600_000)]
    """Milliseconds for which the hook believes the signal, 1 to 600000."""
    source: Said
    """What the signal names as its sender, such as `skill_runtime`."""
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
    """The file's name in the run directory, such as `cancel.signal`."""
    modes: tuple[FileName, ...]
    """Records whose loops read it; no other mode is signalled."""
    reason: Said
    """The reason that the signal gives, such as `user-cancel`."""


Signal = Annotated[NoSignal | SessionSignal | RunSignal, Field(discriminator="kind")]


class NoLast(Model):
    """No record has to go last."""

    kind: Annotated[Literal["none"], _FINAL, Told(values=(("none", "nothing"),))]


class RecordLast(Model):
    """One record of the session, cleared whatever it says."""

    kind: Annotated[Literal["record"], _FINAL, Told(values=(("record", "one record of the session"),))]
    record: Annotated[FileName, _FINAL]
    """The record's name, such as `skill-active`."""
    why: Annotated[Said, SAYS]
    """Why it goes last, a clause such as `a stale record would let the stop hook hold the session again`."""


class LedgerLast(Model):
    """The session's record, and the session's own slots of the ledger in the state directory (facts C8, 6.3.8)."""

    kind: Annotated[Literal["ledger"], _FINAL, Told(values=(("ledger", "the session's slots of the shared ledger"),))]
    record: Annotated[FileName, _FINAL]
    """The name of the session's record and of the shared ledger, such as `skill-active`."""
    skills: FileName
    """Field of the ledger with its list of running skills."""
    support: FileName
    """Field of the ledger with the one supporting skill."""
    session: FileName
    """Field by which an entry names its session; entries of others stay."""
    why: Annotated[Said, SAYS]
    """Why it goes last, a clause such as `a stale record would let the stop hook hold the session again`."""


class EntriesLast(Model):
    """The session's entries of a list, in the session's and the root record (facts R17)."""

    kind: Annotated[Literal["entries"], _FINAL, Told(values=(("entries", "the session's entries of a list"),))]
    record: Annotated[FileName, _FINAL]
    """The record that holds the list, such as `skill-active`."""
    entries: FileName
    """Field with the list."""
    session: FileName
    """Field by which an entry names its session; entries of others stay."""
    why: Annotated[Said, SAYS]
    """Why it goes last, a clause such as `a stale record would let the stop hook hold the session again`."""


Last = Annotated[NoLast | RecordLast | LedgerLast | EntriesLast, Field(discriminator="kind")]
