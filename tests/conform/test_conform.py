"""`skillgen conform` finds what is so, says what it could not try, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOY = Path(__file__).parent / "toy"

FLAVOR = """\
base: pep
product: {name: TOY}
order: [autopilot, ralph, ultrawork, ultraqa]
modes:
  autopilot: {links: []}
  ralph: {links: [{to: ultrawork, flag: linked_ultrawork, back: linked_to_ralph}]}
  ecomode: null
  swarm: null
  ultrapilot: null
  pipeline: null
  team: null
  plan-consensus: null
team: {kind: none}
bridge: null
"""

DRIVING = """\
program:
  name: toy
  version: 1.2.3
  needs: [python3]
  install: []
  directory: ""
  version_file: package.json
state: "{workspace}/.pep/state"
server: {command: [python3, "{program}/server.py"], environment: {TOY_FAULT: "@FAULT@", TOY_OUTSIDE: "@OUTSIDE@"}}
seed:
  - by:
      kind: tool
      tool: state_write
      arguments: {mode: "{record}", session_id: "{session}", active: true, state: {iteration: 1}}
    done: {kind: text, holds: Successfully wrote}
list:
  by: {kind: tool, tool: state_get_status, arguments: {mode: "{record}", session_id: "{session}"}}
  yes: {kind: text, holds: ": active"}
hook:
  by:
    kind: command
    command: [python3, "{program}/server.py", hook]
    environment: {TOY_FAULT: "@FAULT@"}
    input: {session_id: "{session}"}
  yes: {kind: json, at: decision, equals: block}
timeout_s: 5
"""


class Conform:
    """Runs the command on the toy product."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.flavors = directory / "flavors"
        self.flavors.mkdir()
        self.outside = directory / "outside"
        (self.flavors / "toy.yaml").write_text(FLAVOR)
        self.describe(DRIVING)

    def describe(self, text: str, fault: str = "") -> None:
        text = text.replace("@FAULT@", fault).replace("@OUTSIDE@", str(self.outside))
        (self.flavors / "toy.conform.yaml").write_text(text)

    def run(self, *arguments: str, program: Path | None = TOY) -> subprocess.CompletedProcess[str]:
        named = ["--program", str(program)] if program else []
        return subprocess.run(
            [sys.executable, "-m", "skillgen", "conform", "toy", "--flavors", str(self.flavors), *named, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "TMPDIR": str(self.directory), "NO_COLOR": "1"},
        )

    def verdicts(self, *scenarios: str, fault: str = "", code: int = 0, text: str = DRIVING) -> list[dict[str, Any]]:
        self.describe(text, fault)
        done = self.run("--json", *(f"--scenario={name}" for name in scenarios))
        assert done.returncode == code, done.stdout + done.stderr
        found: list[dict[str, Any]] = json.loads(done.stdout)["verdicts"]
        return found


@pytest.fixture
def toy(tmp_path: Path) -> Conform:
    return Conform(tmp_path)


def states(verdicts: list[dict[str, Any]], law: str) -> set[str]:
    return {verdict["state"] for verdict in verdicts if verdict["law"] == law}


def test_a_mode_that_our_script_ends_is_gone_for_the_product_and_its_hook(toy: Conform) -> None:
    found = toy.verdicts("one-mode")
    ralph = {verdict["law"]: verdict["state"] for verdict in found if verdict["mode"] == "ralph"}
    assert ralph == {"gone": "proven", "hook": "proven", "untouched": "proven", "again": "proven"}


@pytest.mark.slow
def test_a_record_that_the_product_also_keeps_elsewhere_breaks_the_law(toy: Conform) -> None:
    found = toy.verdicts("one-mode", fault="second-place", code=1)
    ralph = {verdict["law"]: verdict["state"] for verdict in found if verdict["mode"] == "ralph"}
    assert ralph["gone"] == "broken"


@pytest.mark.slow
def test_a_hook_that_still_holds_breaks_the_law(toy: Conform) -> None:
    assert "broken" in states(toy.verdicts("one-mode", fault="hook-holds", code=1), "hook")


@pytest.mark.slow
def test_a_tool_that_merges_where_the_text_says_that_it_replaces_breaks_the_law(toy: Conform) -> None:
    assert states(toy.verdicts("tools"), "tool") == {"proven"}
    found = toy.verdicts("tools", fault="merges", code=1)
    assert [verdict["scenario"] for verdict in found if verdict["state"] == "broken"] == ["tools: writes"]


@pytest.mark.slow
def test_the_calls_that_the_text_prints_end_every_mode(toy: Conform) -> None:
    found = toy.verdicts("printed-calls")
    assert {verdict["mode"] for verdict in found if verdict["state"] == "proven"} >= {"ralph", "ultraqa", "autopilot"}


@pytest.mark.slow
def test_identity_subdirectory_worktree_foreign_corrupt_and_all_are_tried(toy: Conform) -> None:
    names = ["identity", "subdirectory", "worktree", "foreign", "corrupt", "every-session", "links"]
    found = toy.verdicts(*names)
    for law in ("identity", "subdirectory", "worktree", "foreign", "corrupt", "all", "link"):
        assert states(found, law) == {"proven"}, [v for v in found if v["law"] == law]


@pytest.mark.slow
def test_what_the_product_s_own_cancel_claims_is_held_against_its_own_judges(toy: Conform) -> None:
    own = """\
own_cancel:
  - name: cancel
    by: {kind: command, command: [python3, "{program}/server.py", own]}
    says: {kind: text, holds: Cancelled}
"""
    toy.describe(DRIVING + own)
    done = toy.run("--scenario=own-cancel")
    assert "it says `Cancelled.`, and the product still lists the mode" in done.stdout
    # It is a finding about the product and breaks no law of ours; and no law of ours was tried.
    assert done.returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("does-not-start", "the server ended"),
        ("hangs", "did not answer within 3 s"),
        ("garbage", "printed what is no JSON"),
    ],
)
def test_a_program_that_fails_is_said_to_and_nothing_is_called_proven(toy: Conform, fault: str, said: str) -> None:
    text = DRIVING.replace("timeout_s: 5", "timeout_s: 3")
    found = toy.verdicts("subdirectory", fault=fault, code=2, text=text)
    assert [verdict["state"] for verdict in found] == ["not proven"]
    assert said in found[0]["why"]
    assert "\x1b" not in found[0]["why"]


@pytest.mark.slow
def test_a_program_that_writes_outside_is_barred_or_the_report_says_that_nothing_barred_it(toy: Conform) -> None:
    toy.describe(DRIVING, "writes-outside")
    done = toy.run("--scenario=subdirectory")
    if "not barred" in done.stdout:
        pytest.skip("this system grants no namespaces")
    assert not toy.outside.exists()


@pytest.mark.slow
def test_nothing_is_left_behind_neither_a_file_nor_a_process(toy: Conform) -> None:
    toy.verdicts("subdirectory", fault="leaves-a-process")
    assert [path.name for path in toy.directory.iterdir()] == ["flavors"]
    # Of this run alone: others may drive the same product at the same time.
    left = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(toy.directory).encode() in (process / "environ").read_bytes():
                left.append((process / "cmdline").read_bytes())
    assert left == []


def test_a_mistake_in_the_file_is_named_with_its_line_and_its_repair(toy: Conform) -> None:
    text = DRIVING.replace("needs:", "need:").replace("{session}", "{sesion}", 1).replace("kind: text", "kind: txt", 1)
    (toy.flavors / "toy.conform.yaml").write_text(text)
    done = toy.run()
    assert done.returncode == 2 and not done.stdout
    lines = done.stderr.splitlines()
    assert any(":4:3: unknown key `need` in `program`, did you mean `needs`?" in line for line in lines), lines
    assert any("`{sesion}` stands for nothing" in line for line in lines), lines
    assert any("`txt`" in line for line in lines), lines


def test_a_mode_that_the_flavor_does_not_have_is_refused(toy: Conform) -> None:
    toy.describe(DRIVING.replace("  yes: {kind: json", "  modes: [ralf]\n  yes: {kind: json"))
    done = toy.run()
    assert done.returncode == 2
    assert "the flavor has no mode `ralf`, did you mean `ralph`?" in done.stderr


def test_without_the_file_or_the_program_one_line_says_what_is_missing(toy: Conform) -> None:
    done = toy.run(program=None)
    assert done.returncode == 2 and "name its directory with --program DIR" in done.stderr
    (toy.flavors / "toy.conform.yaml").unlink()
    done = toy.run()
    assert done.returncode == 2 and "toy.conform.yaml is not there" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_conform_file_is_no_flavor_and_decides_no_bundle(toy: Conform) -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "skillgen", "flavors", "--flavors", str(toy.flavors), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    ids = [flavor["id"] for flavor in json.loads(listed.stdout)["flavors"]]
    assert "toy" in ids and not any("conform" in id_ for id_ in ids)
