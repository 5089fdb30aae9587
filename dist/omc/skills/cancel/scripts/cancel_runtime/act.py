"""Do a session's plan step by step, then look again; what was done is told item by item."""

from __future__ import annotations

from cancel_runtime import steps
from cancel_runtime.items import ended
from cancel_runtime.ops import Refused, Unresolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from cancel_runtime.items import Item
    from cancel_runtime.plan import SessionPlan
    from cancel_runtime.records import Contract, Record
    from cancel_runtime.roots import Store
    from cancel_runtime.steps import RecordStep, Signal, Terminalize
    from cancel_runtime.teams import Team, TeamResult, TeamStep

    Stopped = list[tuple[Team, list[TeamStep], TeamResult]]


GOOD = ("done", "absent", "planned")


class Done:
    """What became of a session: `outcomes` (item -> outcome) in `items`' order, results of `teams`, `warnings`."""

    __slots__ = ("items", "teams", "warnings")

    def __init__(self, plan: SessionPlan) -> None:
        self.items = plan.items
        self.teams: list[TeamResult] = []
        self.warnings = list(plan.warnings)

    def complete(self) -> bool:
        return all(item.outcome in GOOD for item in self.items)


def foresee(plan: SessionPlan) -> Done:
    """What a dry run reports: each item planned, unless the plan itself refuses it or one that it waits for."""
    done = Done(plan)
    outcomes: dict[str, str] = {}
    for item in plan.items:
        if not item.outcome and not _blocked(item, outcomes):
            item.outcome = "planned"
            item.unseen = any(team.facts.get("unseen") for team, _ in item.teams)
        outcomes[item.mode] = item.outcome
        item.message = item.said()
        done.warnings += item.warnings
    return done


def act(
    contract: Contract,
    store: Store,
    driver: Any,
    plan: SessionPlan,
    say: Callable[[str], None],
    again: Callable[[], SessionPlan] | None = None,
) -> Done:
    """Do it. `say(text)` is called with what must be known before something that could be resumed is removed.

    `again()` returns the plan made anew, of records as they are once the teams have stopped: that takes time, and the program of a
    team writes its state while it ends.
    """
    for item in plan.items:
        for held in (line for team, _ in item.teams for line in team.facts.get("holds", ())):
            say(held)
    results = [_stop(driver, item, team, each) for item in plan.items for team, each in item.teams]
    if results and again is not None:
        try:
            plan = _renewed(plan, again())
        except Refused as error:
            for item in plan.items:
                item.outcome, item.detail, item.steps = item.outcome or "failed", _join(item.detail, str(error)), []
    done = Done(plan)
    done.teams = results
    try:
        with store.locked(plan.session):
            store.sweep(plan.session)
            signalled = _change(store, driver, plan, done, say)
            for item in plan.items:
                _verify(contract, store, item, signalled)
    except Unresolved as error:
        for item in plan.items:
            if not item.outcome:
                item.outcome, item.detail = "failed", _join(item.detail, str(error))
    for item in plan.items:
        done.warnings += item.warnings
        item.message = item.said()
    return done


def _renewed(plan: SessionPlan, new: SessionPlan) -> SessionPlan:
    """The new plan, with what stopping the teams of the old one brought."""
    before = {item.mode: item for item in plan.items if item.teams}
    for item in new.items:
        old = before.get(item.mode)
        if old is not None and old.outcome:
            item.outcome, item.detail = old.outcome, old.detail
        if old is not None:
            item.warnings = old.warnings + [w for w in item.warnings if w not in old.warnings]
    return new


def _stop(driver: Any, item: Item, team: Team, driver_steps: list[TeamStep]) -> TeamResult:
    result: TeamResult = driver.stop(team, [step for step in driver_steps if step.phase != "clean"])
    if result.outcome not in GOOD and not team.refused:
        item.outcome = result.outcome
        item.detail = _join(item.detail, result.detail)
    item.warnings += result.warnings
    result.warnings = []
    return result


def _change(store: Store, driver: Any, plan: SessionPlan, done: Done, say: Callable[[str], None]) -> bool:
    """Do the items' steps; whether a signal that holds the stop hook back stands now."""
    outcomes: dict[str, str] = {}
    signalled = stands = False
    results = iter(done.teams)
    for item in plan.items:
        pairs = [(team, each, next(results)) for team, each in item.teams]
        if item.outcome not in ("refused", "absent") and not _blocked(item, outcomes):
            if item.early:
                say(item.message)
            if item in plan.signals and not signalled and not _stopped_badly(pairs):
                stands = _signal(store, plan.signals[item], done)
                signalled = True
            _item(store, driver, item, pairs)
        outcomes[item.mode] = item.outcome
    return stands


def _stopped_badly(pairs: Stopped) -> bool:
    return any(result.outcome not in GOOD for _, _, result in pairs)


def _blocked(item: Item, outcomes: dict[str, str]) -> bool:
    """Refuse an item whose precondition did not succeed."""
    failed = [need for need in item.needs if outcomes.get(need, "done") not in GOOD]
    if failed and item.outcome != "absent":
        item.outcome = "refused"
        item.detail = _join(item.detail, "it waits for " + ", ".join(failed) + ", which was not cancelled")
    return bool(failed)


def _signal(store: Store, step: Signal, done: Done) -> bool:
    try:
        return store.apply(step)[0] == "done"
    except Unresolved as error:
        done.warnings.append("the cancel signal could not be written: " + str(error))
        return False


def _item(store: Store, driver: Any, item: Item, pairs: Stopped) -> None:
    """The item's steps; the first that fails ends it, so that what a later run needs to see is still there."""
    if _stopped_badly(pairs):
        return
    did = []
    try:
        for team, driver_steps, result in pairs:
            cleaning = [step for step in driver_steps if step.phase == "clean"]
            if cleaning:
                _clean(driver, item, team, cleaning, result)
            did.append(result.outcome)
        for step in item.steps:
            if not isinstance(step, steps.StopTeam):
                outcome, detail = store.apply(step)
                did.append(outcome)
                if isinstance(step, steps.Signal) and outcome == "done":
                    said = "the cancel signal " + step.path + " stops every later run too: delete it before resuming"
                    item.warnings.append(said)
                if isinstance(step, steps.Terminalize):
                    _require_ended(store, step)
                item.detail = _join(item.detail, detail)
    except Unresolved as error:
        item.outcome = "failed"
        item.detail = _join(item.detail, str(error))
        return
    if not item.outcome:
        item.outcome = "done" if "done" in did or not did else "absent"
    for _, _, result in pairs:
        result.state_cleared = item.outcome in GOOD
        item.unseen = item.unseen or bool(result.unseen)
    if pairs:
        item.message = ended(item, [result for _, _, result in pairs])


def _require_ended(store: Store, step: Terminalize) -> None:
    """A terminal record is seen to be one before anything is done that needs it (facts R11)."""
    record = store.look(step.record)
    if record.state not in ("inactive", "absent"):
        raise Unresolved(record.path + " " + (record.problem or "is active again"))


def _clean(driver: Any, item: Item, team: Team, cleaning: list[TeamStep], result: TeamResult) -> None:
    after = driver.clean(team, cleaning, result)
    item.touch(*after.paths)
    item.warnings += after.warnings
    after.warnings = []
    if after.outcome not in GOOD:
        raise Unresolved(after.detail or "team " + team.name + " could not be tidied up")


def _verify(contract: Contract, store: Store, item: Item, signalled: bool) -> None:
    """Look again at every record that the item changed; never believe that it worked.

    A stop hook that had read a record before it went may write it back (facts C21). Once the signal holds the hook back, the record
    is cleared once more; one that comes back even then is failed.
    """
    if item.outcome not in ("done", "absent"):
        return
    final = {}
    for step in item.steps:
        if isinstance(step, steps.RecordStep):
            final[step.record.place, step.record.name] = step
    for step in final.values():
        record = store.look(step.record)
        problem = _problem(contract, step, record)
        if problem and signalled and isinstance(step, steps.Clear) and record.state == "active":
            try:
                store.apply(step)
                record = store.look(step.record)
                problem = _problem(contract, step, record)
            except Unresolved as error:
                problem = "is active again, and stays: " + str(error)
        if problem:
            item.outcome = "failed"
            item.detail = _join(item.detail, record.path + " " + problem)


def _problem(contract: Contract, step: RecordStep, record: Record) -> str:
    if record.state == "absent":
        return ""
    if record.state == "unreadable":
        return record.problem
    if isinstance(step, steps.Release):
        again = record.body is None or step.released(record.body, contract["last"]) is not None
        return "still names this session" if again else ""
    if isinstance(step, steps.Clear) and (step.anyway or step.unowned):
        return "" if record.state == "foreign" and record.owner else "is there again"
    if isinstance(step, steps.Clear) and record.state == "foreign":
        return ""  # another session's record took its place
    if record.bad():
        return record.problem
    return "is active again" if record.state == "active" else ""


def _join(before: str, more: str) -> str:
    return before + "; " + more if before and more else before or more
