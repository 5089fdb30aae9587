"""A mode that a flavor drops is gone from everything that its bases say, or the lines that still need it are named."""

from __future__ import annotations

import pytest
from resolve_toys import resolve_toy

from skillgen.hosts import shipped_hosts
from skillgen.model.resolved import Resolved

FLAVORS = ("omc", "omni", "pep", "rcs", "omd", "omx")


def _modes(flavor: str) -> list[str]:
    resolved, problems = resolve_toy(f"base: {flavor}\n")
    assert resolved, problems
    return list(resolved.contract.modes)


CASES = [(flavor, mode) for flavor in FLAVORS for mode in _modes(flavor)]


@pytest.mark.parametrize(("flavor", "mode"), CASES)
def test_a_dropped_mode_is_named_nowhere_any_more_or_each_line_that_needs_it_is(flavor: str, mode: str) -> None:
    resolved, problems = resolve_toy(f"base: {flavor}\nmodes: {{{mode}: null}}\n")
    if resolved is None:
        needed = ("no mode has the action `shutdown`, ", f"`front.description` promises `{mode}`, ")
        assert problems and all(any(text in one for text in needed) for one in problems), problems
        return
    _is_gone(resolved, mode)


def _is_gone(resolved: Resolved, mode: str) -> None:
    contract = resolved.contract
    assert mode not in contract.modes
    assert mode not in [name for group in contract.order for name in group]
    assert all(contract.order)
    assert mode not in contract.fallback.never
    assert not [key for key, one in contract.modes.items() if mode in [link.to for link in one.links]]
    owned = {link.to for one in contract.modes.values() for link in one.links}
    assert not [key for key, one in contract.modes.items() if one.linked_message and key not in owned]


def test_most_modes_of_every_product_go_without_a_further_word() -> None:
    assert sum(resolve_toy(f"base: {flavor}\nmodes: {{{mode}: null}}\n")[0] is not None for flavor, mode in CASES) > 45


def test_the_records_of_a_dropped_mode_leave_the_lists_of_records() -> None:
    base, _ = resolve_toy("base: omni\n")
    resolved, problems = resolve_toy("base: omni\nmodes: {ralph: null}\n")
    assert base and resolved, problems
    assert "ralph" in base.contract.signal.modes  # type: ignore[union-attr]
    assert "ralph" not in resolved.contract.signal.modes  # type: ignore[union-attr]
    assert "autopilot" in resolved.contract.signal.modes  # type: ignore[union-attr]


def test_the_record_of_a_dropped_mode_stays_listed_while_another_mode_has_it() -> None:
    text = "base: omni\norder: [autopilot, loop, ultrawork, ultraqa, swarm, ultrapilot, pipeline, team, plan-consensus, self-improve]\n"
    resolved, problems = resolve_toy(text + "modes: {ralph: null, loop: {like: ralph, title: Loop}}\n")
    assert resolved, problems
    assert "ralph" in resolved.contract.signal.modes  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("order: [ralph]\n", "toy.yaml:3:9: `order` names `ralph`, which toy.yaml:2 drops, leave it out here"),
        ("fallback: {never: [ralph]}\n", "toy.yaml:3:20: `fallback.never` names `ralph`, which toy.yaml:2 drops"),
    ],
)
def test_what_the_flavor_itself_says_of_a_mode_that_it_drops_is_told_with_both_lines(text: str, message: str) -> None:
    resolved, problems = resolve_toy("base: omc\nmodes: {ralph: null}\n" + text)
    assert resolved is None
    assert any(message in problem for problem in problems), problems


def test_a_link_of_the_flavor_to_a_mode_that_it_drops_is_told_with_both_lines() -> None:
    _, problems = resolve_toy("base: omc\nmodes:\n  ralph: null\n  swarm: {links: [{to: ralph}]}\n")
    assert problems == [
        "toy.yaml:4:24: `modes.swarm.links` names `ralph`, which toy.yaml:3 drops, leave it out here, or take that null away"
    ]


def test_a_mode_that_a_later_flavor_brings_back_is_in_the_order_again() -> None:
    from skillgen.build.contracts import Documents
    from skillgen.build.inputs import Inputs

    documents = Documents(Inputs((), ()), ["omc"])
    documents.add("without", b"base: omc\nmodes: {swarm: null}\n")
    resolved = documents.add("again", b"base: without\nmodes: {swarm: {}}\n").resolve("again")
    assert resolved, documents.problems
    assert "swarm" in resolved.contract.modes
    assert ("swarm",) in resolved.contract.order


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "mode: {ralph: null}\n",
            "2:8: `mode` holds what every mode begins with, and `ralph` is one mode, did you mean `modes: {ralph: …}`?",
        ),
        (
            "mode: {ralf: {title: X}}\n",
            "2:8: `mode` holds what every mode begins with, and has no key `ralf`, did you mean `modes: {ralph: …}`?",
        ),
        ("mode: ralph\n", "2:7: `mode` is no mapping, write one"),
        ("modes: [ralph]\n", "2:8: `modes` is no mapping, write one, such as `modes: {ralph: {}}`"),
        ("modes:\n", "2:7: `modes` is empty, write one"),
        ("modes: {ralf: null}\n", "2:9: `modes.ralf` is null, yet no base has that mode, did you mean `ralph`?"),
        ("modes: {Ralph: null}\n", "did you mean `ralph`?"),
        (
            "modes: {ralf: {title: Persist}}\n",
            "2:9: `modes.ralf` says too little for a new mode, and none is known by that name, did you mean `ralph`?",
        ),
        (
            "modes: {ralf: {}}\n",
            "2:9: `modes.ralf` says too little for a new mode, and none is known by that name, did you mean `ralph`?",
        ),
        ("moed: {keeps: x}\n", "2:1: unknown key `moed`, did you mean `mode`?"),
        ("mdoes: {ralph: null}\n", "2:1: unknown key `mdoes`, did you mean `modes`?"),
        ("ralph: {title: X}\n", "2:1: `ralph` is a mode, write it below `modes`: `modes: {ralph: …}`"),
        ("host: {id: claud-code}\n", "did you mean `claude-code`?"),
    ],
)
def test_a_slip_of_the_pen_is_one_problem_that_names_what_was_meant(text: str, message: str) -> None:
    resolved, problems = resolve_toy("base: omc\n" + text)
    assert resolved is None
    assert len(problems) == 1, problems
    assert message in problems[0]


def test_a_base_in_a_mistyped_key_is_one_problem() -> None:
    assert resolve_toy("bsae: omc\n")[1] == ["toy.yaml:1:1: unknown key `bsae`, did you mean `base`?"]


def test_letters_in_another_order_are_a_nearer_miss_than_a_letter_of_its_own() -> None:
    assert resolve_toy("base: ocm\n")[1] == ["toy.yaml:1:7: `base` names the unknown flavor `ocm`, did you mean `omc`?"]


def test_every_host_that_is_known_is_offered_for_its_slip() -> None:
    for id_ in shipped_hosts().offered:
        _, problems = resolve_toy(f"base: omc\nhost: {{id: {id_[:-1]}}}\n")
        assert any("did you mean `" in one or "known are `" in one for one in problems), problems
