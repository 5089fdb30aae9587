"""Say how records are kept and how writers exclude each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field

from skillgen.model.base import FileName, Model, RelPath, RelPathOrSame
from skillgen.model.told import Decides, Read, Told

_KIND = Read(facts=("store",))


@dataclass(frozen=True, slots=True)
class Kept:
    """How a text speaks of the records of one kind of store; no template asks which kind it is."""

    noun: str
    """What the records are: `files`, `rows`."""
    whole: str
    """What the state is, as in "the state, which is rows of a database, is left alone"."""
    apart: bool
    """Each record is a file of its own, whose path names session and mode."""
    no_shell: str
    """Why `cancel.sh` does nothing without python3, as in "it opens no database"; empty where it ends one plain mode."""


class DirectoryLock(Model):
    """`flock` on the open state directory: the flavor has no lock of its own; creates nothing."""

    kind: Annotated[Literal["directory"], Told(group="protections", values=(("directory", "a lock of the directory"),))]


class MutationLock(Model):
    """The lock file of oh-my-claudecode, published by link(2), one a record (facts 6.4)."""

    kind: Annotated[
        Literal["mutation-file"], Told(group="protections", values=(("mutation-file", "the product's own lock files"),))
    ]
    suffix: FileName
    """Stands behind a record's file name for its lock, such as `.mutation.lock`."""
    attempts: Annotated[int, Field(ge=1, le=1000)]
    """How often a lock that is held is tried again, 1 to 1000; after that the record stays and is unresolved."""
    interval_ms: Annotated[int, Field(ge=1, le=1000)]
    """Milliseconds between two tries, 1 to 1000."""
    team_suffix: FileName
    """Suffix of the second lock that writers of a team record take."""
    ledger_suffix: FileName
    """Suffix of the lock of the shared skill ledger."""


class NamespaceLock(Model):
    """`flock` on a file a record's name in a directory beside the root, named by the SHA-256 of the root record's path; the state
    directory is locked as well.

    Source: `state/mode-binding-lease.js` and `lease_mutex.rs` of oh-my-codex 0.21.6. The directory is taken where the product made it.
    """

    kind: Annotated[
        Literal["flock-namespace"], Told(group="protections", values=(("flock-namespace", "the product's own locks"),))
    ]
    directory: FileName
    """Directory beside the root's, such as `.omx-state-locks`."""
    identity: FileName
    """File beside it with its `dev` and `ino`; a directory that is another one is no lock."""
    wait_s: Annotated[int, Field(ge=1, le=60)]
    """Seconds to wait for a lock that is held, 1 to 60; after that the record stays and is unresolved."""


Lock = Annotated[DirectoryLock | MutationLock | NamespaceLock, Field(discriminator="kind")]


class SessionMap(Model):
    """A file that is no record and keeps something of each session: an object by the session's id."""

    record: FileName
    """Its name as a record has one, such as `native-stop`; in the state directory and in a session's."""
    entries: FileName
    """Key of the object in it, such as `sessions`."""
    urgency: Literal["any", "forced"]
    """Whether every run drops the session's entry, or a forced one alone."""


class Slot(Model):
    """A place beside the session directories in which a record of a session may lie too.

    Sources: facts C16 and C17; `readStateFileWithSession` and `isStateForCurrentProject` of `scripts/persistent-mode.mjs` in
    oh-my-claude-sisyphus 5.5.0, and what its state server clears.
    """

    at: Literal["home", "base"]
    """Under the user's home, or under the directory that holds the state directory."""
    path: RelPathOrSame
    """The directory there; `{session}` stands for the id, empty for the place itself."""
    project: FileName | Literal[""]
    """Field with the root of the project that a record belongs to; a record of another project is nobody's here."""
    unnamed: Literal["ours", "nobodys"]
    """A record that names no project is this project's, or nobody's here."""
    ownerless: Literal["own", "left"]
    """A record without an owner is the session's own, or is left and named."""
    records: tuple[FileName, ...]
    """Records that are looked for there; empty for all of the contract's modes."""


class FileStore(Model):
    """JSON files, one a session and mode; paths are relative to the state directory."""

    kept: ClassVar[Kept] = Kept("files", "files", True, "")
    kind: Annotated[Literal["files"], _KIND, Told(values=(("files", "in JSON files"),))]
    sessions: RelPath
    """Directory below the state directory with one directory a session, such as `sessions`."""
    record: Annotated[
        FileName,
        Decides(
            asks="What are the files called that hold a mode's state? `{mode}` stands for the mode's name.", always=True
        ),
    ]
    """File name of a record, `{mode}` stands for the record's name."""
    root_records: bool
    """Records also exist directly in the state directory (the root slot)."""
    not_records: tuple[FileName, ...] = ()
    """What is named like a mode's record, holds `active`, and is none: nothing is said of it."""
    session_maps: tuple[SessionMap, ...] = ()
    """Files with an entry a session, which goes with the session's modes."""
    owner: Annotated[
        tuple[RelPath, ...],
        Told(
            group="protections",
            came="the owner is also read from {}",
            gone="the owner is no longer read from {}",
        ),
    ]
    """Fields that name the owner, first non-empty wins, `/` between levels; none: the directory's name is the owner."""
    adopt_owned: Annotated[
        bool,
        Decides(least=False),
        Told(
            change="records of this session in foreign session directories: from {old} to {new}",
            values=((True, "its own"), (False, "left alone")),
        ),
    ]
    """Records that this session owns count as its own in whatever session directory they lie."""
    hook_owner: Annotated[
        tuple[RelPath, ...],
        Told(
            group="protections",
            came="the stop hook also reads whose a record is from {}",
            gone="the stop hook no longer reads whose a record is from {}",
        ),
    ]
    """Fields by which the product's stop hook tells whose a record is, first non-empty wins: a record in a session's directory
    that names another session there does not hold the session, though a tool may call another its owner.

    Sources: `persistent-mode.cjs` of oh-my-claude-sisyphus 4.4.4 (`isSessionMatch`) and `persistent-mode.mjs` of 5.5.0
    (`session_id` alone); `codex-native-hook.js` of oh-my-codex (`activeRalphStateMatchesStopOwner`: the owner's field, else
    `session_id`), from which rcs comes."""
    slots: Annotated[
        tuple[Slot, ...],
        Decides(least=()),
        Told(
            group="protections", came="records are also looked for in {}", gone="records are no longer looked for in {}"
        ),
    ]
    """Other places in which a record of the session may lie."""
    lock: Annotated[Lock, Told(change="a record is changed under: from {old} to {new}")]
    """What keeps two writers apart while a record is read, changed and written."""


class RowStore(Model):
    """Rows of an SQLite table keyed by mode and session; `''` is the root slot."""

    kept: ClassVar[Kept] = Kept("rows", "rows of a database", False, "it opens no database")
    kind: Annotated[Literal["rows"], _KIND, Told(values=(("rows", "in rows of a database"),))]
    table: FileName
    """The table's name, such as `state`."""
    mode: FileName
    """Column with a record's name."""
    body: FileName
    """Column with the record itself, a JSON object."""
    session: FileName
    """Column with the session's id; empty for the root slot."""
    updated: FileName
    """Column with the time of the last write, from which the age is told."""
    versions: tuple[int, ...]
    """Values of `schema_version` that this runtime knows."""
    busy_ms: Annotated[int, Field(ge=0, le=60_000)]
    """Milliseconds to wait for a database that another writer holds, 0 to 60000; after that the row is unresolved."""
    inactive_states: tuple[FileName, ...]
    """Values of a team row's `state` that mean it is over; any other listed row is active unless `active` is false."""


Store = Annotated[FileStore | RowStore, Field(discriminator="kind")]


def kept_as(kind: str) -> Kept:
    """Return how a text speaks of the records of a kind of store; raise KeyError for one that no model has."""
    models: tuple[type[FileStore | RowStore], ...] = get_args(get_args(Store)[0])
    return {get_args(model.model_fields["kind"].annotation)[0]: model.kept for model in models}[kind]
