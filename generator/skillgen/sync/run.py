"""Go through the forks that were named, one after another; what is wrong with one does not stop the others."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from skillgen.build.inputs import Inputs
from skillgen.build.locks import read_lock
from skillgen.build.origin import own_flavors, repository
from skillgen.errors import InputError, Problem, SkillgenError, UsageError
from skillgen.load.forks import Place, find_forks
from skillgen.model.fork import State
from skillgen.model.lock import NAME, Entry
from skillgen.model.visible import escaped
from skillgen.pack.output import held
from skillgen.sync.bases import Bases
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import Fork
from skillgen.sync.lock_version import check_version
from skillgen.sync.targets import Targets

if TYPE_CHECKING:
    from skillgen.sync.propose import Proposal
    from skillgen.sync.request import Request


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for."""

    paths: tuple[str, ...]
    flavor: str
    action: str
    """`check`, `dry-run`, `propose`, `request` or `sync`."""
    favor: str
    strict: bool
    adopt_lock: bool
    exclude: tuple[str, ...] = ()
    """Files of the bundle that the fork is to leave out from now on."""
    include: tuple[str, ...] = ()
    """Files that it left out and is to have again."""
    skills: str = ""
    """Where the upstream lies whose other skills are followed; empty for the bundle."""
    home: str = ""
    """The fork's own root where it is examined in another work tree; empty where it is not."""
    manifest: bool = False
    """Whether the host's manifest, README and licence are written too, where the fork has none."""


@dataclass(slots=True)
class Outcome:
    """What a run did with one fork."""

    root: str
    examiner: Examiner
    fork: Fork | None = None
    proposal: Proposal | None = None
    request: Request | None = None
    error: str = ""

    def code(self, wish: Wish) -> int:
        """Return the exit code that this fork alone would give."""
        if self.fork is None:
            return 2
        states = {file.state for file in self.fork.files}
        if wish.strict and states & {State.EDITED, State.UNEXPECTED}:
            return 1
        if self.proposal is not None:
            return 1 if self.proposal.facts else 0
        if wish.action in ("sync", "request"):
            return 1 if State.CONFLICT in states else 0
        return 1 if self.fork.acts else 0


def make_examiner(wish: Wish, flavors: Sequence[str], templates: Sequence[str]) -> Examiner:
    """Return what examines forks for a wish, with a user's own directories of flavors and templates."""
    # Many small objects and a short life: collecting garbage would only cost time.
    gc.disable()
    targets = Targets(Inputs(flavors, templates))
    return Examiner(targets, Bases(targets, [*flavors, *templates]), wish.favor, contents=wish.action != "check")


def go_through(wish: Wish, examiner: Examiner) -> list[Outcome]:
    """Return the outcome of every fork that was named; raises InputError or UsageError for a path that names none."""
    if wish.adopt_lock:
        if missing := next((path for path in wish.paths if not os.path.isdir(path)), None):
            raise UsageError(f"{missing}: is no directory of a fork; name its root")
        places = [Place(path) for path in wish.paths]
    else:
        places = list(dict.fromkeys(place for path in wish.paths for place in find_forks(path)))
    return [_sync_one(place, wish, examiner) for place in places]


def overall(outcomes: Sequence[Outcome], wish: Wish) -> int:
    """Return the exit code of all: one fork without a result among others is something left to do, not the end of all."""
    codes = {outcome.code(wish) for outcome in outcomes}
    return 1 if 2 in codes and len(codes) > 1 else max(codes)


def _sync_one(place: Place, wish: Wish, examiner: Examiner) -> Outcome:
    outcome = Outcome(place.root, examiner)
    try:
        if not wish.adopt_lock:
            outcome.examiner = examiner = examiner.beside(own_flavors(place.root, recorded_entry(place.root).origin))
        if wish.action == "request":
            from skillgen.sync.request import request

            asked = partial(_within, place, wish, examiner)
            outcome.fork, outcome.examiner, outcome.request = request(place.root, asked)
            return outcome
        if wish.action != "sync":
            outcome.fork = _examine(place, wish, examiner)
            if wish.action == "propose":
                from skillgen.sync.propose import propose

                outcome.proposal = propose(outcome.fork, examiner)
            return outcome
        from skillgen.sync.apply import apply
        from skillgen.sync.journal import finish

        with held(place.root):
            finish(place.root)
            outcome.fork = _examine(place, wish, examiner)
            if wish.skills:
                from skillgen.sync.following import claim

                claim(outcome.fork)
            apply(outcome.fork)
            if outcome.fork.write and not wish.skills:
                from skillgen.sync.sources import warning

                said = warning(examiner.targets.inputs, outcome.fork.target)
                outcome.fork.note = "; ".join(filter(None, (outcome.fork.note, said)))
    except SkillgenError as error:
        # Problems are one line each already; any other error is one, whatever the names in it hold.
        named = str(error) if isinstance(error, InputError) else escaped(str(error))
        root = escaped(place.root)
        outcome.error = named if root in named else f"{root}: {named}"
        outcome.fork = None
    return outcome


def _within(place: Place, wish: Wish, examiner: Examiner, root: str, tree: str) -> tuple[Fork, Examiner]:
    """Bring a fork up to date in another work tree of its repository, with the flavors that lie there."""
    from skillgen.sync.apply import apply

    top = repository(place.root)
    inputs = examiner.targets.inputs.within(top, tree)
    if inputs is not examiner.targets.inputs:
        targets = Targets(inputs)
        examiner = Examiner(targets, Bases(targets, examiner.bases.own), wish.favor)
    examiner = examiner.beside(own_flavors(root, recorded_entry(root).origin))
    fork = _examine(Place(root, place.flavor), replace(wish, home=place.root), examiner)
    if not any(file.state is State.CONFLICT for file in fork.files):
        apply(fork)
    return fork, examiner


def _examine(place: Place, wish: Wish, examiner: Examiner) -> Fork:
    if wish.adopt_lock:
        from skillgen.sync.adopt_lock import adopt, find_start

        if os.path.lexists(os.path.join(place.root, NAME)):
            raise UsageError(f"{place.root}/{NAME}: is there already; run skillgen sync without --adopt-lock")
        return adopt(place.root, find_start(place.root, wish.flavor, examiner), wish.flavor, examiner)
    recorded = recorded_entry(place.root)
    if wish.skills:
        from skillgen.sync.following import Told, follow

        return follow(
            place.root, recorded, examiner.upstream(wish.skills), Told(wish.exclude, wish.include, wish.home), examiner
        )
    flavor = wish.flavor or place.flavor
    entry = _as_told(recorded, flavor, wish, examiner)
    fork = examiner.examine(place.root, entry, flavor or _choose_flavor(entry, examiner), manifests=wish.manifest)
    # What was told now is kept by a sync, and is nothing that a check finds fault with.
    fork.lock_outdated = fork.lock_outdated or (wish.action in ("sync", "request") and entry.origin != recorded.origin)
    if wish.action != "check":
        from skillgen.sync.ahead import ahead_of

        fork.ahead = ahead_of(fork, examiner)
    return fork


def _as_told(entry: Entry, flavor: str, wish: Wish, examiner: Examiner) -> Entry:
    """Return the recorded entry with what was told now: the revision to stay at, the files to leave out."""
    origin = entry.origin
    if flavor:
        examiner.targets.known(flavor)
        revisions = examiner.targets.revisions(entry.flavor)
        origin = replace(origin, pin=flavor if flavor in revisions[1:] else "")
    excluded = [path for path in dict.fromkeys((*origin.excluded, *wish.exclude)) if path not in wish.include]
    if tuple(excluded) != origin.excluded:
        # Its files are no longer those of a whole rendering, so that digests of the inputs decide nothing.
        entry = replace(entry, inputs="")
    return replace(entry, origin=replace(origin, excluded=tuple(excluded)))


def _choose_flavor(entry: Entry, examiner: Examiner) -> str:
    """Return the flavor that the fork follows: the one that it is pinned to, else its product's current one."""
    known = examiner.targets.inputs.files.paths
    if entry.origin.pin:
        return entry.origin.pin
    return entry.flavor if entry.flavor in known else entry.id


def _for_fork(problem: Problem, root: str) -> Problem:
    """Name the repair that helps in a fork, where a build would not touch edited files."""
    if not problem.repair.endswith("run skillgen build"):
        return problem
    repair = f"take either side of it, or remove it and run skillgen sync --flavor ID --adopt-lock {root}"
    return problem._replace(repair=repair)


def recorded_entry(root: str) -> Entry:
    """Return the one entry of a fork's lock; raise UsageError or InputError where there is none that can be used."""
    lock = f"{root}/{NAME}"
    try:
        entries = [entry for entry in read_lock(root).values() if not entry.origin.upstream]
    except InputError as error:
        raise InputError(_for_fork(problem, root) for problem in error.problems) from None
    if not entries:
        raise UsageError(f"{lock}: there is none; run skillgen sync --flavor ID --adopt-lock {root}")
    if len(entries) > 1:
        raise UsageError(f"{lock}: is that of an output of skillgen build, not of a fork; name a fork")
    entry = entries[0]
    if os.path.isdir(os.path.join(root, entry.id, "skills")) and not os.path.isdir(os.path.join(root, "skills")):
        raise UsageError(f"{lock}: is that of an output of skillgen build; name a fork")
    check_version(entry, lock)
    return entry
