"""Take a fork's edits along where the bundle gives a file another name, and back where the fork did."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from skillgen.drift.fold import fold
from skillgen.drift.near import nearness
from skillgen.load.files import read
from skillgen.load.fork import behind_link
from skillgen.load.moved import find_files
from skillgen.model.files import RenderedFile
from skillgen.model.fork import FileState, State
from skillgen.sync.bases import Bases

if TYPE_CHECKING:
    from skillgen.sync.fork import Fork

NEAR = 0.5
"""From so much alike on a new file is an old one under another name."""
_SAME = 0.8
"""The same of a file that lies outside the skill, where others have files of that name."""
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
    strays = {file.path for file in fork.files if file.state is State.UNEXPECTED and _is_file(fork.root, file.path)}
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
    name = path.rsplit("/", 1)[-1]
    inside = [stray for stray in sorted(strays) if _kind(stray) == _kind(path)]
    if stray := _most_like(fork, base, inside, NEAR):
        return stray
    if name == "SKILL.md" or name.startswith(".") or fork.target.origin.upstream:
        # Every skill has one of these, and none becomes another's.
        return ""
    others = find_files(fork.root, name) - set(map(fork.place, fork.target.files))
    return _most_like(fork, base, sorted(one for one in others if not _is_of_a_skill(fork.root, one)), _SAME)


def _most_like(fork: Fork, base: bytes, places: list[str], least: float) -> str:
    said = _lines(base)
    rates = [(nearness({"": said}, {"": _lines(read(os.path.join(fork.root, one)))}), one) for one in places]
    rate, place = max(rates, default=(0.0, ""))
    return place if rate >= least else ""


def _is_file(root: str, path: str) -> bool:
    """Tell whether this is a regular file of the fork's own; a link leads to what may be nobody's business."""
    return os.path.isfile(os.path.join(root, path)) and not behind_link(root, path)


def _lines(data: bytes) -> bytes:
    return b"\n".join(line for line in fold(data).data.split(b"\n") if line.strip())


def _is_of_a_skill(root: str, path: str) -> bool:
    parts = path.split("/")[:-1]
    return any(os.path.isfile(os.path.join(root, *parts[: n + 1], "SKILL.md")) for n in range(len(parts)))


def _kind(path: str) -> str:
    return os.path.splitext(path)[1]
