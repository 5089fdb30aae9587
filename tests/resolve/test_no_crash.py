"""Whatever stands where in a flavor, it is resolved or refused with places; it never crashes."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from resolve_toys import resolve_toy, shipped_flavor

from skillgen.model.node import plain

FLAVORS = ("omc", "omc-20260824", "omd", "omni", "omx", "omx-0-20", "pep", "rcs")
SCALARS = [None, True, 0, -1, 10**15, "", "x", "{title}", "{name}", "a/b", "../x", "^(", "^.*$"]
LISTS = [[], [[]], [None], [{}], [{"to": {}}], [["team"]]]
MAPPINGS = [{}, {"kind": "x"}, {"kind": []}, {"kind": None}, {"": 1}, {"like": "ralph"}, {"to": "team"}]
strange = st.sampled_from([*SCALARS, *LISTS, *MAPPINGS]).map(deepcopy)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        found += [place for name, child in value.items() for place in places(child, (*path, name))]
    elif isinstance(value, list):
        found += [place for index, child in enumerate(value) for place in places(child, (*path, index))]
    return found


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FLAVORS), st.data())
def test_a_flavor_with_strange_values_is_refused_with_places(flavor: str, data: st.DataObject) -> None:
    document = json.loads(json.dumps(plain(shipped_flavor(flavor))))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(document)))
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        kind = data.draw(st.sampled_from(["replace", "drop", "add"]))
        if kind == "replace":
            holder[path[-1]] = data.draw(strange)
        elif kind == "drop":
            del holder[path[-1]]
        elif isinstance(holder, dict):
            holder[data.draw(st.sampled_from(["base", "like", "kind", "mode", "x", "flavor"]))] = data.draw(strange)
        if not places(document):
            break
    resolved, problems = resolve_toy(json.dumps(document, ensure_ascii=False))
    assert (resolved is None) == bool(problems)
    assert all(problem.startswith(("toy.yaml", "flavors/", "templates/", "/")) for problem in problems), problems
