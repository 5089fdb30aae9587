"""The law on a stand-in of copilot-omni: what a report calls complete is over for its own skills, and nobody else's work is touched."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from runtime_proofs.bundle import Result, run
from runtime_proofs.omni_standin import MODES, NESTED, Standin

HOST = {"COPILOT_AGENT_SESSION_ID": "agent-1"}
"""All that Copilot's shell tells of a session (facts O24)."""
MEANT = {
    "nothing names it": ([], {}, ""),
    "the variable names it": ([], {"OMNI_SESSION_ID": "s1"}, "s1"),
    "the argument names it": (["--session-id", "s1"], {}, "s1"),
    "the argument wins": (["--session-id", "s1"], {"OMNI_SESSION_ID": "s2"}, "s1"),
    "an id that nobody knows": (["--session-id", "s9"], {}, "s9"),
}
BODIES: dict[str, Any] = {
    "an empty body": {},
    "a phase and no flag": {"phase": "x", "status": "running", "iteration": 2},
    "a flag": {"active": True},
    "a flag as text": {"active": "true"},
    "a flag that is none": {"active": "yes"},
    "at rest": {"active": False, "phase": "x"},
    "a state that only ends teams": {"state": "done"},
}
HOWS = {"python3": "py", "the shell with python3": "sh", "no python3": "bare"}


@pytest.fixture
def omni(tmp_path: Path) -> Standin:
    (tmp_path / "project/a").mkdir(parents=True)
    return Standin(tmp_path / "home")


def cancel(omni: Standin, how: str, arguments: list[str], env: dict[str, str], cwd: str = ".") -> Result:
    home = omni.path.parents[1]
    return run(
        "omni", [*arguments, "--json"], cwd=home.parent / "project" / cwd, home=home, how=how, env={**HOST, **env}
    )


def law(omni: Standin, done: Result, session: str, before: dict[str, set[str]]) -> None:
    """If the report says complete, nothing that it could cancel goes on; other sessions go on as they did."""
    for other, held in before.items():
        if other != session:
            assert omni.holds(other) == held, f"session {other!r} was touched\n{done}"
    if done.exit == 2:
        assert done.report is None and omni.holds(session) == before.get(session, set()), done
        return
    assert done.report is not None and done.report["complete"] == (done.exit == 0), done
    left = omni.holds(session)
    assert not (done.report["complete"] and left & {*MODES, *NESTED}), f"complete, and {left} goes on\n{done}"
    if before.get(session, set()) & {*MODES, *NESTED}:
        assert not done.report["message"].startswith("No active"), done
    elsewhere = {(entry["session_id"], entry["mode"]) for entry in done.report["elsewhere"]}
    if done.report["message"].startswith("No active"):
        assert {other for other, _ in elsewhere} == {o for o, held in before.items() if o != session and held}, done


@pytest.mark.parametrize("meant", MEANT)
@pytest.mark.parametrize("how", HOWS)
def test_whoever_is_meant_and_whatever_the_rows_say(how: str, meant: str, omni: Standin) -> None:
    arguments, env, session = MEANT[meant]
    for body, mode in itertools.product(BODIES, ("ralph", "autopilot", "plan")):
        omni.state_clear()
        for owner in ("", "s1", "s2"):
            omni.state_write(mode, owner, body=BODIES[body])
        omni.state_write("subagent:1", session, body={})
        before = {owner: omni.holds(owner) for owner in ("", "s1", "s2")}
        done = cancel(omni, HOWS[how], arguments, env, "a" if mode == "plan" else ".")
        law(omni, done, session, before)
        if HOWS[how] == "bare":
            assert done.exit == 2, done
        elif body != "a flag that is none":
            assert done.exit == 0, done


@pytest.mark.parametrize("mode", [*MODES, *NESTED])
def test_every_mode_that_goes_on_is_found_and_ended(mode: str, omni: Standin) -> None:
    for session, body in itertools.product(("", "s1"), ({}, {"active": True})):
        omni.state_clear()
        omni.state_write(mode, session, body=body)
        before = {session: omni.holds(session)}
        assert before[session] == {mode}
        done = cancel(omni, "py", ["--session-id", session] if session else [], {})
        law(omni, done, session, before)
        assert done.exit == 0 and omni.holds(session) == set(), done


@pytest.mark.parametrize("flag", ["--force", "--all"])
def test_with_every_session_selected_nothing_listed_goes_on_anywhere(flag: str, omni: Standin) -> None:
    for session, mode in itertools.product(("", "s1", "../odd"), (*MODES, *NESTED)):
        omni.state_write(mode, session, body={})
    omni.state_write("swarm", body={})
    omni.state_write("deep-interview", "s1", body={})
    done = cancel(omni, "py", [flag], {})
    assert done.exit == 0 and done.report and done.report["complete"], done
    assert {row["mode"] for row in omni.state_read()} == {"deep-interview"}
    assert "deep-interview" in json.dumps(done.report["warnings"])


def test_the_product_s_own_call_of_the_old_text_leaves_a_row_that_is_still_found(omni: Standin) -> None:
    """`state=` is no argument of the tool: the body becomes `{}`, and a row of `{}` goes on (facts O1)."""
    omni.state_write("ralph", "s1", state={"active": False})
    assert omni.holds("s1") == {"ralph"}
    done = cancel(omni, "py", ["--session-id", "s1"], {})
    law(omni, done, "s1", {"s1": {"ralph"}})
    assert omni.holds("s1") == set()


def test_the_law_can_fail(omni: Standin) -> None:
    omni.state_write("ralph", "s1", body={})
    lie = Result(0, "", "", (), {"complete": True, "message": "", "elsewhere": []})
    with pytest.raises(AssertionError, match="goes on"):
        law(omni, lie, "s1", {"s1": {"ralph"}})
    blind = Result(0, "", "", (), {"complete": True, "message": "No active modes.", "elsewhere": []})
    with pytest.raises(AssertionError):
        law(omni, blind, "s2", {"s1": {"ralph"}, "s2": set()})
