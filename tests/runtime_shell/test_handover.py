"""With a working python3 the script is cancel.py; without, it says so."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .shell_world import Shell

ECHO = """#!/bin/sh
case $3 in -c) exit 0 ;; esac
shift 3
for word; do printf '<%s>' "$word"; done
exit 7
"""


def test_a_working_python3_gets_every_argument_unchanged(shell: Shell) -> None:
    shell.provide("python3", ECHO)
    words = ["--session-id", "a b", "", "--mode=x y", "-rf", "$(id)", "*", "nö\nline"]
    done = shell.run("omc", *words)
    assert done.exit == 7
    assert done.stdout == "".join(f"<{word}>" for word in words)


def test_without_arguments_none_are_passed_on(shell: Shell) -> None:
    shell.provide("python3", ECHO)
    assert shell.run("omc").stdout == ""


@pytest.mark.parametrize("exit_code", [1, 127, 126, 137])
def test_a_python3_that_is_too_old_or_does_not_run_counts_as_none(exit_code: int, shell: Shell) -> None:
    shell.provide("python3", f"#!/bin/sh\nexit {exit_code}\n")
    record = shell.record("omc", "ralph")
    done = shell.run("omc", "--session-id", "s1", "--mode", "ralph")
    assert (done.exit, record.exists()) == (0, False)


def test_the_real_python3_answers_the_same_question(shell: Shell) -> None:
    shell.provide("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    shell.record("omc", "ralph")
    done = shell.run("omc", "--session-id", "s1", "--json")
    assert (done.exit, done.outcomes()) == (0, {"ralph": "done"})
    assert "expires_at" in (shell.session("omc") / "cancel-signal-state.json").read_text()


def test_the_script_finds_itself_through_links(shell: Shell) -> None:
    link = shell.project / "cancel-link"
    link.symlink_to(shell.script("omc"))
    second = shell.project / "second"
    second.symlink_to("cancel-link")
    shell.provide("readlink")
    record = shell.record("omc", "ralph")
    command = [*shell.bash, "second", "--session-id", "s1", "--mode", "ralph"]
    done = subprocess.run(command, cwd=shell.project, env=shell.environ(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, record.exists()) == (0, "", False)


@pytest.mark.parametrize(
    "arguments", [["--session-id", "s1"], ["--all"], ["status"], ["--session-id", "s1", "--mode", "ralph"]]
)
def test_a_database_is_never_touched_without_python3(arguments: list[str], shell: Shell) -> None:
    database = shell.home / ".omni" / "omni.db"
    database.parent.mkdir()
    database.write_bytes(b"not opened")
    done = shell.run("omni", *arguments, OMNI_SESSION_ID="s1")
    assert (done.exit, done.stdout) == (2, "")
    assert "no python3 3.9" in done.stderr
    assert database.read_bytes() == b"not opened"


def test_help_is_given_even_without_python3(shell: Shell) -> None:
    for flavor in ("omc", "omni"):
        done = shell.run(flavor, "--help")
        assert (done.exit, done.stderr) == (0, "")
        assert done.stdout.startswith("usage: cancel.sh")
