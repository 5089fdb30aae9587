"""omx without python3: its refusals, and the fields that it writes when it ends a mode in place."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .shell_world import Shell

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")


@pytest.fixture
def shell(bundles: Path, tmp_path: Path) -> Shell:
    return Shell(bundles, tmp_path, ["bash"])


@pytest.mark.parametrize("flags", [["--all"], ["--force", "--all"]])
def test_a_form_that_the_product_refuses_is_refused_with_the_same_words(flags: list[str], shell: Shell) -> None:
    shell.record("omx", "ralph")
    before = shell.tree()
    done, python = (run("omx", "--session-id", "s1", *flags) for run in (shell.run, shell.python))
    assert (done.exit, done.stdout, shell.tree()) == (2, "", before)
    assert (done.exit, done.stderr) == (python.exit, python.stderr)


@needs_jq
@pytest.mark.parametrize("mode", ["ralph", "autopilot"])
def test_what_is_ended_in_place_gets_the_products_own_fields(mode: str, shell: Shell) -> None:
    shell.provide("jq")
    record = shell.record("omx", mode, {"active": True, "session_id": "s1", "run_outcome": "continue"})
    done = shell.run("omx", "--session-id", "s1", "--mode", mode)
    assert done.exit == 0, done.stderr
    body = json.loads(record.read_text())
    assert (body["active"], body["run_outcome"], body["lifecycle_outcome"]) == (False, "cancelled", "userinterlude")
    assert body.get("last_turn_at") == body.get("completed_at")
    assert ("completed_at" in body) == (mode == "ralph")


@pytest.mark.parametrize("variable", ["OMX_ROOT", "OMX_STATE_ROOT"])
def test_a_directory_that_a_variable_names_is_left_to_python(variable: str, shell: Shell) -> None:
    record = shell.record("omx", "ralph")
    before = record.read_text()
    done = shell.run("omx", "--session-id", "s1", **{variable: str(shell.project)})
    assert (done.exit, record.read_text()) == (2, before) and variable in done.stderr


@pytest.mark.parametrize("place", ["sessions/s1", "sessions/s2", "."])
def test_the_run_state_is_no_mode_of_any_session(place: str, shell: Shell) -> None:
    directory = shell.state("omx") / place
    directory.mkdir(parents=True)
    (directory / "run-state.json").write_text('{"active": true, "owner_omx_session_id": "s1"}')
    before = shell.tree()
    done = shell.run("omx", "--session-id", "s1")
    assert (done.exit, shell.tree()) == (0, before), done.stderr
    assert "run is active" not in done.stdout + done.stderr
