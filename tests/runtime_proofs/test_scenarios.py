"""Run every scenario of the table against the rendered scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime_proofs import tree
from runtime_proofs.bundle import run
from runtime_proofs.expect import check, observe
from runtime_proofs.scenario import Place, Scenario, load_all, put_up

SCENARIOS = load_all()


def cases(how: str) -> list[Any]:
    chosen = [s for s in SCENARIOS if (getattr(s, how) is not None if how in {"bare", "nojq"} else how in s.hows)]
    return [pytest.param(scenario, id=scenario.name.replace(": ", "-").replace(" ", "-")) for scenario in chosen]


def plain(scenario: Scenario) -> bool:
    """Whether a further `--dry-run` makes sense: the last argument is no option that would take it for its value."""
    return "status" not in scenario.when and scenario.when[-1:] != ("--session-id",)


def arguments(scenario: Scenario, place: Place) -> list[str]:
    given = [argument.replace("<base>", str(place.base)) for argument in scenario.when]
    if given[:1] == ["text"]:
        return given[1:]
    return [*given, "--json"]


def go(scenario: Scenario, place: Place, how: str, *more: str) -> Any:
    return run(
        scenario.flavor, [*arguments(scenario, place), *more], cwd=place.cwd, home=place.home, env=place.env, how=how
    )


@pytest.mark.parametrize("scenario", cases("py"))
def test_cancel_py_does_what_the_scenario_says_and_nothing_else(scenario: Scenario, tmp_path: Path) -> None:
    place = put_up(scenario, tmp_path / "b")
    before = observe(place)
    result = go(scenario, place, "py")
    check(scenario, scenario.then, place, before, observe(place), result)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [each for each in cases("py") if plain(each.values[0])])
def test_a_dry_run_foresees_it_and_a_second_run_changes_nothing(scenario: Scenario, tmp_path: Path) -> None:
    place = put_up(scenario, tmp_path / "b")
    before = observe(place)
    planned = go(scenario, place, "py", "--dry-run")
    assert observe(place) == before, f"a dry run changed something\n{planned}"
    result = go(scenario, place, "py")
    after = observe(place)
    if result.exit == 2:
        assert planned.exit == 2, f"the dry run did not refuse\n{planned}"
        return
    if result.exit == 0 and planned.report and result.report:
        assert planned.exit == 0, f"the dry run foresaw something unresolved\n{planned}"
        assert _touched(planned.report) == _touched(result.report), f"planned\n{planned}\ndone\n{result}"
    again = go(scenario, place, "py")
    assert again.exit == result.exit, f"a second run\n{again}"
    settled = tree.differences(_settled(after[0]), _settled(observe(place)[0]))
    assert settled == {}, f"a second run touched {settled}\n{again}"
    assert {key: body for key, (body, _) in observe(place)[1].items()} == {k: b for k, (b, _) in after[1].items()}


@pytest.mark.slow
@pytest.mark.parametrize("scenario", cases("sh"))
def test_cancel_sh_hands_over_to_cancel_py(scenario: Scenario, tmp_path: Path) -> None:
    place = put_up(scenario, tmp_path / "b")
    before = observe(place)
    result = go(scenario, place, "sh")
    check(scenario, scenario.then, place, before, observe(place), result)


@pytest.mark.parametrize("scenario", cases("bare"))
def test_cancel_sh_without_python(scenario: Scenario, tmp_path: Path) -> None:
    alone(scenario, scenario.bare, "bare", tmp_path / "b")


@pytest.mark.parametrize("scenario", cases("nojq"))
def test_cancel_sh_without_python_and_jq(scenario: Scenario, tmp_path: Path) -> None:
    alone(scenario, scenario.nojq, "nojq", tmp_path / "b")


def alone(scenario: Scenario, expected: Any, how: str, base: Path) -> None:
    """Without python3 only what bash can do safely is done; the rest is refused and nothing changes."""
    place = put_up(scenario, base)
    before = observe(place)
    given = [argument for argument in arguments(scenario, place) if argument != "--json"]
    result = run(scenario.flavor, given, cwd=place.cwd, home=place.home, env=place.env, how=how)
    if expected == "refused":
        then: dict[str, Any] = {"exit": 2}
    elif expected == "same":
        kept = {"exit", "changed", "created", "gone", "stderr", "says"}
        then = {key: value for key, value in scenario.then.items() if key in kept}
    else:
        then = expected
    check(scenario, then, place, before, observe(place), result)


def _touched(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (session["session_id"], mode["mode"], mode["action"])
        for session in report["sessions"]
        for mode in session["modes"]
        if mode["outcome"] in {"done", "planned"}
    ]


def _settled(found: tree.Snapshot) -> tree.Snapshot:
    """Without cancel signals, which every run that clears something renews."""
    return {key: value for key, value in found.items() if "cancel-signal" not in key}


def test_the_table_is_as_large_as_promised() -> None:
    assert len(SCENARIOS) >= 150
