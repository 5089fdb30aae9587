"""Say how a session's cancel is announced and which record goes last."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Model, RelPath, Said


class NoSignal(Model):
    kind: Literal["none"]


class SessionSignal(Model):
    """A file in the session's directory that the stop hook reads (facts C6, 6.3.7)."""

    kind: Literal["session-file"]
    file: FileName
    ttl_ms: Annotated[int, Field(ge=1, le=600_000)]
    source: Said
    never_mode: Said
    """A signal that names this mode is ignored by the hook."""


class RunSignal(Model):
    """A file in a mode's run directory that its loop reads; written only where the directory exists and the row is active."""

    kind: Literal["run-directory"]
    directory: RelPath
    """Under a run root; `{mode}` and `{session}` stand for the record's name and the id."""
    file: FileName
    modes: tuple[FileName, ...]
    reason: Said


Signal = Annotated[NoSignal | SessionSignal | RunSignal, Field(discriminator="kind")]


class NoLast(Model):
    kind: Literal["none"]


class RecordLast(Model):
    """One record of the session, cleared whatever it says."""

    kind: Literal["record"]
    record: FileName
    why: Said


class LedgerLast(Model):
    """The session's record, and the session's own slots of the ledger in the state directory (facts C8, 6.3.8)."""

    kind: Literal["ledger"]
    record: FileName
    skills: FileName
    support: FileName
    session: FileName
    why: Said


class EntriesLast(Model):
    """The session's entries of a list, in the session's and the root record (facts R17)."""

    kind: Literal["entries"]
    record: FileName
    entries: FileName
    session: FileName
    why: Said


Last = Annotated[NoLast | RecordLast | LedgerLast | EntriesLast, Field(discriminator="kind")]
