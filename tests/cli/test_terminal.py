"""Colours, completion and pipes, as a terminal sees them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SKILLGEN = [sys.executable, "-m", "skillgen"]


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Run skillgen on a pseudo-terminal and return what it shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*SKILLGEN, *arguments], stdout=theirs, stderr=theirs, env={**os.environ, **environment})
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 65536):
            shown += block
    except OSError:
        pass  # The other end of a pseudo-terminal is gone.
    os.close(ours)
    process.wait()
    return shown.decode()


def test_a_terminal_gets_colours_unless_it_asks_for_none() -> None:
    assert "\x1b[" in on_a_terminal("explain", "omc", "product", TERM="xterm", NO_COLOR="")
    plain = on_a_terminal("explain", "omc", "product", TERM="xterm", NO_COLOR="1")
    assert "product.name" in plain
    assert "\x1b[" not in plain


def complete(words: str, index: int) -> list[str]:
    environment = {
        **os.environ,
        "_SKILLGEN_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(index),
    }
    done = subprocess.run(SKILLGEN, env=environment, capture_output=True, text=True, check=False)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_commands_options_and_flavors_are_completed() -> None:
    assert complete("skillgen fla", 1) == ["flavors"]
    assert "--check" in complete("skillgen build --ch", 2)
    assert complete("skillgen explain omc", 2) == ["omc", "omc-20260824"]
    assert complete("skillgen build --flavor pe", 3) == ["pep"]


def test_the_help_says_how_to_complete(skillgen: Callable[..., Any]) -> None:
    assert 'eval "$(_SKILLGEN_COMPLETE=bash_source skillgen)"' in skillgen("--help").out


def test_a_reader_that_stops_early_is_no_crash() -> None:
    command = f"{sys.executable} -m skillgen explain omc | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_the_next_step_of_a_key_is_completed() -> None:
    assert complete("skillgen explain omc modes.ra", 3) == ["modes.ralph"]
    assert "modes.ralph.links" in "".join(complete("skillgen explain omc modes.ralph.l", 3))
    assert "order" in complete("skillgen explain omc ord", 3)
    assert not any(complete("skillgen explain nosuch mod", 3))


def test_codes_are_completed_behind_every_comma() -> None:
    assert "SG201" in complete("skillgen audit --select SG20", 3)
    assert "SG201,SG301" in complete("skillgen audit --ignore SG201,SG30", 3)
    assert "SG201" in complete("skillgen rules sg20", 2)


def test_flavors_and_scenarios_are_completed_wherever_one_is_named() -> None:
    assert "omc" in complete("skillgen adopt --base om", 3)
    assert complete("skillgen conform omc --scenario work", 4) == ["worktree", "workers"]


def slow_git(directory: Path) -> str:
    """Return a PATH on which git answers after three seconds."""
    (directory / "git").write_text("#!/bin/sh\nsleep 3\nexit 1\n")
    (directory / "git").chmod(0o755)
    return f"{directory}{os.pathsep}{os.environ['PATH']}"


def test_work_of_more_than_two_seconds_shows_on_a_terminal_that_it_goes_on(tmp_path: Path) -> None:
    shown = on_a_terminal("new", "mine", TERM="xterm", PATH=slow_git(tmp_path))
    assert "skillgen new: at work for 2 s" in shown
    # The line is gone before anything else stands there.
    assert shown.rpartition("at work for")[2].partition("…")[2].lstrip("\r ").startswith("# yaml-language-server")


def test_short_work_shows_nothing_but_its_result() -> None:
    assert "at work" not in on_a_terminal("rules", TERM="xterm")


def test_no_progress_is_shown_in_a_pipe_or_beside_json(tmp_path: Path) -> None:
    path = slow_git(tmp_path)
    done = subprocess.run(
        [*SKILLGEN, "new", "mine"], capture_output=True, env={**os.environ, "PATH": path, "TERM": "xterm"}, check=True
    )
    assert b"at work" not in done.stdout + done.stderr
    assert "at work" not in on_a_terminal("new", "mine", TERM="dumb", PATH=path)
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*SKILLGEN, "new", "mine"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "PATH": path, "TERM": "xterm"},
        check=True,
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    try:
        said = os.read(ours, 1000)
    except OSError:
        said = b""
    os.close(ours)
    assert said == b""


@pytest.mark.parametrize("option", ["--json", "--format=json", "json", "sarif", "--format=github"])
def test_what_is_written_for_a_program_is_written_alone(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillgen.cli import progress

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert progress._is_watched(["audit", "."])
    assert not progress._is_watched(["audit", ".", option])
