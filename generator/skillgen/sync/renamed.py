"""Take a fork's edits along where the bundle gives a file another name, and back where the fork did."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from skillgen.drift.fold import fold
from skillgen.drift.near import nearness
from skillgen.load.files import read
from skillgen.load.moved import find_files
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


def take_back(fork: Fork, bases: Bases, files: Mapping[str, RenderedFile], three: Three) -> None:
    """Merge what the fork edited in a file that it gave another name into the file that the skill loads.

    A name in another case is one file elsewhere, so it is given back; any other file of the fork's stays, and is told of.
    """
    strays = {file.path for file in fork.files if file.state is State.UNEXPECTED}
    lost = [file for file in fork.files if file.state is State.MISSING and not file.detail]
    places = {fork.place(path): path for path in fork.target.files}
    for file in lost:
        path = places.get(file.path, "")
        old = fork.recorded.files.get(path)
        base = bases.find(old.digest, path, fork.recorded, fork.root) if old else None
        twin = next((stray for stray in strays if stray.casefold() == file.path.casefold()), "")
        stray = twin or (_nearest(fork, path, base, strays) if base is not None else "")
        if not stray or (base is None and not twin):
            continue
        strays.discard(stray)
        ours = read(os.path.join(fork.root, stray))
        start = base if base is not None else ours
        edited = fold(ours).data != start
        data, conflicts = three(path, start, files[path].data, ours)
        fork.write[file.path] = (data, files[path].mode)
        state = State.CONFLICT if conflicts else State.MISSING
        said = f"takes over {'the edits of ' if edited else ''}{stray}"
        seen = FileState(stray, State.UNEXPECTED, detail=f"is a copy of {file.path}, which the skill loads")
        if twin:
            fork.remove.append(stray)
            seen = FileState(stray, State.RETIRED, edited, f"is {file.path} now, since case counts")
        elif edited:
            seen = replace(seen, detail=f"its edits are in {file.path}, which the skill loads")
        fork.files = [one for one in fork.files if one.path not in (file.path, stray)]
        fork.files += [FileState(file.path, state, edited, said), seen]


def _nearest(fork: Fork, path: str, base: bytes, strays: set[str]) -> str:
    """Return the file of the fork that became of a lost one: of those in the skill, else one of its name elsewhere."""
    for found in (
        sorted(strays),
        sorted(find_files(fork.root, path.rsplit("/", 1)[-1]) - set(map(fork.place, fork.target.files))),
    ):
        alike = [stray for stray in found if _kind(stray) == _kind(path)]
        rates = [(nearness({path: base}, {path: read(os.path.join(fork.root, stray))}), stray) for stray in alike]
        rate, stray = max(rates, default=(0.0, ""))
        if rate >= NEAR:
            return stray
    return ""


def _kind(path: str) -> str:
    return os.path.splitext(path)[1]
