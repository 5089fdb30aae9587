"""Read an output's lock, and tell from digests alone that a bundle is current."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skillgen import __version__
from skillgen.build.inputs import Inputs
from skillgen.load.files import read, shown
from skillgen.load.kept_modes import keeps_modes
from skillgen.load.observe import observe
from skillgen.model.lock import NAME, Entry, heed_modes
from skillgen.model.lock_text import parse_lock

_PARSED: dict[bytes, dict[str, Entry]] = {}


def read_lock(out: str) -> dict[str, Entry]:
    """Return the entries of `OUT/skillgen.lock`, none if there is no lock; raise InputError for a damaged one."""
    path = os.path.join(out, NAME)
    if not os.path.lexists(path):
        return {}
    data = read(path)
    # Forks of one flavor at one revision have one lock.
    if data not in _PARSED:
        _PARSED[data] = parse_lock(shown(path), data)
    return dict(_PARSED[data])


def followed(lock: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries of skills that a fork follows, which are no bundles."""
    return {id_: entry for id_, entry in lock.items() if entry.origin.upstream}


def is_current(id_: str, inputs: Inputs, lock: Mapping[str, Entry], out: str) -> bool:
    """Tell whether the bundle is what a rendering would give: same inputs as then, same files as then, none besides.

    Sound without rendering: the base ids in the entry are as they were read from files that still have the same digest.
    """
    entry = lock.get(id_)
    if entry is None or not entry.sealed or entry.skillgen != __version__:
        return False
    if any(base not in inputs.files.paths for base in entry.base):
        return False
    if inputs.digest(id_, entry.base) != entry.inputs:
        return False
    actual = observe(os.path.join(out, id_))
    return heed_modes(actual, entry.files, lambda: keeps_modes(out)) == entry.files
