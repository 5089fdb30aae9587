"""How skill, bases and flavor become one contract."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resolve_toys import toy

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.model.node import Node, Place, plain
from skillgen.model.resolved import format_key, leaves, parse_key
from skillgen.resolve.merge import merge


def test_an_empty_difference_changes_nothing_but_the_name() -> None:
    base = resolve_all(Inputs((), ()), ["omc"])["omc"].contract
    assert toy("base: omc\n").contract == base.model_copy(update={"flavor": "toy"})


def test_mappings_join_and_lists_replace() -> None:
    contract = toy("base: omc\nproduct: {name: X}\ncommand: {keywords: [halt]}\n").contract
    assert contract.product.name == "X"
    assert contract.product.title == "oh-my-claudecode"
    assert contract.command.keywords == ("halt",)


def test_another_kind_replaces_the_whole_mapping() -> None:
    root = "{kind: workspace, directory: .x, directory_variable: null, state: s, climb: none, override: null}"
    contract = toy(f"base: omc\nroot: {root}\n").contract
    assert contract.root.model_dump()["directory"] == ".x"
    assert "marker" not in contract.root.model_dump()


def test_what_returns_to_a_kind_builds_on_the_nearest_base_of_it() -> None:
    layers = [
        node(text)
        for text in ({"kind": "tmux", "wait": 1, "name": "a"}, {"kind": "message"}, {"kind": "tmux", "name": "b"})
    ]
    joined, before = layers[0], []
    for layer in layers[1:]:
        before.append(joined)
        joined = merge(joined, layer, before)
    assert plain(joined) == {"kind": "tmux", "wait": 1, "name": "b"}
    contract = resolve_all(Inputs((), ()), ["omx-0-20", "rcs"])
    teams = [contract[name].contract.team.model_dump() for name in ("omx-0-20", "rcs")]
    assert [key for key in teams[0] if teams[0][key] != teams[1][key]] == ["session", "name", "overlay"]


def test_null_drops_a_mode_and_like_takes_another_as_its_base() -> None:
    modes = "{ultragoal: null, omc-teams: null, self-improve: null, loop: {like: ralph, title: Loop}}"
    order = "[autopilot, ralph, loop, [ultrawork, ultraqa], swarm, [ultrapilot, pipeline], team, plan-consensus]"
    contract = toy(f"base: omc\nmodes: {modes}\norder: {order}\nfallback: {{never: []}}\n").contract
    assert list(contract.modes)[:3] == ["autopilot", "ralph", "loop"]
    assert "ultragoal" not in contract.modes
    assert contract.modes["loop"].message == "Loop cancelled. Persistent mode deactivated."
    assert contract.modes["loop"].records == ("ralph",)


def test_like_may_name_a_mode_of_the_same_file_that_is_like_another() -> None:
    modes = "{ralph: {title: Anna}, b: {like: c, title: Berta}, c: {like: ralph, title: Clara}}"
    order = "[autopilot, ralph, b, c, [ultrawork, ultraqa], ultragoal, swarm, [ultrapilot, pipeline], team, omc-teams,"
    contract = toy(f"base: omc\nmodes: {modes}\norder: {order} [plan-consensus, self-improve]]\n").contract
    assert [contract.modes[key].title for key in ("ralph", "b", "c")] == ["Anna", "Berta", "Clara"]
    assert contract.modes["b"].does == contract.modes["ralph"].does


def test_modes_stand_in_cancel_order() -> None:
    for resolved in resolve_all(Inputs((), ()), list(Inputs((), ()).files.paths)).values():
        assert list(resolved.contract.modes) == [key for group in resolved.contract.order for key in group]


def test_placeholders_are_filled_in_once() -> None:
    contract = toy(
        "base: omc\nproduct: {name: 'A{x}B'}\nroot: {directory: .d, state: s}\n"
        "notes: ['{name} {command} {dir} {state} {phase} {modes}']\n"
    ).contract
    modes = "autopilot, ralph, ultragoal, swarm, ultrapilot, pipeline, team, omc-teams, plan-consensus, self-improve"
    assert contract.notes == ("A{x}B /oh-my-claudecode:cancel .d .d/s {phase} " + modes,)


def test_braces_that_belong_to_the_text_stay() -> None:
    contract = toy("base: omc\nnotes: ['{\"active\": false} ${x} {} {N} { cwd } {team} {phase}']\n").contract
    assert contract.notes == ('{"active": false} ${x} {} {N} { cwd } {team} {phase}',)


def test_the_title_comes_from_the_mode_that_says_it() -> None:
    contract = toy("base: omc\nmodes: {ralph: {title: Loop}}\n").contract
    assert contract.modes["ralph"].message.startswith("Loop cancelled.")


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("product.name", "toy.yaml:3:9"),
        ("notes[1]", "toy.yaml:6:5"),
        ("modes.ralph.title", "toy.yaml:8:18"),
        ("flavor", "toy.yaml"),
    ],
)
def test_every_value_knows_where_it_was_written(key: str, place: str) -> None:
    resolved = toy("base: omc\nproduct:\n  name: X\nnotes:\n  - a\n  - b\nmodes:\n  ralph: {title: 'L'}\n")
    path = parse_key(key)
    assert path is not None
    assert str(resolved.place(path)) == place


def test_inherited_values_keep_the_places_of_their_files() -> None:
    resolved = toy("base: omc\n")
    assert resolved.place(("product", "name")).path.endswith("flavors/omc.yaml")
    assert resolved.place(("modes", "ralph", "nested")).path.endswith("templates/cancel/skill.yaml")


def test_places_and_contract_have_the_same_shape() -> None:
    for resolved in resolve_all(Inputs((), ()), list(Inputs((), ()).files.paths)).values():
        ordered = resolved.in_order()
        assert plain(ordered.tree) == resolved.contract.model_dump()
        assert all(node.place.line or path[0] in ("flavor", "schema_version") for path, node in leaves(ordered.tree))


PLACE = Place("f", 1, 1)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c", "kind"]), inner, max_size=3)
    ),
    max_leaves=12,
)


def node(value: object) -> Node:
    if isinstance(value, dict):
        return Node({name: node(child) for name, child in value.items()}, PLACE)
    if isinstance(value, list):
        return Node([node(child) for child in value], PLACE)
    assert value is None or isinstance(value, str | int | bool)
    return Node(value, PLACE)


@settings(max_examples=150, deadline=None)
@given(values, values)
def test_laying_the_same_difference_twice_is_laying_it_once(base: object, over: object) -> None:
    once = merge(node(base), node(over))
    assert plain(merge(once, node(over))) == plain(once)
    assert plain(merge(node(base), node(base))) == plain(node(base))


keys = st.lists(st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True) | st.integers(0, 99), min_size=1, max_size=5)


@given(keys.filter(lambda steps: isinstance(steps[0], str)))
def test_a_key_reads_back_as_it_was_written(steps: list[str | int]) -> None:
    assert parse_key(format_key(tuple(steps))) == tuple(steps)
