"""Tell which sources of a rendering no commit holds: once they change, what was rendered from them is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillgen.build.inputs import Inputs
from skillgen.drift.fold import fold
from skillgen.load.files import shown
from skillgen.load.git import checkout, committed, toplevel
from skillgen.model.lock import Entry
from skillgen.resources import shipped

_SHOWN = 3


def warning(inputs: Inputs, entry: Entry) -> str:
    """Return what is to be said of the sources of a bundle, "" where commits hold all of them."""
    found = list(dict.fromkeys(_uncommitted(inputs, entry)))
    if not found:
        return ""
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return (
        f"rendered from what no commit holds: {', '.join(map(shown, found[:_SHOWN]))}{more}; commit it before it changes "
        "again, or edits of this fork will be conflicts: what they were made in cannot be rendered again"
    )


def _uncommitted(inputs: Inputs, entry: Entry) -> Iterator[str]:
    clone = _clone()
    kept = {path: data for path, data, _ in checkout(clone, "HEAD", ["templates", "flavors"])} if clone else {}
    ours = os.path.realpath(shipped("flavors"))
    for id_ in (*entry.base, entry.id):
        path = os.path.realpath(inputs.files.paths[id_])
        if os.path.dirname(path) != ours:
            if not _is_committed(path, inputs.files.data(id_)):
                yield path
        elif clone and kept.get(f"flavors/{os.path.basename(path)}") != inputs.files.data(id_):
            yield path
    for key, file in inputs.templates.items():
        if file.own:
            if not _is_committed(file.source, file.data):
                yield file.source
        elif clone and kept.get(f"templates/{key}") != file.data:
            yield os.path.join(clone, "templates", key)


def _clone() -> str:
    """Return the root of the clone that what ships with skillgen lies in, "" where it was installed."""
    root = os.path.dirname(os.path.realpath(shipped("templates")))
    return root if toplevel(root) == root else ""


def _is_committed(path: str, data: bytes) -> bool:
    directory, name = os.path.split(os.path.abspath(path))
    there = committed(directory, name)
    return there is not None and fold(there).data == fold(data).data
