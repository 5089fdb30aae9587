"""Where cancel.sh does something at all, it leaves what cancel.py leaves and says what cancel.py says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .shell_world import Run, Shell

CASES = {
    "omc ralph": ("omc", {"ralph": {"active": True}, "ultragoal": {"active": False}}, []),
    "omc retired": ("omc", {"ultrawork": {"active": True}}, []),
    "omc goal": ("omc", {"ultragoal": {"active": True, "session_id": "s1"}}, ["--mode", "ultragoal"]),
    "omc last": ("omc", {"skill-active": {"version": 2, "active_skills": {"a": {"session_id": "s1"}}}}, []),
    "omc plan": ("omc", {"ralplan": {"active": True, "plan_path": "x"}}, []),
    "omc nothing": ("omc", {"ralph": {"active": False}}, []),
    "omc others": ("omc", {"@s2/ralph": {"active": True}, "@s3/ultragoal": {"active": "yes"}, "@s4/ralph": {"active": False}}, []),
    "omd others": ("omd", {"@s2/ralph": {"active": True}, "@s10/team": {"active": True}}, []),
    "pep others": ("pep", {"@t2/ralph": {"active": True, "session_id": "s9"}, "@s3/ultraqa": {"active": "true"}}, []),
    "rcs eleven others": ("rcs", {f"@t{n:02d}/ultraqa": {"active": True} for n in range(12)}, []),
    "omc unknown": ("omc", {"@s2/ralph": {"active": True}}, ["--session-id=s77"]),
    "omc not active": ("omc", {"ralph": {"active": False}}, ["--mode", "ralph"]),
    "pep pause": ("pep", {"autopilot": {"active": True, "phase": "plan", "n": [1, 2.5]}}, []),
    "pep plan": ("pep", {"ralplan": {"active": True, "plan": "p.md"}}, []),
    "pep ecomode": ("pep", {"ecomode": {"active": True, "_meta": {"sessionId": "s1"}}}, []),
    "rcs forge": ("rcs", {"forge": {"active": True, "iteration": 2}}, []),
    "rcs entries": (
        "rcs",
        {"ultraqa": {"active": True}, "skill-active": {"active": True, "active_skills": [{"session_id": "s1"}, {"session_id": "s2"}]}},
        [],
    ),
    "omd interview": ("omd", {"deep-interview": {"active": True, "spec_path": ""}}, []),
    "omd autopilot": ("omd", {"autopilot": {"active": True, "current_phase": " two  words "}, "cancel": {"active": True}}, []),
    "omd dry": ("omd", {"ralph": {"active": True}}, ["--dry-run"]),
}  # fmt: skip


def normal(tree: dict[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, text in tree.items():
        value = json.loads(text) if name.endswith(".json") and text else text
        if isinstance(value, dict):
            if "source" in value:
                value = {key: value[key] for key in value if key not in {"requested_at", "expires_at"}}
            value = {key: "now" if key == "completed_at" else inner for key, inner in value.items()}
        found[name] = value
    return found


def said(run: Run) -> dict[str, object]:
    report = run.report
    for session in report["sessions"]:
        for mode in session["modes"]:
            mode["detail"] = ""
            mode["message"] = re.sub(r"\s+", " ", mode["message"])
            mode["paths"] = sorted(path for path in mode["paths"] if not re.search(r"breaker|steer|helper", path))
    report["warnings"] = [text for text in report["warnings"] if "needs python3" not in text]
    return report


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("case", CASES)
def test_the_same_state_ends_the_same(case: str, bundles: Path, tmp_path: Path) -> None:
    flavor, records, arguments = CASES[case]
    runs, trees = [], []
    for place in ("python", "shell"):
        (tmp_path / "work").mkdir()
        one = Shell(bundles, tmp_path / "work", ["bash"])
        one.provide("jq")
        one.session(flavor)
        for mode, body in records.items():
            where, _, name = mode.rpartition("/")
            one.record(flavor, name, body, session=where.strip("@") or "s1")
        named = [] if any(word.startswith("--session-id") for word in arguments) else ["--session-id", "s1"]
        words = [*named, "--json", *arguments]
        runs.append(one.python(flavor, *words) if place == "python" else one.run(flavor, *words))
        trees.append(normal(one.tree()))
        shutil.move(tmp_path / "work", tmp_path / place)
    python, shell = runs
    assert (shell.exit, shell.stderr) == (python.exit, python.stderr)
    assert trees[1] == trees[0]
    assert said(shell) == said(python)


def test_sixteen_at_once_end_like_one(one_shell: Shell) -> None:
    record = one_shell.record("omc", "ralph")
    command = [*one_shell.bash, str(one_shell.script("omc")), "--session-id", "s1"]
    runs = [
        subprocess.Popen(command, cwd=one_shell.project, env=one_shell.environ(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(16)
    ]  # fmt: skip
    results = [(run.communicate()[1], run.returncode) for run in runs]
    assert {code for _, code in results} <= {0}, results
    assert {error for error, _ in results} == {""}
    assert not record.exists()
    assert sorted(path.name for path in record.parent.iterdir()) == ["cancel-signal-state.json"]


def strace() -> str | None:
    return shutil.which("strace")


@pytest.mark.skipif(strace() is None, reason="strace is not installed")
@pytest.mark.parametrize(
    ("jq", "flavor", "mode"),
    [(False, "omc", "ralph"), (True, "omc", "ralph"), (True, "pep", "autopilot"), (True, "rcs", "forge")],
)
def test_it_forks_at_most_thirty_times(jq: bool, flavor: str, mode: str, one_shell: Shell) -> None:
    if jq:
        one_shell.provide("jq")
    one_shell.record(flavor, mode)
    one_shell.record(flavor, "skill-active", {"active": True, "active_skills": []})
    for other in ("ultragoal", "pipeline", "ultrapilot", "ultraqa", "ralplan"):
        one_shell.record(flavor, other, {"active": False})
    log = one_shell.home / "forks"
    command = [str(strace()), "-f", "-qq", "-e", "trace=fork,vfork,clone,clone3", "-o", str(log), *one_shell.bash]
    command += [str(one_shell.script(flavor)), "--session-id", "s1", "--mode", mode]
    done = subprocess.run(
        command, cwd=one_shell.project, env=one_shell.environ(), capture_output=True, text=True, check=False
    )
    if done.returncode != 0 and "ptrace" in done.stderr.lower():
        pytest.skip("tracing is not permitted here")
    assert done.returncode == 0, done.stderr
    forks = [
        line
        for line in log.read_text().splitlines()
        if "CLONE_THREAD" not in line and re.search(r"(fork|clone3?)\(", line)
    ]
    assert 3 <= len(forks) <= 30


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root and setpriv to drop its powers"
)
def test_a_read_only_directory_makes_no_success(one_shell: Shell) -> None:
    record = one_shell.record("omc", "ralph")
    record.parent.chmod(0o555)
    command = [str(shutil.which("setpriv")), "--bounding-set", "-dac_override,-dac_read_search", *one_shell.bash]
    command += [str(one_shell.script("omc")), "--session-id", "s1"]
    done = subprocess.run(
        command, cwd=one_shell.project, env=one_shell.environ(), capture_output=True, text=True, check=False
    )
    assert record.exists()
    assert (done.returncode, "still there" in done.stdout) == (1, True), done.stderr
