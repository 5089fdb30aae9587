"""Take a fork's edits along where the bundle gives a file another name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from skillgen.drift.near import nearness
from skillgen.load.files import read
from skillgen.model.files import RenderedFile
from skillgen.model.fork import FileState, State
from skillgen.sync.bases import Bases

if TYPE_CHECKING:
    from skillgen.sync.fork import Fork

NEAR = 0.5
"""From so much alike on a new file is an old one under another name."""
Three = Callable[[str, bytes, bytes, bytes], tuple[bytes, int]]
"""Merge base, theirs and ours of a path; returns the text and the number of conflicts."""


def carry_edits(fork: Fork, bases: Bases, files: Mapping[str, RenderedFile], three: Three) -> None:
    """Merge what was edited in a file that is no longer rendered into the new file that it became."""
    lost = {file.path: file for file in fork.files if file.state is State.RETIRED and file.edited}
    fresh = [path for path in fork.target.files if path not in fork.recorded.files]
    for old, mark in fork.recorded.files.items():
        place = fork.place(old)
        base = bases.find(mark.digest, old, fork.recorded, fork.root) if place in lost else None
        if base is None:
            continue
        rates = [(nearness({old: base}, {old: files[path].data}), path) for path in fresh if _kind(path) == _kind(old)]
        rate, new = max(rates, default=(0.0, ""))
        if rate < NEAR:
            continue
        data, conflicts = three(new, base, files[new].data, read(os.path.join(fork.root, place)))
        target = os.path.join(fork.root, fork.place(new))
        # It is there already if a run was killed between writing it and removing the old one.
        if os.path.lexists(target) and (os.path.islink(target) or read(target) != data):
            continue
        fresh.remove(new)
        fork.write[fork.place(new)] = (data, files[new].mode)
        fork.remove.append(place)
        fork.files = [file for file in fork.files if file.path not in (place, fork.place(new))]
        state = State.CONFLICT if conflicts else State.MISSING
        fork.files.append(FileState(fork.place(new), state, True, f"takes over the edits of {place}"))
        fork.files.append(FileState(place, State.RETIRED, True, f"is {fork.place(new)} now"))


def _kind(path: str) -> str:
    return os.path.splitext(path)[1]
