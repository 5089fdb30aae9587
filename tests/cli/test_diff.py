"""`skillgen diff`: what changed in meaning, then in text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.drift.change import GROUPS
from skillgen.drift.meaning import changes, json_changes
from skillgen.model.resolved import Resolved

Run = Callable[..., Any]


def between(skillgen: Run, tmp_path: Path, difference: str) -> list[dict[str, Any]]:
    """Return the changes from omc to omc with a difference, without what the file's name and revision bring."""
    (tmp_path / "mine.yaml").write_text("base: omc\n" + difference)
    result = skillgen("diff", "omc", "mine", "--json", "--flavors", tmp_path)
    assert result.code in (0, 1), result.err
    found: list[dict[str, Any]] = json.loads(result.out)["changes"]
    return found


def test_the_newer_omc_is_told_in_meaning_first(skillgen: Run) -> None:
    result = skillgen("diff", "omc-20260824", "omc")
    assert result.code == 1
    told = [
        "`--force`: from every session to urgency only",
        "missing identity: from legacy files",
        "to refusal",
        "global pass: from unconditional to gated",
        "uncaptured team roots: from swept away to protected",
    ]
    places = [result.out.index(text) for text in told]
    assert places == sorted(places)
    text = result.out.index("\nText\n")
    assert places[-1] < text < result.out.index("+++ omc/SKILL.md")


def test_what_changes_behaviour_is_marked(skillgen: Run) -> None:
    lines = skillgen("diff", "omc-20260824", "omc").out.splitlines()
    assert any(line.startswith("  ! ") and "`--force`" in line for line in lines)
    assert any(line.startswith("  · ") and "argument-hint" in line for line in lines)


def test_a_flavor_does_not_differ_from_itself(skillgen: Run) -> None:
    result = skillgen("diff", "omc", "omc")
    assert result.code == 0
    assert "No change in meaning." in result.out


@pytest.mark.parametrize(
    ("difference", "group", "behaviour", "text"),
    [
        ("stale_s: 60\n", "state", True, "age past which a record is shown as stale: from 7200 s to 60 s"),
        ("notes: [x]\n", "text", False, "`notes` also says: `x`"),
        (
            "modes: {ralph: {action: deactivate}}\n",
            "modes",
            True,
            "Ralph: from “its record is removed” to “it is paused",
        ),
        ("modes: {ralph: {message: Bye.}}\n", "messages", False, "Ralph, message: from `Ralph cancelled. Persistent"),
        (
            "modes: {ralph: {retired: true}}\n",
            "modes",
            True,
            "Ralph is retired: its record is cleared whatever it says",
        ),
        (
            "modes: {ralph: {links: [{to: swarm, flag: x}]}}\n",
            "links",
            True,
            "new link `ralph` → `swarm` (by the flag `x`",
        ),
        ("tools: {write: merge}\n", "tools", True, "a write of a state tool: from replaces the record to merges into"),
        ("team: {grace_s: 30}\n", "team", True, "time that workers get to stop: from 15 s to 30 s"),
        (
            "fallback: {never: [team]}\n",
            "protections",
            True,
            "without python3 the shell script may touch `autopilot`, `omc-t",
        ),
        ("kept: []\n", "protections", True, "`.omc/plans` is no longer named as kept"),
        ("command: {keywords: [halt]}\n", "invocation", True, "`halt` triggers the skill"),
        (
            "signal: {kind: none}\n",
            "ending",
            True,
            "how a cancel is announced: from by a file in the session's directory to",
        ),
        ("product: {author: '{x}'}\n", "release", False, "`product.author`: from `Yeachan Heo` to `{x}`"),
    ],
)
def test_one_difference_is_told_in_words(
    skillgen: Run, tmp_path: Path, difference: str, group: str, behaviour: bool, text: str
) -> None:
    found = [change for change in between(skillgen, tmp_path, difference) if change["text"].startswith(text)]
    assert [(change["group"], change["behaviour"]) for change in found] == [(group, behaviour)]


def test_two_modes_that_become_one_item_are_no_new_order(skillgen: Run, tmp_path: Path) -> None:
    order = "[autopilot, ralph, [ultrawork, ultraqa], [ultragoal, swarm], [ultrapilot, pipeline], team, omc-teams, "
    found = between(skillgen, tmp_path, f"order: {order}[plan-consensus, self-improve]]\n")
    assert [(change["group"], change["behaviour"]) for change in found] == [("order", False)]
    assert found[0]["text"] == "`ultragoal` and `swarm` become one item (9 → 8 items, same order)"


def test_another_order_changes_behaviour(skillgen: Run, tmp_path: Path) -> None:
    order = "[ralph, autopilot, [ultrawork, ultraqa], ultragoal, swarm, [ultrapilot, pipeline], team, omc-teams, "
    found = between(skillgen, tmp_path, f"order: {order}[plan-consensus, self-improve]]\n")
    assert [change["behaviour"] for change in found if change["group"] == "order"] == [True]


def resolved() -> dict[str, Resolved]:
    inputs = Inputs((), ())
    return resolve_all(inputs, list(inputs.files.paths))


CONTRACTS = {id_: found.contract for id_, found in resolved().items()}


@pytest.mark.parametrize("one", CONTRACTS)
@pytest.mark.parametrize("two", CONTRACTS)
def test_every_pair_of_flavors_can_be_told(one: str, two: str) -> None:
    found = changes(CONTRACTS[one], CONTRACTS[two])
    assert bool(found) == (one != two)
    assert [GROUPS.index(change.group) for change in found] == sorted(GROUPS.index(change.group) for change in found)
    assert all(change.text and change.before != change.after for change in found)


def scalars(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [found for name, child in value.items() for found in scalars(child, (*path, name))]
    if isinstance(value, list):
        return [found for index, child in enumerate(value) for found in scalars(child, (*path, index))]
    return [path]


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(sorted(CONTRACTS)), st.data())
def test_no_changed_value_goes_untold(id_: str, data: st.DataObject) -> None:
    before, changed = (CONTRACTS[id_].model_dump(mode="json") for _ in range(2))
    paths = [path for path in scalars(changed) if path[0] not in ("flavor", "schema_version") and path[-1] != "kind"]
    path = data.draw(st.sampled_from(paths))
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    value = holder[path[-1]]
    holder[path[-1]] = (not value) if isinstance(value, bool) else value + 1 if isinstance(value, int) else "other"
    assert json_changes(before, changed), path
