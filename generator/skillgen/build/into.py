"""Render one flavor into a fork's plugin root."""

from __future__ import annotations

from dataclasses import replace

from skillgen.build.inputs import Inputs
from skillgen.build.locks import read_lock
from skillgen.build.produce import Producer
from skillgen.build.rebuild import write_lock
from skillgen.build.templates import renderer
from skillgen.drift.bundle import compare_entries
from skillgen.drift.place import SKILLS, Plan, belonging, plan
from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.fork import look
from skillgen.model.files import RenderedFile
from skillgen.model.lock import NAME, Entry
from skillgen.pack.output import check_output, held
from skillgen.pack.write import Writer, remove


def build_into(inputs: Inputs, id_: str, into: str, *, check: bool) -> Plan:
    """Write the bundle's files that belong to skillgen into `into`; return what was done and what is left to `sync`.

    With `check` nothing is written, and `foreign` may hold what is in the way. Raises UsageError or InputError.
    """
    inputs.known(id_)
    check_output(into, [])
    old = _recorded(into, id_)
    entry, files = render_one(inputs, id_)
    if check:
        made = _plan(into, old, entry)
        made.differences += compare_entries(old, _owned(entry, into, old))
        return made
    with held(into):
        old = _recorded(into, id_)
        made = _plan(into, old, entry)
        if made.foreign:
            what, repair = "is in the way and not of skillgen", "move it, or run skillgen sync --adopt-lock"
            raise InputError(Problem(f"{into}/{path}", 0, 0, what, repair) for path in made.foreign)
        _write(made, into, old, _owned(entry, into, old), files)
    return made


def render_one(inputs: Inputs, id_: str) -> tuple[Entry, dict[str, RenderedFile]]:
    """Return a flavor's bundle with its entry for a lock; raise InputError with every problem."""
    with renderer(inputs) as ready:
        producer = Producer(inputs, [id_], "", ready)
        entries, problems = producer.render([id_])
    if problems:
        raise InputError(problems)
    return entries[id_], producer.rendered[id_]


def _recorded(into: str, id_: str) -> Entry | None:
    lock = read_lock(into)
    if other := next((name for name in lock if name != id_), None):
        what = f"holds {other}; to change its flavor run skillgen sync --flavor {id_} {into}"
        raise UsageError(f"{into}/{NAME}: {what}")
    return lock.get(id_)


def _owned(entry: Entry, into: str, old: Entry | None) -> Entry:
    recorded = old.files if old else {}
    ours = belonging(entry.files, recorded, look(into, (), entry.files))
    return replace(entry, files={path: mark for path, mark in entry.files.items() if path in ours})


def _plan(into: str, old: Entry | None, entry: Entry) -> Plan:
    rendered = _owned(entry, into, old).files
    recorded = old.files if old else {}
    trees = {"/".join(path.split("/")[:2]) for path in (*rendered, *recorded) if path.startswith(SKILLS)}
    return plan(recorded, rendered, look(into, sorted(trees), (*rendered, *recorded)))


def _write(made: Plan, into: str, old: Entry | None, entry: Entry, files: dict[str, RenderedFile]) -> None:
    left = {difference.path for difference in made.left}
    before = old.files if old else {}
    # What was left keeps the rendering that it was edited from; without a digest of inputs the entry claims no whole.
    marks = {path: before[path] if path in left else mark for path, mark in entry.files.items()}
    marks |= {path: before[path] for path in left}
    final = replace(entry, files=marks, inputs="" if marks != dict(entry.files) else entry.inputs)
    new = {path: mark for path, mark in entry.files.items() if path in made.write and path not in before}
    if new:
        # Recorded before they are written, so that a killed build leaves none that no lock knows.
        write_lock(into, {entry.id: replace(old or entry, inputs="", files={**before, **new})})
    with Writer(into) as writer:
        for path in made.write:
            writer.stage(path, files[path].data, files[path].mode)
        writer.commit()
    for path in made.remove:
        remove(into, path)
    write_lock(into, {entry.id: final})
