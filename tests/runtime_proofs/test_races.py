"""Run many cancels and writers at once on one session."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime_proofs import rows, tree
from runtime_proofs.bundle import command, environment, run
from runtime_proofs.scenario import Place, filled, place

GIVEN: dict[str, dict[str, Any]] = {
    "rcs": {
        "@s1/autopilot": {"active": True, "phase": "p", "plan": [1]},
        "@s1/forge": {"active": True, "linked_ultrawork": True},
        "@s1/ultrawork": "active",
        "@s1/ultraqa": "active",
        "@/skill-active-state.json": {
            "active_skills": [{"skill": "forge", "session_id": "s1"}, {"skill": "x", "session_id": "s2"}]
        },
        "@s2/ultraqa": "active",
    },
    "pep": {
        "@s1/autopilot": {"active": True, "phase": "p"},
        "@s1/ralph": {"active": True, "linked_ultrawork": True},
        "@s1/ultrawork": "active",
        "@s2/ralph": "active",
    },
    "omc": {
        "@s1/autopilot": {"active": True, "phase": "p", "plan": [1]},
        "@s1/ralph": "active",
        "@s1/pipeline": "active",
        "@s1/skill-active-state.json": {"version": 2, "active_skills": {}},
        "@/skill-active-state.json": {
            "version": 2,
            "active_skills": {"a": {"session_id": "s1"}, "b": {"session_id": "s2"}},
        },
        "@s2/ralph": "active",
    },
    "omd": {"@s1/ralph": "active", "@s1/autopilot": "active", "@s1/cancel": "active", "@s2/ralph": "active"},
}
ROWS = {
    "s1": {
        "autopilot": {"phase": "p", "plan": [1]},
        "ralph": {"linked_ultrawork": True},
        "ultrawork": {},
        "skill-active": {},
    },
    "s2": {"ralph": {}},
}


def put(flavor: str, base: Path) -> Place:
    return place(flavor, base, rows=ROWS) if flavor == "omni" else place(flavor, base, GIVEN[flavor])


def seen(here: Place) -> Any:
    """What is there afterwards, with everything that depends on the moment taken out."""
    if here.database:
        return {key: body for key, (body, _) in rows.read(here.database).items()}
    found = {}
    for name, (kind, mode, content) in tree.snapshot(here.base / "ws").items():
        if "cancel-signal" in name:
            continue
        body: Any = content
        if name.endswith(".json"):
            body = json.loads(content)
            body.pop("completed_at", None)
        found[name] = (kind, mode, body)
    return found


@pytest.mark.parametrize("arguments", [["--session-id", "s1"], ["--session-id", "s1", "--force", "--all"]])
@pytest.mark.parametrize("flavor", [*GIVEN, "omni"])
def test_sixteen_cancels_at_once_end_as_one_does(flavor: str, arguments: list[str], tmp_path: Path) -> None:
    alone = put(flavor, tmp_path / "one")
    assert run(flavor, arguments, cwd=alone.cwd, home=alone.home).exit == 0
    here = put(flavor, tmp_path / "many")
    children = [
        subprocess.Popen(
            [*command(flavor, "py"), *arguments, "--json"],
            cwd=here.cwd,
            env=environment(here.home, {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(16)
    ]
    said = [child.communicate(timeout=120) for child in children]
    assert [stderr for _, stderr in said if b"Traceback" in stderr] == []
    codes = [child.returncode for child in children]
    assert set(codes) <= {0, 1}, (codes, said)
    assert 0 in codes, said
    again = run(flavor, arguments, cwd=here.cwd, home=here.home)
    assert again.exit == 0, again
    assert seen(here) == seen(alone)
    for code, (stdout, _) in zip(codes, said, strict=True):
        report = json.loads(stdout)
        assert report["complete"] == (code == 0)


@contextmanager
def writer(path: Path) -> Any:
    """Put the record back as fast as a busy loop of a mode would."""
    stop = threading.Event()

    def write() -> None:
        count = 0
        while not stop.is_set():
            count += 1
            temporary = path.with_name(f".writer-{count}")
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"active": True, "iteration": count}))
            temporary.replace(path)
            time.sleep(0.001)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("flavor", ["rcs", "pep", "omc", "omd"])
def test_a_record_that_comes_back_is_never_called_done(flavor: str, tmp_path: Path) -> None:
    mode = "ralph" if flavor == "omd" else "pipeline"
    here = place(flavor, tmp_path / "b", {f"@s1/{mode}": "active", f"@s2/{mode}": "active"})
    record = next((here.base / "ws").glob(f".*/state/sessions/s1/{mode}-state.json"))
    other = record.parents[1] / "s2" / record.name
    before = other.read_bytes()
    with writer(record):
        for _ in range(5):
            done = run(flavor, ["--session-id", "s1", "--json"], cwd=here.cwd, home=here.home)
            assert done.exit in (0, 1) and "Traceback" not in done.stderr, done
            if done.exit == 0 and done.report:
                outcome = [m["outcome"] for s in done.report["sessions"] for m in s["modes"] if m["mode"] == mode]
                assert outcome == ["done"], done
    assert other.read_bytes() == before
    assert run(flavor, ["--session-id", "s1"], cwd=here.cwd, home=here.home).exit == 0
    assert not record.exists()
    assert [
        path.name for path in record.parent.iterdir() if ".writer" not in path.name and "signal" not in path.name
    ] == []


LOCK = {"version": 1, "createdAt": "<now-1s>", "nonce": "01234567-89ab-cdef-0123-456789abcdef"}
LOCKS: dict[str, tuple[Any, int]] = {
    "live": ({**LOCK, "pid": "<live-pid>", "processStart": "<live-start>"}, 1),
    "dead": ({**LOCK, "pid": "<dead-pid>", "processStart": "1"}, 0),
    "another-process-now": ({**LOCK, "pid": "<live-pid>", "processStart": "1"}, 0),
    "malformed": ({"$text": "not json"}, 1),
    "empty": ({"$text": ""}, 1),
    "without-a-pid": ({**LOCK, "processStart": "1"}, 1),
    "pid-in-text": ({**LOCK, "pid": "1", "processStart": "1"}, 1),
    "pid-of-zero": ({**LOCK, "pid": 0, "processStart": "1"}, 1),
    "negative-pid": ({**LOCK, "pid": -1, "processStart": "1"}, 1),
    "pid-of-true": ({**LOCK, "pid": True, "processStart": "1"}, 1),
    "huge-pid": ({**LOCK, "pid": 10**30, "processStart": "1"}, 0),
    "bad-nonce": ({**LOCK, "nonce": "x", "pid": "<dead-pid>", "processStart": "1"}, 1),
    "bad-date": ({**LOCK, "createdAt": "yesterday", "pid": "<dead-pid>", "processStart": "1"}, 1),
    "blank-start": ({**LOCK, "pid": "<dead-pid>", "processStart": ""}, 1),
    "a-directory": ({"$dir": ""}, 1),
    "a-link": ({"$link": "/nowhere"}, 1),
}


@pytest.mark.parametrize("owner", LOCKS)
@pytest.mark.parametrize("arguments", [[], ["--force"]])
def test_a_lock_is_honoured_unless_its_owner_is_dead(owner: str, arguments: list[str], tmp_path: Path) -> None:
    body, exits = LOCKS[owner]
    lock = "@s1/ralph-state.json.mutation.lock"
    here = place("omc", tmp_path / "b", {"@s1/ralph": "active", lock: filled(body, tmp_path)})
    before = tree.snapshot(here.base)
    started = time.monotonic()
    done = run("omc", ["--session-id", "s1", "--json", *arguments], cwd=here.cwd, home=here.home)
    took = time.monotonic() - started
    assert done.exit == exits and "Traceback" not in done.stderr, done
    assert took < 10
    record = here.base / "ws/.omc/state/sessions/s1/ralph-state.json"
    assert record.exists() == (exits == 1)
    if exits:
        after = {name: value for name, value in tree.snapshot(here.base).items() if "cancel-signal" not in name}
        assert tree.differences(before, after) == {}
    else:
        assert [path.name for path in record.parent.iterdir() if "lock" in path.name] == []


def test_a_lock_that_is_let_go_in_time_is_waited_for(tmp_path: Path) -> None:
    lock = "@s1/ralph-state.json.mutation.lock"
    body = filled({**LOCK, "pid": "<live-pid>", "processStart": "<live-start>"}, tmp_path)
    here = place("omc", tmp_path / "b", {"@s1/ralph": "active", lock: body})
    path = here.base / "ws/.omc/state/sessions/s1/ralph-state.json.mutation.lock"
    timer = threading.Timer(0.25, path.unlink)
    timer.start()
    done = run("omc", ["--session-id", "s1"], cwd=here.cwd, home=here.home)
    timer.join()
    assert done.exit == 0, done


def test_ten_reclaimers_of_one_dead_lock_leave_nothing_behind(tmp_path: Path) -> None:
    body = filled({**LOCK, "pid": "<dead-pid>", "processStart": "1"}, tmp_path)
    here = place("omc", tmp_path / "b", {"@s1/ralph": "active", "@s1/ralph-state.json.mutation.lock": body})
    children = [
        subprocess.Popen([*command("omc", "py"), "--session-id", "s1"], cwd=here.cwd, env=environment(here.home, {}))
        for _ in range(10)
    ]
    assert {child.wait(timeout=60) for child in children} <= {0, 1}
    left = sorted(path.name for path in (here.base / "ws/.omc/state/sessions/s1").iterdir())
    assert left in (["cancel-signal-state.json"], []), left
