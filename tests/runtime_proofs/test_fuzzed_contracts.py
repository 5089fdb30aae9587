"""Whatever stands in a planted contract.json, a run ends in an exit code and clear lines, and changes nothing outside its root."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from runtime_proofs import runtime
from runtime_proofs.bundle import FLAVORS, contract, environment

VICTIMS = (
    "victim/ralph-state.json",
    "victim/keep.txt",
    "ralph-state.json",
    "home/keep.txt",
    "ws/own.txt",
    "ws/src/ralph-state.json",
)
HOSTILE: list[Any] = [
    *("../victim", "../../victim", "..", ".", "", "/", "/etc/passwd", "{base}/victim", "src", "own.txt", ".git"),
    *(
        "\x1b]0;T\x07",
        "a\nb",
        "a\x00b",
        "\u202e",
        "\ud800",
        "$(touch pwned)",
        "`touch pwned`",
        "; touch pwned",
        "a" * 70_000,
    ),
    *("(a+)+$", "[", "{session}", "{x}", "%s", "-rf", "--all", "*"),
    *(None, True, False, 0, -1, 10**30, 1e308, [], {}, [[]], {"": None}, ["../victim"], {"../victim": "../victim"}),
]


def leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value of a contract, those that hold others included."""
    yield at
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from leaves(inner, (*at, key))


def planted(flavor: str, changes: list[tuple[tuple[Any, ...], Any]], base: Path) -> Any:
    found = copy.deepcopy(contract(flavor))
    for at, value in changes:
        if isinstance(value, str):
            value = value.replace("{base}", str(base))
        if not at:
            return value
        with contextlib.suppress(LookupError, TypeError):
            inner = found
            for key in at[:-1]:
                inner = inner[key]
            inner[at[-1]] = value
    return found


def lay(base: Path, flavor: str) -> None:
    """A workspace with an active ralph, and the same names outside of its state."""
    shutil.rmtree(base, ignore_errors=True)
    for name in VICTIMS:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text('{"active": true, "session_id": "s1"}')
    root = contract(flavor)["root"]
    state = base / "ws" / str(root.get("directory") or ".omni") / "state/sessions/s1"
    state.mkdir(parents=True)
    for mode in ("ralph", "autopilot", "team", "forge", "ultragoal"):
        (state / f"{mode}-state.json").write_text('{"active": true, "session_id": "s1", "team_name": "t"}')


def outside(base: Path) -> dict[str, Any]:
    return {name: (base / name).read_bytes() if (base / name).is_file() else None for name in VICTIMS} | {
        "made": sorted(path.name for path in (base / "victim").iterdir())
    }


def law(flavor: str, changes: list[tuple[tuple[Any, ...], Any]], arguments: list[str], base: Path) -> None:
    lay(base, flavor)
    skill = base / "skill"
    skill.mkdir()
    # What JSON cannot say no planted file holds either.
    (skill / "contract.json").write_text(json.dumps(planted(flavor, changes, base)), encoding="utf-8")
    before = outside(base)
    out, err = io.StringIO(), io.StringIO()
    here = Path.cwd()
    kept = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment(base / "home", {}))
    os.chdir(base / "ws")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = runtime.run.main(arguments, str(skill))
            except SystemExit as error:
                code = error.code
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(kept)
    said = out.getvalue() + err.getvalue()
    assert code in (0, 1, 2), said
    assert outside(base) == before, said
    assert not (base / "ws/pwned").exists()
    assert not [char for char in said if ord(char) < 32 and char not in "\n\t"] and "\u202e" not in said, said
    if code == 2:
        assert out.getvalue() == "" and len(err.getvalue().splitlines()) == 1, said


ARGUMENTS = ([], ["--json"], ["--dry-run"], ["--force"], ["--all"], ["status"], ["--mode", "ralph"])


@st.composite
def hostile(draw: st.DrawFn) -> tuple[str, list[tuple[tuple[Any, ...], Any]], list[str]]:
    flavor = draw(st.sampled_from(FLAVORS))
    places = st.sampled_from(sorted(leaves(contract(flavor)), key=repr))
    changes = draw(st.lists(st.tuples(places, st.sampled_from(HOSTILE)), min_size=1, max_size=3))
    arguments = draw(st.sampled_from(ARGUMENTS))
    return flavor, changes, ["--session-id", "s1", *arguments] if "--all" not in arguments else list(arguments)


fuzz = settings(deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_a_root_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    for directory in ("../victim", "{base}/victim", "a/../../victim"):
        law("omc", [(("root", "directory"), directory)], ["--all"], tmp_path / "b")


@settings(fuzz, max_examples=60)
@given(hostile())
def test_a_contract_hostile_anywhere_ends_in_an_exit_code_and_touches_nothing_outside(
    tmp_path: Path, given_values: tuple[str, list[tuple[tuple[Any, ...], Any]], list[str]]
) -> None:
    law(*given_values, tmp_path / "b")


@pytest.mark.slow
@settings(fuzz, max_examples=1_000)
@given(hostile())
def test_many_hostile_contracts_touch_nothing_outside(
    tmp_path: Path, given_values: tuple[str, list[tuple[tuple[Any, ...], Any]], list[str]]
) -> None:
    law(*given_values, tmp_path / "b")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("flavor", FLAVORS)
def test_every_value_of_a_contract_may_be_hostile(tmp_path: Path, flavor: str) -> None:
    for number, at in enumerate(leaves(contract(flavor))):
        for turn in range(3):
            value = HOSTILE[(number * 7 + turn * 11) % len(HOSTILE)]
            law(flavor, [(at, value)], ["--session-id", "s1", *ARGUMENTS[(number + turn) % 4]], tmp_path / "b")
