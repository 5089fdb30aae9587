"""Find records that lie elsewhere than in their owner's directory: one pass over all of them."""

from cancel_runtime.directory import Unsafe
from cancel_runtime.pattern import matches


def index(store, ids=None):
    """Owner -> [(session of the directory, name)]; "" -> names of root records without an owner.

    Also notes in `store.strays` the directories with lock files in them, for the sweep.
    """
    found = {}
    strays = []
    for where in _ids(store) if ids is None else ids:
        try:
            directory = store.directory(where)
            names = directory.names() if directory else ()
        except (OSError, Unsafe):
            continue  # its own capture says so
        if any(".lock" in name for name in names):
            strays.append(where)
        for file in names:
            name = store.mode_of(file)
            if name in store.modes:
                owner = store.read(directory, name, where).owner
                if owner and owner != where:
                    found.setdefault(owner, []).append((where, name))
    for name in store.modes:
        record = store.read(store.state, name, "", "")
        if record.owner:
            found.setdefault(record.owner, []).append(("", name))
        elif record.body is not None:
            found.setdefault("", []).append(name)
    store.strays = tuple(strays)
    return found


def _ids(store):
    parent = store.sessions_directory()
    if parent is None:
        return []
    try:
        return sorted(n for n in parent.names() if matches(store.pattern, n) and parent.kind(n) == "directory")
    finally:
        parent.close()
