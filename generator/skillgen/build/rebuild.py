"""Resolve, render and write bundles that are not known to be current."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from dataclasses import replace

from skillgen.build.inputs import Inputs
from skillgen.build.locks import read_lock
from skillgen.build.outcome import Bundle
from skillgen.build.produce import Producer
from skillgen.build.share import Crew
from skillgen.build.templates import renderer
from skillgen.errors import InputError
from skillgen.load.files import read
from skillgen.model.lock import NAME, Entry
from skillgen.model.lock_text import format_lock
from skillgen.pack.output import held, sweep
from skillgen.pack.write import Writer


def rebuild(inputs: Inputs, ids: Sequence[str], out: str, *, check: bool) -> dict[str, Bundle]:
    """Render the flavors and write what changed; with `check` only say what would change.

    Nothing is written unless every flavor renders. Raises InputError with every problem of all files.
    """
    # A short run with many small objects: collecting garbage would only cost time.
    gc.disable()
    try:
        with renderer(inputs) as ready, Crew(Producer(inputs, ids, out, ready), ids) as crew:
            return _run(crew, out, check)
    finally:
        gc.enable()


def _run(crew: Crew, out: str, check: bool) -> dict[str, Bundle]:
    entries, problems = crew.render()
    if problems:
        raise InputError(problems)
    if check:
        return crew.finish(read_lock(out), check=True)
    with held(out):
        sweep(out)
        lock = read_lock(out)
        _claim(out, lock, entries)
        bundles = crew.finish(lock, check=False)
        write_lock(out, lock | entries)
    return bundles


def _claim(out: str, lock: dict[str, Entry], entries: dict[str, Entry]) -> None:
    """Record new files before they are written, so that a killed build leaves none that no lock knows."""
    pending = {}
    for id_, entry in entries.items():
        old = lock.get(id_)
        if old is None or not entry.files.keys() <= old.files.keys():
            pending[id_] = replace(entry, inputs="", files={**(old.files if old else {}), **entry.files})
    if pending:
        write_lock(out, lock | pending)


def write_lock(out: str, entries: dict[str, Entry]) -> None:
    """Write `OUT/skillgen.lock` if that changes it."""
    data = format_lock(entries.values())
    path = os.path.join(out, NAME)
    if os.path.lexists(path) and read(path) == data:
        return
    with Writer(out) as writer:
        writer.stage(NAME, data, 0o644)
        writer.commit()
