"""Remove what an earlier killed run of ours left behind: temporary files and dead locks."""

import os

from cancel_runtime.directory import TEMPORARY, Unsafe, leftovers, open_directory


def sweep(store, session):
    """Look through the directories that a run for this session writes in; what cannot be looked at is left."""
    for where in dict.fromkeys((session, "", *store.strays)):
        try:
            directory = store.directory(where)
            names = directory.names() if directory else ()
            _clean(store, directory, names, session, where in (session, ""))
        except (OSError, Unsafe):
            continue
    sweep_others(store)


def sweep_others(store):
    """Look, once a run, through the directories that lie elsewhere than the records."""
    if store.swept:
        return
    store.swept = True
    for path in _others(store):
        try:
            directory = open_directory(path)
        except OSError:
            continue
        try:
            leftovers(directory, directory.names(), _gone)
        except OSError:
            continue
        finally:
            directory.close()


def _clean(store, directory, names, session, mine):
    if mine and any(name.endswith(TEMPORARY) for name in names):
        leftovers(directory, names, _gone)
    if store.rule["lock"]["kind"] == "mutation-file" and any(".lock" in name for name in names):
        from cancel_runtime import mutation

        mutation.sweep(directory, names, session)


def _others(store):
    """Directories of settings files, and the workspace where a team's overlay is stripped."""
    from cancel_runtime import settings

    for mode in store.contract["modes"].values():
        if mode["settings"]:
            for path in settings.candidates(mode["settings"], store.place):
                yield os.path.dirname(path)
    if "overlay" in store.contract["team"]:
        yield os.path.dirname(os.path.join(store.place.workspace, store.contract["team"]["overlay"]["file"]))


def _gone(pid, start):
    from cancel_runtime.mutation import gone

    return gone(pid, start)
