"""`skillgen conform` finds what is so, says what it could not try, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

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

    def left(self) -> list[bytes]:
        """Return what of this run alone still runs: others may drive the same product at the same time."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if str(self.directory).encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes())
        return found

    def run(
        self,
        *arguments: str,
        program: Path | None = TOY,
        env: dict[str, str] | None = None,
        flavor: str = "toy",
    ) -> subprocess.CompletedProcess[str]:
        named = ["--program", str(program)] if program else []
        return subprocess.run(
            [sys.executable, "-m", "skillgen", "conform", flavor, "--flavors", str(self.flavors), *named, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "TMPDIR": str(self.directory), "NO_COLOR": "1", **(env or {})},
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
claims:
  - name: cancel
    by: {kind: command, command: [python3, "{program}/server.py", own]}
    says: {kind: text, holds: Cancelled}
"""
    toy.describe(DRIVING + own)
    done = toy.run("--scenario=claims")
    assert "it says `Cancelled.`, and the product still lists the mode" in done.stdout
    assert "Findings on what the product says of its own deeds" in done.stdout
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
    assert {verdict["state"] for verdict in found} == {"not proven"}
    assert said in found[0]["why"]
    assert "\x1b" not in found[0]["why"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("floods", "python3 printed more than 4 MiB"),
        ("binary", "the answer is no JSON: \ufffd\ufffd??]0;title?"),
    ],
)
def test_a_hook_that_prints_what_nobody_can_read_is_said_to(toy: Conform, fault: str, said: str) -> None:
    found = toy.verdicts("one-mode", fault=fault, code=2)
    why = {verdict["why"] for verdict in found}
    assert {verdict["state"] for verdict in found} == {"not proven"}
    assert any(said in each for each in why), why


@pytest.mark.slow
def test_a_process_that_keeps_its_output_open_is_not_waited_for(toy: Conform) -> None:
    found = toy.verdicts("one-mode", fault="keeps-the-pipe")
    assert states([verdict for verdict in found if verdict["mode"] == "ralph"], "hook") == {"proven"}
    assert toy.left() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "command: [python3, ",
            "command: [no-such-program, ",
            "no-such-program cannot be started (No such file or directory)",
        ),
        (
            'command: [python3, "{program}/server.py"',
            'command: ["{program}/package.json"',
            "package.json cannot be started (Permission denied)",
        ),
    ],
)
def test_a_program_that_cannot_be_started_is_named(toy: Conform, old: str, new: str, said: str) -> None:
    found = toy.verdicts("subdirectory", code=2, text=DRIVING.replace(old, new))
    assert all(verdict["why"].endswith(said) for verdict in found), found


LOCKED = (
    DRIVING
    + """\
hold:
  command: [python3, "{program}/server.py", hold]
"""
)


@pytest.mark.slow
def test_the_lock_is_tried_from_both_sides(toy: Conform) -> None:
    found = toy.verdicts("lock", text=LOCKED)
    assert {verdict["why"]: verdict["state"] for verdict in found} == {
        "held by the product": "proven",
        "held by ours": "proven",
    }


@pytest.mark.slow
def test_a_product_that_writes_under_our_lock_breaks_the_law(toy: Conform) -> None:
    # The flavor says that the product locks the directory of its state as our script does.
    found = toy.verdicts("lock", text=LOCKED, fault="takes-no-lock")
    assert {verdict["state"] for verdict in found} == {"proven", "not proven"}
    own = "store: {lock: {kind: mutation-file, suffix: .lock, attempts: 9, interval_ms: 9, team_suffix: .t, ledger_suffix: .l}}\n"
    (toy.flavors / "toy.yaml").write_text(FLAVOR + own)
    found = toy.verdicts("lock", text=LOCKED, fault="takes-no-lock", code=1)
    states = {verdict["why"]: verdict["state"] for verdict in found}
    assert states["the product wrote while our script held its lock"] == "broken"


WORKERS = (
    DRIVING
    + """\
workers:
  mode: ralph
  begin:
    - {kind: command, command: [python3, "{program}/server.py", work, ralph, "{session}"], environment: {TOY_FAULT: "@FAULT@"}}
  alive:
    by: {kind: command, command: [test, -e, "{state}/worker"]}
    yes: {kind: exit, code: 0}
  within_s: 5
claims:
  - name: own cancel
    verdict: P99
    workers: true
    by: {kind: command, command: [python3, "{program}/server.py", own]}
    says: {kind: text, holds: Cancelled}
"""
)


@pytest.mark.slow
def test_workers_that_live_on_break_the_law(toy: Conform) -> None:
    text = WORKERS.replace("    verdict: P99\n", "")
    assert "broken" in states(toy.verdicts("workers", text=text, fault="workers-live-on", code=1), "workers")
    assert toy.left() == []


@pytest.mark.slow
def test_a_claim_may_be_tried_with_live_workers(toy: Conform) -> None:
    text = WORKERS.replace("    verdict: P99\n", "")
    found = toy.verdicts("claims", text=text, code=2)
    assert [verdict["why"] for verdict in found] == [
        "it says `Cancelled.`, and its workers live on and its hook still holds the session"
    ]


def test_a_verdict_that_the_flavor_does_not_have_is_refused(toy: Conform) -> None:
    toy.describe(WORKERS)
    done = toy.run()
    assert done.returncode == 2
    assert "the flavor has no verdict `P99`" in done.stderr


CONTRARY = (
    DRIVING
    + """\
claims:
  - name: a clear
    modes: [ralph]
    by: {kind: tool, tool: state_clear, arguments: {mode: "{record}", session_id: "{session}"}}
    says: {kind: text, holds: Successfully cleared}
    given:
      - {kind: file, path: "{workspace}/note", content: "kept\\n"}
    contrary:
      - by: {kind: command, command: [grep, -q, kept, "{workspace}/note"]}
        yes: {kind: exit, code: 0}
        what: its note says otherwise
"""
)


@pytest.mark.slow
def test_a_claim_is_held_against_the_questions_of_the_conform_file(toy: Conform) -> None:
    found = toy.verdicts("claims", text=CONTRARY, code=2)
    assert [(verdict["mode"], verdict["state"]) for verdict in found] == [("ralph", "broken")]
    assert found[0]["why"] == "it says `Successfully cleared`, and its note says otherwise"
    found = toy.verdicts("claims", text=CONTRARY.replace("grep, -q, kept", "grep, -q, lost"), code=2)
    assert [verdict["state"] for verdict in found] == ["proven"]


PARTS = DRIVING.replace(
    "version_file: package.json\n",
    """\
version_file: package.json
  parts:
    - {name: helper, needs: [no-such-compiler], install: [no-such-compiler], file: helper, variable: TOY_HELPER}
""",
).replace("seed:\n  - by:", "seed:\n  - needs: [helper]\n    by:")


@pytest.mark.slow
def test_what_needs_a_part_that_cannot_be_had_is_not_proven_and_the_report_says_so(toy: Conform) -> None:
    toy.describe(PARTS)
    done = toy.run("--scenario=subdirectory")
    assert done.returncode == 2
    assert "without a part of it: helper is not there, and no-such-compiler to make it is not on PATH" in done.stdout
    done = toy.run("--scenario=subdirectory", "--part", f"helper={sys.executable}")
    assert done.returncode == 0, done.stdout + done.stderr
    done = toy.run("--part", f"other={sys.executable}")
    assert done.returncode == 2 and "toy has no part other; there are helper" in done.stderr


@pytest.mark.slow
def test_an_installation_that_fails_leaves_nothing_and_says_its_last_words(toy: Conform, tmp_path: Path) -> None:
    failing = "install: [python3, -c, \"open('{target}/half', 'w'); raise SystemExit('no space')\"]"
    toy.describe(DRIVING.replace("install: []", failing))
    done = toy.run(program=None, env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 2 and "toy 1.2.3 could not be installed (no space)" in done.stderr
    assert list((tmp_path / "cache/skillgen/programs").iterdir()) == []


@pytest.mark.slow
def test_a_program_that_is_installed_once_is_found_again(toy: Conform, tmp_path: Path) -> None:
    copying = f"install: [cp, -r, {TOY}, '{{target}}/toy']"
    toy.describe(DRIVING.replace("install: []", copying).replace('directory: ""', "directory: toy"))
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert toy.run("--scenario=subdirectory", program=None, env=env).returncode == 0
    toy.describe(
        DRIVING.replace("install: []", "install: [no-such-program]").replace('directory: ""', "directory: toy")
    )
    assert toy.run("--scenario=subdirectory", program=None, env=env).returncode == 0


@pytest.mark.slow
def test_a_file_of_the_conform_file_is_not_written_outside_the_throw_away_places(toy: Conform) -> None:
    seed = f"by: {{kind: file, path: '{{home}}/../../../{toy.directory.name}/outside', content: x}}"
    text = DRIVING.split("  - by:")[0] + f"  - {seed}\n" + "list:" + DRIVING.split("list:")[1]
    found = toy.verdicts("subdirectory", text=text, code=2)
    assert all("would write outside the throw-away places" in verdict["why"] for verdict in found), found
    found = toy.verdicts("subdirectory", text=text.replace("{home}/../../..", str(toy.directory.parent)), code=2)
    assert all("would write outside the throw-away places" in verdict["why"] for verdict in found), found
    assert not toy.outside.exists()


@pytest.mark.slow
def test_a_program_that_writes_outside_is_barred_or_the_report_says_that_nothing_barred_it(toy: Conform) -> None:
    toy.describe(DRIVING, "writes-outside")
    done = toy.run("--scenario=subdirectory")
    if "not barred" in done.stdout:
        pytest.skip("this system grants no namespaces")
    assert not toy.outside.exists()


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["leaves-a-process", "hides-a-process"])
def test_nothing_is_left_behind_neither_a_file_nor_a_process(toy: Conform, fault: str) -> None:
    toy.verdicts("subdirectory", fault=fault)
    assert [path.name for path in toy.directory.iterdir()] == ["flavors"]
    assert toy.left() == []


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
    assert "no registry is known to have its program" in done.stderr
    (toy.flavors / "mine.yaml").write_text("base: omc\nupstream: null\nproduct: {name: MINE}\n")
    done = toy.run(program=None, flavor="mine")
    assert done.returncode == 2 and "begin with a copy of " in done.stderr and "omc.conform.yaml" in done.stderr


def test_a_conform_file_is_no_flavor_and_decides_no_bundle(toy: Conform) -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "skillgen", "flavors", "--flavors", str(toy.flavors), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    ids = [flavor["id"] for flavor in json.loads(listed.stdout)["flavors"]]
    assert "toy" in ids and not any("conform" in id_ for id_ in ids)


@pytest.mark.slow
def test_what_a_run_came_to_is_kept_beside_the_flavor_and_shown(toy: Conform, tmp_path: Path) -> None:
    done = toy.run("--record")
    assert done.returncode == 0, done.stdout + done.stderr
    kept = json.loads((toy.flavors / "toy.proven.json").read_text())
    assert (kept["program"], kept["version"]) == ("toy", "1.2.3")
    assert kept["table"]["ralph"]["gone"] == "proven"
    assert "skillgen-conform-" not in json.dumps(kept), "it names a throw-away place"
    first = (toy.flavors / "toy.proven.json").read_bytes()
    assert toy.run("--record").returncode == 0
    assert (toy.flavors / "toy.proven.json").read_bytes() == first

    def skillgen(*arguments: str) -> str:
        command = [sys.executable, "-m", "skillgen", *arguments, "--flavors", str(toy.flavors)]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout

    assert "toy 1.2.3" in skillgen("flavors")
    skillgen("report", "--flavor", "toy", "--out", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "toy beside toy 1.2.3" in page and '<span aria-label="proven">' in page


def test_a_record_that_is_none_is_named_with_its_repair(toy: Conform) -> None:
    (toy.flavors / "toy.proven.json").write_text('{"program": 3}')
    command = [sys.executable, "-m", "skillgen", "flavors", "--flavors", str(toy.flavors)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is no record of a conform run" in done.stderr and "skillgen conform toy --record" in done.stderr


def test_the_outcome_of_one_scenario_is_not_kept(toy: Conform) -> None:
    done = toy.run("--record", "--scenario=tools")
    assert done.returncode == 2 and "leave --scenario out" in done.stderr
    assert not (toy.flavors / "toy.proven.json").exists()


def test_the_schema_of_conform_files_holds_for_ours_and_against_a_mistake() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skillgen", "schema", "--conform"], capture_output=True, text=True, check=True
    )
    schema = json.loads(done.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    files = [
        *(Path(__file__).parents[2] / "flavors").glob("*.conform.yaml"),
        *Path(__file__).parent.glob("*.conform.yaml"),
    ]
    assert len(files) >= 3
    for path in files:
        data = YAML(typ="safe").load(path)
        jsonschema.validate(data, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**data, "sead": []}, schema)
    assert "description" in schema["properties"]["state"]


@pytest.mark.slow
def test_omni_holds_beside_a_stand_in_of_its_server() -> None:
    program = Path(__file__).parent / "omni_stand_in"
    done = subprocess.run(
        [sys.executable, "-m", "skillgen", "conform", "omni", "--program", str(program), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert "a stand-in" in report["version"]
    modes = {
        verdict["mode"] for verdict in report["verdicts"] if (verdict["law"], verdict["state"]) == ("gone", "proven")
    }
    assert modes >= {"autopilot", "ralph", "ultrawork", "ultraqa", "plan-consensus", "self-improve"}
    assert {"proven"} == {
        verdict["state"] for verdict in report["verdicts"] if verdict["law"] in ("calls", "tool", "all")
    }


def test_of_a_crash_the_error_is_told_and_not_the_runtime_s_version() -> None:
    from skillgen.conform.mcp import last_line

    crash = "node:internal/x:1\n  throw e;\n\nTypeError: no such mode\n    at run (a.js:1:2)\n\nNode.js v20.1.0\n"
    assert last_line(crash) == "TypeError: no such mode"
    assert last_line("first\nlast\n") == "last" and last_line(" \n") == "nothing"
