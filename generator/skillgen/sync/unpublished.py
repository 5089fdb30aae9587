"""Find what forks edited in a bundle that is published from its flavor, and so goes without these edits."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillgen.build.inputs import Inputs
from skillgen.build.locks import read_lock
from skillgen.build.origin import repository
from skillgen.drift.fold import forms
from skillgen.errors import SkillgenError
from skillgen.load.files import read, shown
from skillgen.load.fork import behind_link
from skillgen.load.forks import find_forks
from skillgen.model.lock import Entry
from skillgen.model.visible import escaped
from skillgen.sync.fork import Fork


def edits_left_behind(inputs: Inputs, ids: Iterable[str]) -> Iterator[str]:
    """Yield a line for each fork around the flavors, or around here, that carries one of them with edits of its own."""
    wanted = set(ids)
    tops = {repository(os.path.dirname(inputs.files.paths[id_])) for id_ in wanted} | {repository(".")}
    seen = set()
    for top in sorted(tops):
        try:
            places = find_forks(top)
        except SkillgenError:
            continue
        for place in places:
            root = os.path.realpath(place.root)
            if root not in seen:
                seen.add(root)
                yield from _of_fork(root, wanted)


def _of_fork(root: str, wanted: set[str]) -> Iterator[str]:
    try:
        entries = [one for one in read_lock(root).values() if wanted & {one.id, one.flavor}]
    except SkillgenError:
        # What is wrong with a lock, sync says.
        return
    for entry in entries:
        edited = sorted(_edited(root, entry))
        if edited:
            yield (
                f"{escaped(shown(root))}: its edits of {escaped(', '.join(edited))} are not in what is published, which is "
                f"rendered from the flavor; skillgen sync --propose {escaped(shown(root))} offers them to it"
            )


def _edited(root: str, entry: Entry) -> Iterator[str]:
    skill = entry.origin.skill
    fork = Fork(root, entry, entry, moved=(entry.usual, skill) if entry.usual and skill else None)
    for path, mark in entry.files.items():
        place = fork.place(path)
        target = os.path.join(root, place)
        if os.path.isfile(target) and not behind_link(root, place) and mark.digest not in forms(read(target)):
            yield place
