"""Run plan and engine in every small world of each flavor's linked modes, with every single fault."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from runtime_proofs.bundle import contract
from runtime_proofs.model.memory import MALFORMED, World
from runtime_proofs.model.oracle import GOOD, SESSION, Case, Request, check, worlds

FLAVORS = ("rcs", "omx", "pep", "omc", "omni", "omd", "omc-20260824")
FAULTS = ("lock", "write", "unlink", "parse", "return")
OTHER: World = {
    ("s2", "ralph"): {"active": True, "linked_team": True},
    ("s2", "autopilot"): {"active": True, "phase": "x"},
    ("s2", "ultraqa"): {"active": True},
    ("s2", "team"): {"active": False},
}


def groups(flavor: str) -> list[list[str]]:
    """Keys of modes that are joined by links."""
    modes = contract(flavor)["modes"]
    joined: list[set[str]] = []
    for owner, mode in modes.items():
        for link in mode["links"]:
            pair = {owner, link["to"]}
            touching = [group for group in joined if group & pair]
            joined = [group for group in joined if not group & pair] + [set().union(pair, *touching)]
    return [[key for key in modes if key in group] for group in joined]


def flags(flavor: str, key: str, group: list[str]) -> list[dict[str, Any]]:
    """Every setting of the fields by which this mode is linked within its group: absent, true, false."""
    modes = contract(flavor)["modes"]
    choices: dict[str, set[Any]] = {}
    for owner in group:
        for link in modes[owner]["links"]:
            if owner == key:
                for field in (link["flag"], link["present"]):
                    choices.setdefault(field, set()).update((True, False)) if field else None
                if link["names"]:
                    choices.setdefault(link["names"], set()).add(link["to"])
            elif link["to"] == key and link["back"]:
                choices.setdefault(link["back"], set()).update((True, False))
    fields = sorted(choices)
    found = []
    for values in itertools.product(*([None, *sorted(choices[field], key=str)] for field in fields)):
        found.append({field: value for field, value in zip(fields, values, strict=True) if value is not None})
    return found


def bodies(flavor: str, key: str, group: list[str]) -> list[Any]:
    settings = flags(flavor, key, group)
    active = [{"active": True, "keep": key, **each} for each in settings]
    return [None, *active, {"active": False, **settings[-1]}, MALFORMED]


def linked_worlds(flavor: str) -> list[World]:
    found = []
    for group in groups(flavor):
        modes = contract(flavor)["modes"]
        choices = {modes[key]["records"][0]: bodies(flavor, key, group) for key in group}
        found += [world for world in worlds(choices) if world]
    return found


def sampled(flavor: str, count: int | None, seed: int = 0) -> list[World]:
    """So many linked worlds, or all of them, each beside another session's records and the record that goes last."""
    found = linked_worlds(flavor)
    if count is not None and len(found) > count:
        found = random.Random(seed).sample(found, count)
    return [{**world, **OTHER, **last(flavor)} for world in found]


def last(flavor: str) -> World:
    told = contract(flavor)["last"]
    return {(SESSION, told["record"]): {"active": True}} if told["kind"] == "record" else {}


def run(flavor: str, world: World, request: Request, fault: tuple[str, int] | None = None) -> Case:
    case = Case(contract(flavor), world, request, fault)
    check(case)
    return case


def teams(flavor: str) -> tuple[str, ...]:
    return ("done", "failed", "refused")


def every_fault(flavor: str, world: World, request: Request, whole: Case) -> int:
    """Let each single operation of a run fail once, then run again without a fault: it must end as the first run does."""
    count = 0
    for kind in (*FAULTS, "session-lock"):
        turns = 1 if kind == "session-lock" else whole.store.seen.get(kind, 0)
        for turn in range(turns):
            case = run(flavor, world, request, (kind, turn))
            count += 1
            if kind in ("lock", "write", "unlink", "session-lock"):
                again = run(flavor, case.store.world, request)
                assert again.store.digest() == whole.store.digest(), f"a second run ends elsewhere\n{case}\n{again}"
    return count


@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_sample_of_linked_worlds_with_every_fault(flavor: str) -> None:
    count = 0
    for world in sampled(flavor, 60, seed=1):
        for team in teams(flavor):
            request = Request(team=team)
            count += 1 + every_fault(flavor, world, request, run(flavor, world, request))
    assert count > (400 if groups(flavor) else -1)


@pytest.mark.slow
@pytest.mark.parametrize("flavor", FLAVORS)
def test_every_linked_world_is_cancelled_by_the_rules(flavor: str) -> None:
    """All states and link flags: 17,279 worlds of rcs, 103,679 of pep, 6,911 of omni, 3,455 of each omc."""
    for world in sampled(flavor, None):
        run(flavor, world, Request())


@pytest.mark.slow
@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_large_sample_of_linked_worlds_with_every_fault(flavor: str) -> None:
    for world in sampled(flavor, 600, seed=3):
        for team in teams(flavor):
            request = Request(team=team)
            every_fault(flavor, world, request, run(flavor, world, request))


@pytest.mark.slow
@pytest.mark.parametrize("flavor", FLAVORS)
def test_every_request_in_a_sample_of_linked_worlds(flavor: str) -> None:
    keys = [key for group in groups(flavor) for key in group]
    requests = [Request(modes=(key,), team=team) for key in keys for team in teams(flavor)]
    requests += [Request(modes=pair) for pair in itertools.combinations(keys, 2)]
    requests += [Request(scope="all", urgency="forced", team=team) for team in teams(flavor)]
    for world in sampled(flavor, 250, seed=4):
        for request in requests:
            run(flavor, world, request)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_every_request_in_a_few_linked_worlds(flavor: str) -> None:
    keys = [key for group in groups(flavor) for key in group]
    for world in sampled(flavor, 60, seed=5):
        for request in [Request(scope="all", urgency="forced"), *(Request(modes=(key,)) for key in keys)]:
            run(flavor, world, request)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_pairs_of_unlinked_modes_do_not_hinder_each_other(flavor: str) -> None:
    modes = contract(flavor)["modes"]
    joined = {key for group in groups(flavor) for key in group}
    alone = [key for key, mode in modes.items() if key not in joined and not mode["shared"]]
    states = [None, {"active": True, "keep": 1}, {"active": False, "keep": 1}, MALFORMED]
    for pair in itertools.combinations(alone, 2):
        for world in worlds({modes[key]["records"][0]: states for key in pair}):
            given = {**world, **OTHER, **last(flavor)}
            whole = run(flavor, given, Request())
            every_fault(flavor, given, Request(), whole)


@pytest.mark.slow
@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_sample_of_the_full_product(flavor: str) -> None:
    """All modes at once, each in any state, any flag, with a fault anywhere."""
    dice = random.Random(6)
    modes = contract(flavor)["modes"]
    every = [key for key in modes if not modes[key]["shared"]]
    choices = {key: bodies(flavor, key, every) for key in every}
    for _ in range(3000):
        world = {(SESSION, modes[key]["records"][0]): dice.choice(choices[key]) for key in every}
        world = {key: body for key, body in world.items() if body is not None}
        given = {**world, **OTHER, **last(flavor)}
        request = Request(
            scope=dice.choice(("current", "current", "all")),
            modes=tuple(dice.sample(every, dice.choice((0, 0, 1, 2)))),
            team=dice.choice(("done", "failed", "refused")),
        )
        fault = dice.choice((None, *((kind, turn) for kind in FAULTS for turn in range(4))))
        run(flavor, given, request, fault)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_dry_run_foresees_what_a_run_does(flavor: str) -> None:
    for world in sampled(flavor, 120, seed=7):
        for team in ("done", "refused"):
            whole = run(flavor, world, Request(team=team))
            seen = Case(contract(flavor), world, Request(team=team, dry_run=True))
            assert seen.store.log == [] and seen.store.world == world
            foreseen = {item.mode: item.outcome in GOOD for item in seen.done[SESSION].items}
            assert foreseen == {item.mode: item.outcome in GOOD for item in whole.done[SESSION].items}, whole


def test_the_check_notices_what_is_wrong() -> None:
    """A check that cannot fail proves nothing: spoil runs in the ways that it is there to notice."""
    rcs = contract("rcs")
    linked = {(SESSION, "forge"): {"active": True, "linked_ultrawork": True}, (SESSION, "ultrawork"): {"active": True}}
    world: World = {
        **linked,
        (SESSION, "pipeline"): {"active": True},
        (SESSION, "ultraqa"): MALFORMED,
        ("s2", "ralph"): {"active": True},
    }

    def spoilt(change: Any) -> Case:
        case = Case(rcs, world, Request())
        check(case)
        change(case)
        return case

    def swap(case: Case) -> None:
        case.store.log.reverse()

    spoils = [
        lambda case: case.store.world.pop(("s2", "ralph")),
        lambda case: case.store.world.pop((SESSION, "ultraqa")),
        lambda case: case.store.world.update({(SESSION, "pipeline"): {"active": True}}),
        lambda case: case.store.world.pop((SESSION, "forge")),
        lambda case: case.store.world[SESSION, "ultrawork"].update(current_phase="x"),
        lambda case: [setattr(item, "outcome", "done") for item in case.done[SESSION].items],
        swap,
    ]
    for spoil in spoils:
        with pytest.raises(AssertionError):
            check(spoilt(spoil))
