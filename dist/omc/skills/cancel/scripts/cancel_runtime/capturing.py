"""Look at one session's files: its own directory, what it owns elsewhere, and what the root holds of it."""

from cancel_runtime import rewrite, settings
from cancel_runtime.directory import Unsafe, reason
from cancel_runtime.errors import Refused
from cancel_runtime.facts import field, truth
from cancel_runtime.pattern import matches
from cancel_runtime.records import Snapshot


def capture(store, session):
    """The `Snapshot` of a session; `Refused` for an unsafe path."""
    snapshot = Snapshot(session)
    if store.state is None:
        return snapshot
    try:
        directory = store.directory(session)
        names = directory.names() if directory else []
        if directory:
            _own(store, snapshot, directory, names)
        if session:
            _elsewhere(store, snapshot)
        _shared(store, snapshot)
    except Unsafe as error:
        raise Refused(str(error)) from None
    except OSError as error:
        snapshot.error = store.path(session) + " cannot be read: " + reason(error)
    settings.observe(store.contract, store.place, snapshot)
    return snapshot


def _own(store, snapshot, directory, names):
    helpers = store.beside
    for file in sorted(names):
        name = store.mode_of(file)
        if file in helpers:
            snapshot.beside.add(directory.join(file))
        if not name or file == store.signal_file:
            continue
        if name == store.last.get("record"):
            _goes_last(store, snapshot, store.read(directory, name, snapshot.session))
        elif name in store.modes:
            record = store.read(directory, name, snapshot.session)
            if _adopted(store, record):
                continue
            snapshot.add(record)
            _meta(store, snapshot, record)
        elif file not in helpers and store.read(directory, name, snapshot.session).state == "active":
            snapshot.unlisted.append(name)
    if store.signal_file:
        snapshot.signal = directory.join(store.signal_file)


def _adopted(store, record):
    """With scope all a foreign record's owner is one of the captured sessions and has it among its own."""
    every = record.state == "foreign" and store.rule["adopt_owned"] and store.request.scope == "all"
    return every and matches(store.pattern, record.owner)


def _meta(store, snapshot, record):
    named = field(record.body, "_meta/sessionId")
    if not store.rule["owner"] and record.body and isinstance(named, str) and named and named != snapshot.session:
        snapshot.warnings.append(record.path + " names session " + repr(named) + "; its directory counts")


def _goes_last(store, snapshot, record):
    if store.last["kind"] == "ledger" and not snapshot.session and not rewrite.unclaimed(record.body, store.last):
        return  # at the root it is every session's
    entries = store.last["kind"] == "entries" and record.body is not None and record.state != "foreign"
    if not entries or rewrite.without_entries(record.body, store.last, snapshot.session, True) is not None:
        snapshot.last.append(record)


def _elsewhere(store, snapshot):
    """Records that the session owns in other directories and at the root, and root records that nobody owns (facts X5)."""
    if store.rule["adopt_owned"]:
        for where, name in store.index().get(snapshot.session, ()):
            directory = store.directory(where)
            if directory:
                snapshot.add(store.read(directory, name, snapshot.session, where))
        for name in store.index().get("", ()):
            _unowned(store, snapshot, name)
    for name in store.teams if store.rule["root_records"] and store.contract["team"]["kind"] == "tmux" else ():
        record = store.read(store.state, name, snapshot.session, "")
        if record.body is not None and truth(record.body.get("active")):
            snapshot.root_team.append(record)


def _unowned(store, snapshot, name):
    mode = store.contract["modes"][store.modes[name]]
    record = store.read(store.state, name, "", "")
    record.session = snapshot.session
    if mode.get("claims_root") and not _held(store, name):
        snapshot.add(record)
    elif record.state == "active":
        snapshot.warnings.append(record.path + " is active and names no session; it is left as it is")


def _held(store, name):
    """Whether any session directory holds a record of that name."""
    parent = store.sessions_directory()
    if parent is None:
        return False
    try:
        return any(
            parent.kind(where + "/" + store.file(name)) for where in parent.names() if parent.kind(where) == "directory"
        )
    finally:
        parent.close()


def _shared(store, snapshot):
    """The root record that goes last, where it holds something of this session or cannot be read."""
    if store.last["kind"] not in ("ledger", "entries") or not snapshot.session:
        return
    record = store.read(store.state, store.last["record"], snapshot.session, "")
    if record.state == "absent":
        return
    if record.body is None:
        record.state = "malformed" if record.state != "unsafe" else "unsafe"
    elif store.last["kind"] == "ledger":
        if rewrite.without_slots(record.body, store.last, snapshot.session) is None:
            return
    elif rewrite.without_entries(record.body, store.last, snapshot.session, False) is None:
        return
    snapshot.last.append(record)
