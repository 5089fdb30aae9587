"""Render one flavor into a fork's plugin root."""

from __future__ import annotations

import json
from dataclasses import replace

from skillgen.build.inputs import Inputs
from skillgen.build.locks import followed, read_lock
from skillgen.build.origin import fork_origin
from skillgen.build.produce import Producer
from skillgen.build.rebuild import write_lock
from skillgen.build.templates import renderer
from skillgen.drift.bundle import compare_entries
from skillgen.drift.place import SKILLS, Plan, belonging, has_manifests, plan, released
from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.fork import look
from skillgen.load.kept_modes import keeps_modes
from skillgen.model.files import RenderedFile
from skillgen.model.lock import NAME, Entry, ForkOrigin, heed_modes
from skillgen.pack.output import check_output, held, sweep
from skillgen.pack.write import Writer, remove


def build_into(inputs: Inputs, id_: str, into: str, *, check: bool, manifest: bool = False) -> Plan:
    """Write the skill and the lock into `into`; return what was done and what is left to `sync`.

    With `manifest` also the host's manifest, README and licence, where the fork has none of its own. With `check` nothing is
    written, and `foreign` may hold what is in the way. Raises UsageError or InputError.
    """
    inputs.known(id_)
    check_output(into, (), inputs.places)
    old = _read_recorded(into, id_)
    entry, files = render_one(inputs, id_)
    entry = _into_fork(inputs, entry, files, into, old, manifest=manifest)
    if check:
        made = _plan(into, old, entry)
        made.differences += compare_entries(old, entry)
        return made
    with held(into):
        sweep(into)
        old = _read_recorded(into, id_)
        made = _plan(into, old, entry)
        if made.foreign:
            what, repair = "is in the way and not of skillgen", "move it, or run skillgen sync --adopt-lock"
            raise InputError(Problem(f"{into}/{path}", 0, 0, what, repair) for path in made.foreign)
        _write(made, into, old, entry, files)
    return made


def render_one(inputs: Inputs, id_: str) -> tuple[Entry, dict[str, RenderedFile]]:
    """Return a flavor's bundle with its entry for a lock; raise InputError with every problem."""
    with renderer(inputs) as ready:
        producer = Producer(inputs, [id_], "", ready)
        entries, problems = producer.render([id_])
    if problems:
        raise InputError(problems)
    return entries[id_], producer.rendered[id_]


def product_of(entry: Entry, files: dict[str, RenderedFile]) -> str:
    """Return the name of the product that a rendered bundle is of."""
    path = next(path for path in entry.files if path.endswith("/contract.json"))
    return str(json.loads(files[path].data)["product"]["name"])


def _read_recorded(into: str, id_: str) -> Entry | None:
    lock = read_lock(into)
    lock = {name: entry for name, entry in lock.items() if name not in followed(lock)}
    if other := next((name for name in lock if name != id_), None):
        raise UsageError(f"{into}/{NAME}: holds {other}; to change its flavor run skillgen sync --flavor {id_} {into}")
    return released(lock[id_])[0] if id_ in lock else None


def _into_fork(
    inputs: Inputs, entry: Entry, files: dict[str, RenderedFile], into: str, old: Entry | None, *, manifest: bool
) -> Entry:
    """Return the entry that the fork's lock will hold: what is skillgen's there, and where it comes from."""
    recorded = old.files if old else {}
    wanted = manifest or has_manifests(old)
    ours = belonging(entry.files, recorded, look(into, (), entry.files), manifests=wanted)
    before = old.origin if old else ForkOrigin()
    marks = {path: mark for path, mark in entry.files.items() if path in ours and path not in before.excluded}
    product = product_of(entry, files)
    if before.product and before.product != product:
        raise UsageError(
            f"{into}/{NAME}: is of {before.product}, and the flavor {entry.id} is of {product}; name a flavor of {before.product}, or another DIR"
        )
    return replace(entry, files=marks, origin=fork_origin(inputs, entry.id, into, product, before))


def _plan(into: str, old: Entry | None, entry: Entry) -> Plan:
    recorded = old.files if old else {}
    trees = {"/".join(path.split("/")[:2]) for path in (*entry.files, *recorded) if path.startswith(SKILLS)}
    actual = look(into, sorted(trees), (*entry.files, *recorded))
    heeded = heed_modes(actual, {**recorded, **entry.files}, lambda: keeps_modes(into))
    return plan(recorded, entry.files, heeded)


def _write(made: Plan, into: str, old: Entry | None, entry: Entry, files: dict[str, RenderedFile]) -> None:
    left = {difference.path for difference in made.left}
    before = old.files if old else {}
    others = followed(read_lock(into))
    # What was left keeps the rendering that it was edited from; without a digest of inputs the entry claims no whole.
    marks = {path: before[path] if path in left else mark for path, mark in entry.files.items()}
    marks |= {path: before[path] for path in left}
    final = replace(entry, files=marks, inputs="" if marks != dict(entry.files) else entry.inputs)
    new = {path: mark for path, mark in entry.files.items() if path in made.write and path not in before}
    if new:
        # Recorded before they are written, so that a killed build leaves none that no lock knows.
        write_lock(into, {**others, entry.id: replace(old or entry, inputs="", files={**before, **new})})
    with Writer(into) as writer:
        for path in made.write:
            writer.stage(path, files[path].data, files[path].mode)
        writer.commit()
    for path in made.remove:
        remove(into, path)
    write_lock(into, {**others, entry.id: final})
