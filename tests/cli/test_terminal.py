"""Colours, completion and pipes, as a terminal sees them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from typing import Any

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
