"""What cancel.sh does without python3: one session, one mode that it can judge, and nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from .shell_world import NEEDED, Shell

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
OURS = ("--session-id", "s1")


@pytest.fixture(params=["bash without jq", pytest.param("bash --posix with jq", marks=needs_jq)])
def either(request: pytest.FixtureRequest, bundles: Path, tmp_path: Path) -> Shell:
    bash, _, jq = request.param.rpartition(" with")
    one = Shell(bundles, tmp_path, bash.split())
    if jq == " jq":
        one.provide("jq")
    return one


@pytest.mark.parametrize(
    ("flavor", "mode"),
    [("omc", "ralph"), ("omc", "ultragoal"), ("omc", "ultrawork"), ("omc", "pipeline"), ("pep", "ralph"), ("pep", "ultraqa"),
     ("rcs", "ultrawork"), ("rcs", "ecomode"), ("omd", "ralph"), ("omd", "ralplan"), ("omd", "autoresearch")],
)  # fmt: skip
@pytest.mark.parametrize("named", [True, False])
def test_a_mode_that_is_cleared_is_cleared(flavor: str, mode: str, named: bool, either: Shell) -> None:
    record = either.record(flavor, mode)
    other = either.record(flavor, mode, session="s2")
    done = either.run(flavor, *OURS, *(["--mode", mode] if named else []))
    assert (done.exit, done.stderr) == (0, "")
    assert "cancelled" in done.stdout or "removed" in done.stdout
    assert not record.exists()
    assert other.exists()


def test_the_session_may_come_from_the_environment(either: Shell) -> None:
    record = either.record("omc", "ralph")
    assert either.run("omc", OMC_SESSION_ID="  ", CLAUDE_SESSION_ID=" s1 ", CLAUDECODE_SESSION_ID="s2").exit == 0
    assert not record.exists()


def test_an_argument_wins_over_the_environment(either: Shell) -> None:
    mine, other = either.record("omc", "ralph"), either.record("omc", "ralph", session="s2")
    assert either.run("omc", "--session-id=s2", OMC_SESSION_ID="s1").exit == 0
    assert (mine.exists(), other.exists()) == (True, False)


@pytest.mark.parametrize(
    "session",
    [
        "",
        "..",
        ".",
        "../x",
        "a/b",
        "x" * 300,
        "a\nb",
        "s1\n",
        "-rf",
        "$(touch pwned)",
        "s1 ",
        "ä",
        "a;b",
        "*",
        "\x1b[1m",
        "'",
        '"',
    ],
)
@pytest.mark.parametrize("flavor", ["omc", "omd", "pep", "rcs"])
def test_a_hostile_session_id_is_refused_before_it_meets_a_path(session: str, flavor: str, one_shell: Shell) -> None:
    one_shell.record(flavor, "ralph")
    before = one_shell.tree()
    done = one_shell.run(flavor, "--session-id", session)
    if flavor in {"omd", "rcs"} and session == "-rf":
        assert done.exit == 0
    else:
        assert (done.exit, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
    assert one_shell.tree() == before


def test_without_an_identity_nothing_happens(either: Shell) -> None:
    for flavor in ("omc", "omd", "pep", "rcs"):
        either.record(flavor, "ralph")
    before = either.tree()
    for flavor in ("omc", "omd", "pep", "rcs"):
        done = either.run(flavor)
        assert (done.exit, done.stdout) == (2, "")
    assert either.tree() == before


def test_an_environment_session_without_a_directory_is_no_identity_for_rcs(either: Shell) -> None:
    either.record("rcs", "ultraqa", session="s2")
    assert either.run("rcs", RCS_SESSION_ID="s1").exit == 2
    assert either.run("rcs", RCS_SESSION_ID="s2").exit in {0, 1}


@pytest.mark.parametrize(
    "arguments",
    [["--force"], ["--all"], ["--all", "--force"], ["--team-confirmed"], ["status"], ["explain"], ["explain", "ralph"], ["--frce"], ["--forc"], ["-f"], ["extra"],
     ["--force=1"], ["--json=yes"], ["--mode"], ["--mode", "nonsense"], ["--mode", "ralph", "--mode", "ultraqa"], ["--session-id"],
     ["--session-id", "s2"], ["--workspace", "/nonexistent"], ["--workspace", ""], ["--workspace", "a", "--workspace", "b"], [""]],
)  # fmt: skip
def test_what_it_cannot_do_is_refused_and_changes_nothing(arguments: list[str], either: Shell) -> None:
    either.record("omc", "ralph")
    before = either.tree()
    done = either.run("omc", *(arguments if arguments[0] in ("status", "explain") else [*OURS, *arguments]))
    assert (done.exit, done.stdout) == (2, "")
    assert done.stderr.startswith("cancel: ")
    assert either.tree() == before


@pytest.mark.parametrize("mode", ["autopilot", "team", "omc-teams", "swarm", "self-improve"])
def test_modes_beyond_its_limits_are_left(mode: str, either: Shell) -> None:
    either.record("omc", mode)
    before = either.tree()
    for arguments in (["--mode", mode], []):
        done = either.run("omc", *OURS, *arguments)
        assert (done.exit, done.stdout) == (2, "")
        assert mode in done.stderr
    assert either.tree() == before


@pytest.mark.parametrize(
    ("flavor", "mode"), [("pep", "autopilot"), ("rcs", "autopilot"), ("rcs", "forge"), ("pep", "plan-consensus")]
)
def test_changing_a_record_in_place_needs_jq(flavor: str, mode: str, shell: Shell) -> None:
    record = {"plan-consensus": "ralplan"}.get(mode, mode)
    shell.record(flavor, record)
    before = shell.tree()
    done = shell.run(flavor, *OURS, "--mode", mode)
    assert (done.exit, "jq" in done.stderr) == (2, True)
    assert shell.tree() == before


@needs_jq
def test_a_pause_keeps_everything_else_in_its_place(shell: Shell) -> None:
    shell.provide("jq")
    body = {
        "z": 1,
        "active": True,
        "current_phase": "executing",
        "phase": "old",
        "plan": ["ä", {"k": None}],
        "n": 1.5,
        "a": "",
    }
    record = shell.record("pep", "autopilot", body)
    record.chmod(0o640)
    done = shell.run("pep", *OURS)
    assert done.exit == 0
    assert "Autopilot cancelled at phase: executing. Progress preserved for resume." in done.stdout
    after = json.loads(record.read_text())
    assert list(after) == list(body)
    assert after == {**body, "active": False}
    assert record.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in record.parent.iterdir()) == ["autopilot-state.json"]


@needs_jq
def test_forge_is_ended_in_place(shell: Shell) -> None:
    shell.provide("jq")
    record = shell.record("rcs", "forge", {"active": True, "iteration": 3, "current_phase": "executing"})
    plan = record.with_name("forge-plan-state.json")
    plan.write_text("{}")
    done = shell.run("rcs", *OURS, "--mode", "forge")
    assert done.exit == 0
    after = json.loads(record.read_text())
    assert (after["active"], after["current_phase"], after["iteration"]) == (False, "cancelled", 3)
    assert datetime.fromisoformat(after["completed_at"]).tzinfo is not None
    assert not plan.exists()


@needs_jq
@pytest.mark.parametrize("number", ["12345678901234567890", "-9007199254740993", "1e30"])
def test_a_number_that_jq_would_change_is_left_to_python3(number: str, shell: Shell) -> None:
    shell.provide("jq")
    text = f'{{"active": true, "id": "1e4-{number}", "n": [{{"m": {number}}}]}}'
    record = shell.record("pep", "autopilot", text)
    assert shell.run("pep", *OURS).exit == 2
    assert record.read_text() == text


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "[]", "null", '"x"', '{"active": true', '{"active": true,}', '{"active" true}', "{'active': true}",
     '{"active": true} x', '{"active": tru}', '{"active": "yes"}', '{"active": 2}', '{"active": [true]}', '{"active": true "a": 1}',
     '{"active": true, "a": "\n"}',
     "\xff\xfe", '{"active": true}\x00', '{"active": true, "a": "\x00"}', '{"active": true, "a": "\x01"}', '{"active": true, "a": "\\x"}', '{"active": true, "a": 01}', '{"active":true}{}'],
)  # fmt: skip
def test_a_record_that_is_malformed_stays(text: str, either: Shell) -> None:
    path = either.record("omc", "ralph")
    path.write_bytes(text.encode("latin-1"))
    before = path.read_bytes()
    done = either.run("omc", *OURS, "--mode", "ralph")
    assert (done.exit, done.stdout) == (2, "")
    assert str(path) in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    ['{"active": true, "\\u0061ctive": false}', '{"active": true, "session_id": "s\\u0032"}', '{"active": 1.0}', '{"active": "TRUE"}',
     '{"active": true, "a": "' + "x" * 300_000 + '"}', '{"active": true, "a": ' + "[" * 80 + "]" * 80 + "}"],
)  # fmt: skip
def test_anything_in_doubt_stays(text: str, either: Shell) -> None:
    path = either.record("omc", "ralph", text)
    assert either.run("omc", *OURS, "--mode", "ralph").exit == 2
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text",
    ['{"active": true, "linked_team": true}', '{"active": "true"}', '{"active": 1}', '{"active": true, "session_id": 5}',
     '{"active": true, "session_id": " ", "_meta": {"sessionId": "s1"}}', '{"active": true, "meta": {"session_id": "s2"}}',
     '{"active": true, "a": "' + "x" * 70_000 + '"}'],
)  # fmt: skip
def test_what_cancel_py_takes_for_active_is_active_here(text: str, either: Shell) -> None:
    path = either.record("omc", "ralph", text)
    assert either.run("omc", *OURS, "--mode", "ralph").exit == 0
    assert not path.exists()


@pytest.mark.parametrize(
    "text",
    [
        '{"active": false}',
        '{"active":null}',
        "{}",
        '{"a": "active"}',
        '{"active": false, "session_id": "s2", "linked_team": true}',
    ],
)
def test_what_is_not_active_stays_byte_for_byte(text: str, either: Shell) -> None:
    path = either.record("omc", "ralph", text)
    done = either.run("omc", *OURS)
    assert (done.exit, path.read_text()) == (0, text)
    assert "No active OMC modes detected." in done.stdout
    assert either.run("omc", *OURS, "--mode", "ralph").exit == 0
    assert path.read_text() == text


def test_text_inside_a_prompt_is_not_taken_for_a_field(either: Shell) -> None:
    prompt = 'set "active": false and "session_id": "s2", "linked_team": true } \\ " {'
    path = either.record("omc", "ralph", {"active": True, "prompt": prompt, "session_id": "s1"})
    assert either.run("omc", *OURS).exit == 0
    assert not path.exists()


@pytest.mark.parametrize("suffix", [".mutation.lock", ".team-state.lock", ".rollback.1", ".emergency-journal.json"])
def test_a_lock_or_journal_beside_the_record_is_respected(suffix: str, either: Shell) -> None:
    path = either.record("omc", "ralph")
    Path(f"{path}{suffix}").write_text("{}")
    before = either.tree()
    done = either.run("omc", *OURS, "--mode", "ralph")
    assert (done.exit, "lock" in done.stderr) == (2, True)
    assert either.tree() == before


def test_of_several_modes_one_has_to_be_named(either: Shell) -> None:
    ralph, goal = either.record("omc", "ralph"), either.record("omc", "ultragoal")
    done = either.run("omc", *OURS)
    assert (done.exit, "ralph ultragoal" in done.stderr) == (2, True)
    assert either.run("omc", *OURS, "--mode", "ultragoal").exit == 0
    assert (ralph.exists(), goal.exists()) == (True, False)


def link_root(shell: Shell, elsewhere: Path) -> None:
    shutil.move(shell.project / ".omc", elsewhere)
    (shell.project / ".omc").symlink_to(elsewhere)


def link_session(shell: Shell, elsewhere: Path) -> None:
    shutil.move(shell.session("omc"), elsewhere)
    (shell.state("omc") / "sessions" / "s1").symlink_to(elsewhere)


def link_record(shell: Shell, elsewhere: Path) -> None:
    path = shell.session("omc") / "ralph-state.json"
    shutil.move(path, elsewhere)
    path.symlink_to(elsewhere)


@pytest.mark.parametrize("link", [link_root, link_session, link_record])
def test_links_are_refused_and_what_they_point_to_stays(link: object, either: Shell, tmp_path: Path) -> None:
    either.record("omc", "ralph")
    link(either, tmp_path / "elsewhere")  # type: ignore[operator]
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    done = either.run("omc", *OURS)
    assert (done.exit, "symlink" in done.stderr) == (2, True)
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_fifo_or_a_directory_is_no_record(make: object, either: Shell) -> None:
    path = either.session("omc") / "ralph-state.json"
    make(path)  # type: ignore[operator]
    assert either.run("omc", *OURS).exit == 2
    assert path.exists()


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root and setpriv to drop its powers"
)
@pytest.mark.parametrize("directory", [".omc", ".omc/state", ".omc/state/sessions", ".omc/state/sessions/s1"])
@pytest.mark.parametrize("mode", [0o000, 0o600, 0o300])
def test_a_directory_that_cannot_be_looked_into_is_not_called_nothing(directory: str, mode: int, either: Shell) -> None:
    record = either.record("omc", "ralph")
    (either.project / directory).chmod(mode)
    either.bash = [str(shutil.which("setpriv")), "--bounding-set", "-dac_override,-dac_read_search", *either.bash]
    done = either.run("omc", *OURS)
    (either.project / directory).chmod(0o755)
    assert (done.exit, "cannot be looked into" in done.stderr, record.exists()) == (2, True, True)


def test_nothing_active_says_so(either: Shell) -> None:
    for flavor, name in (("omc", "OMC"), ("pep", "PEP"), ("omd", "omd"), ("rcs", "RCS")):
        done = either.run(flavor, *OURS)
        assert (done.exit, done.stdout.splitlines()[0]) == (0, f"No active {name} modes detected.")
    assert either.tree() == {}


def test_a_shared_mode_is_only_spoken_of(either: Shell) -> None:
    either.state("pep").mkdir(parents=True)
    marker = either.state("pep") / "swarm-active.marker"
    marker.write_text("x")
    done = either.run("pep", *OURS)
    assert done.exit == 0
    assert "Swarm is active and belongs to no session" in done.stdout
    assert "No active" not in done.stdout
    assert marker.exists()


def test_a_team_of_this_session_is_not_called_nothing(either: Shell) -> None:
    either.session("rcs")
    team = either.state("rcs") / "team" / "a"
    team.mkdir(parents=True)
    (team / "manifest.v2.json").write_text('{"leader": {"session_id": "s1"}}')
    assert either.run("rcs", *OURS).exit == 2
    assert either.run("rcs", "--session-id", "s2").exit == 0


def test_the_signal_is_what_the_stop_hook_takes(either: Shell) -> None:
    either.record("omc", "ralph")
    assert either.run("omc", *OURS).exit == 0
    signal = json.loads((either.session("omc") / "cancel-signal-state.json").read_text())
    assert set(signal) == {"active", "requested_at", "mode", "source"}
    assert (signal["active"], signal["mode"]) == (True, "ralph")
    requested = datetime.fromisoformat(signal["requested_at"])
    assert abs((datetime.now(UTC) - requested).total_seconds()) < 30


def test_helpers_go_with_their_record_and_links_among_them_stay(either: Shell, tmp_path: Path) -> None:
    record = either.record("omc", "ralph")
    breaker = record.with_name("ralph-stop-breaker.json")
    breaker.write_text("{}")
    target = tmp_path / "target"
    target.write_text("x")
    steer = record.with_name("ralph-last-steer-at")
    steer.symlink_to(target)
    stranger = record.with_name("ultragoal-stop-breaker.json")
    stranger.write_text("{}")
    assert either.run("omc", *OURS).exit == 0
    assert (breaker.exists(), steer.is_symlink(), stranger.exists(), target.read_text()) == (False, True, True, "x")


@needs_jq
def test_only_own_slots_leave_the_shared_ledger(shell: Shell) -> None:
    shell.provide("jq")
    own = shell.record("omc", "skill-active", {"version": 2, "active_skills": {}})
    slots = {"a": {"session_id": "s1"}, "b": {"session_id": "s2"}}
    root = shell.state("omc") / "skill-active-state.json"
    root.write_text(json.dumps({"version": 2, "active_skills": slots, "support_skill": {"session_id": "s1"}}))
    assert shell.run("omc", *OURS).exit == 0
    assert not own.exists()
    assert json.loads(root.read_text()) == {
        "version": 2,
        "active_skills": {"b": {"session_id": "s2"}},
        "support_skill": None,
    }


def test_without_jq_a_ledger_that_names_the_session_stays_unresolved(shell: Shell) -> None:
    own = shell.record("omc", "skill-active", {"version": 2})
    root = shell.state("omc") / "skill-active-state.json"
    text = json.dumps({"active_skills": {"a": {"session_id": "s1"}}})
    root.write_text(text)
    done = shell.run("omc", *OURS)
    assert (done.exit, own.exists(), root.read_text()) == (1, False, text)
    assert str(root) in done.stdout
    root.write_text(text.replace("s1", "s11"))
    assert shell.run("omc", *OURS).exit == 0


@needs_jq
def test_own_entries_leave_the_list_of_rcs(shell: Shell) -> None:
    shell.provide("jq")
    entries = [{"skill": "forge", "session_id": "s1"}, {"skill": "team", "session_id": "s2"}, {"skill": "x"}]
    own = shell.record("rcs", "skill-active", {"active": True, "active_skills": entries, "k": 1})
    root = shell.state("rcs") / "skill-active-state.json"
    root.write_text(json.dumps({"active": True, "active_skills": entries[:1]}))
    assert shell.run("rcs", *OURS).exit == 0
    assert json.loads(own.read_text()) == {"active": True, "active_skills": [entries[1]], "k": 1}
    assert json.loads(root.read_text()) == {"active": False, "active_skills": []}


def test_the_hidden_record_of_omd_goes_last_whatever_it_says(either: Shell) -> None:
    hidden = either.record("omd", "cancel", "{not json")
    done = either.run("omd", *OURS)
    assert (done.exit, hidden.exists()) == (0, False)
    assert "No active omd modes detected." in done.stdout


def test_a_named_mode_leaves_the_last_record_alone(either: Shell) -> None:
    hidden = either.record("omd", "cancel")
    either.record("omd", "ralph")
    assert either.run("omd", *OURS, "--mode", "ralph").exit == 0
    assert hidden.exists()


@pytest.mark.parametrize(
    ("extra", "said"), [({}, "No spec was written; transcript discarded"), ({"spec_path": "x.md"}, "Spec preserved")]
)
def test_a_message_chooses_by_its_field(extra: dict[str, str], said: str, either: Shell) -> None:
    either.record("omd", "deep-interview", {"active": True, **extra})
    done = either.run("omd", *OURS)
    assert done.stdout.splitlines()[0] == f"Deep interview cancelled. {said}."


@pytest.mark.parametrize(
    ("body", "phase"), [({}, "unknown"), ({"phase": "old"}, "old"), ({"phase": "old", "current_phase": "new"}, "new")]
)
def test_the_phase_is_read_before_the_record_goes(body: dict[str, str], phase: str, either: Shell) -> None:
    either.record("omd", "autopilot", {"active": True, **body})
    done = either.run("omd", *OURS)
    assert f"Autopilot cancelled at phase: {phase}." in done.stdout
    assert "goal of the host may still be armed" in done.stdout


def test_a_phase_cannot_drive_the_terminal(either: Shell) -> None:
    either.record(
        "omd",
        "autopilot",
        json.dumps({"active": True, "phase": "a\x9b2Jb\u202ec\u2066d\u200fe\u00e9"}, ensure_ascii=False),
    )
    done = either.run("omd", *OURS)
    assert "at phase: a?2Jb?c?d?e\u00e9." in done.stdout


def test_a_dry_run_says_what_would_be_done_and_does_nothing(either: Shell) -> None:
    record = either.record("omc", "ralph")
    before = either.tree()
    done = either.run("omc", *OURS, "--dry-run")
    assert done.exit == 0
    assert f"2. clear {record}" in done.stdout
    assert either.run("omc", *OURS, "--dry-run", "--json").outcomes() == {"ralph": "planned"}
    assert either.tree() == before


def test_a_removal_that_did_not_work_is_never_a_success(either: Shell) -> None:
    either.provide("rm", "#!/bin/sh\nexit 0\n")
    record = either.record("omc", "ralph")
    done = either.run("omc", *OURS, "--mode", "ralph", "--json")
    assert (done.exit, done.outcomes(), done.report["complete"]) == (1, {"ralph": "failed"}, False)
    assert record.exists()


@pytest.mark.parametrize("missing", [name for name in NEEDED if name != "git"])
def test_a_program_that_is_missing_is_named(missing: str, either: Shell) -> None:
    (either.bin / missing).unlink()
    record = either.record("omc", "ralph")
    done = either.run("omc", *OURS)
    assert (done.exit, f"needs {missing}" in done.stderr, record.exists()) == (2, True, True)


def test_the_report_is_json_whatever_the_paths_hold(either: Shell) -> None:
    odd = either.project / 'a "quoted" \\ dir'
    (odd / ".omd" / "state" / "sessions" / "s1").mkdir(parents=True)
    record = odd / ".omd" / "state" / "sessions" / "s1" / "ralph-state.json"
    record.write_text('{"active": true}')
    done = either.run("omd", *OURS, "--json", cwd=odd)
    assert done.exit == 0
    assert done.report["sessions"][0]["modes"][0]["paths"] == [str(record)]
    assert not record.exists()


KILLER = """#!/bin/sh
count=$(cat "$COUNTER" 2>/dev/null || echo 0)
echo $((count + 1)) >"$COUNTER"
if [ "$count" = "$FATAL" ] && [ "$MOMENT" = before ]; then kill -9 "$PPID"; exit 9; fi
{program} "$@"
code=$?
if [ "$count" = "$FATAL" ] && [ "$MOMENT" = after ]; then kill -9 "$PPID"; fi
exit $code
"""


@needs_jq
@pytest.mark.parametrize(("flavor", "mode"), [("omc", "ralph"), ("pep", "autopilot"), ("rcs", "forge")])
def test_killed_at_any_program_and_run_again_it_ends_the_same(
    flavor: str, mode: str, bundles: Path, tmp_path: Path
) -> None:
    def prepare(name: str) -> Shell:
        (tmp_path / name).mkdir()
        one = Shell(bundles, tmp_path / name, ["bash"])
        one.provide("jq")
        record = one.record(flavor, mode, {"active": True, "phase": "x"})
        record.with_name(f"{mode}-stop-breaker.json").write_text("{}")
        one.record(flavor, "skill-active", {"active": True, "active_skills": [{"session_id": "s1"}]})
        shared = one.state(flavor) / "skill-active-state.json"
        shared.write_text('{"active": true, "active_skills": [], "support_skill": {"session_id": "s1"}}')
        return one

    def end(one: Shell) -> dict[str, str]:
        return {
            name: re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "now", text)
            for name, text in one.tree().items()
            if "cancel-signal" not in name
        }

    whole = prepare("whole")
    assert whole.run(flavor, *OURS).exit == 0
    wanted = end(whole)
    kills = 0
    for fatal in range(12):
        for moment in ("before", "after"):
            one = prepare(f"{fatal}-{moment}")
            for name in ("date", "mv", "rm", "cp"):
                one.provide(name, KILLER.replace("{program}", str(shutil.which(name))))
            one.provide("cat")
            done = one.run(flavor, *OURS, COUNTER=str(one.home / "counter"), FATAL=str(fatal), MOMENT=moment)
            kills += done.exit == -9
            for name in ("date", "mv", "rm", "cp"):
                one.provide(name)
            assert one.run(flavor, *OURS).exit == 0
            assert end(one) == wanted, f"killed {moment} program {fatal}"
    assert kills >= 4


def test_a_temporary_file_of_a_live_run_is_left(either: Shell) -> None:
    either.record("omc", "ralph")
    start = Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[19]
    live = either.session("omc") / f".ralph-state.json.{os.getpid()}-{start}.cancel-tmp"
    dead = either.session("omc") / f".ralph-state.json.{os.getpid()}-1.cancel-tmp"
    strange = either.session("omc") / ".ralph-state.json.x-1.cancel-tmp"
    for path in (live, dead, strange):
        path.write_text("x")
    assert either.run("omc", *OURS).exit == 0
    assert (live.exists(), dead.exists(), strange.exists()) == (True, False, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_report_that_cannot_be_printed_is_no_success(arguments: list[str], either: Shell) -> None:
    record = either.record("omc", "ralph")
    command = [*either.bash, str(either.script("omc")), *OURS, *arguments]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command,
            cwd=either.project,
            env=either.environ(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "cancel: the report could not be printed\n")
    assert not record.exists()


def test_an_option_whose_value_was_forgotten_takes_no_option_for_it(either: Shell) -> None:
    record = either.record("omd", "ralph", session="--dry-run")
    for name in ("--session-id", "--workspace", "--mode"):
        done = either.run("omd", name, "--dry-run")
        assert (done.exit, "needs a value" in done.stderr) == (2, True)
    assert either.run("omd", "--session-id=--dry-run").exit == 0
    assert not record.exists()
