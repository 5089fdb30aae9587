"""Show on a terminal that work goes on, and for how long already, once it takes more than two seconds."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence

AFTER_S = 2.0
"""Seconds without output before anything is shown."""
_EVERY_S = 0.5
_FOR_PROGRAMS = {"json", "sarif", "github", "patch"}


class _Line:
    """The one line on standard error; what is drawn is taken away before anything else is printed."""

    words = ""
    began = 0.0
    drawn = 0
    """Columns that it takes now; spaces take it away, since no escape is written where NO_COLOR is set."""


def begin(arguments: Sequence[str]) -> None:
    """Watch over a command; only where both streams are one person's terminal and nothing is written for a program."""
    if not _is_watched(arguments):
        return
    _Line.words, _Line.began = " ".join(["skillgen", *arguments[:1]]), time.monotonic()
    signal.signal(signal.SIGALRM, _draw)
    _arm()


def clear() -> None:
    """Take the line away, since something is printed; it comes back when nothing more follows."""
    if _Line.words:
        _erase()
        _arm()


def end() -> None:
    """Take the line away for good: the command is over, or waits for its user."""
    if _Line.words:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _Line.words = ""
        _erase()


def _erase() -> None:
    if _Line.drawn:
        _write(b"\r" + b" " * _Line.drawn + b"\r")
        _Line.drawn = 0


def _is_watched(arguments: Sequence[str]) -> bool:
    streams = (sys.stdout, sys.stderr)
    if (
        not hasattr(signal, "setitimer")
        or os.environ.get("TERM", "dumb") == "dumb"
        or "_SKILLGEN_COMPLETE" in os.environ
    ):
        return False
    if any(stream is None or not stream.isatty() for stream in streams):
        return False
    return not any(one.removeprefix("--format=").removeprefix("--") in _FOR_PROGRAMS for one in arguments)


def _arm() -> None:
    signal.setitimer(signal.ITIMER_REAL, AFTER_S, _EVERY_S)


def _draw(*_: object) -> None:
    if _Line.words:
        seconds = int(time.monotonic() - _Line.began)
        text = f"{_Line.words}: at work for {seconds} s …"
        _Line.drawn = len(text)
        _write(b"\r" + text.encode(sys.stderr.encoding or "ascii", "replace"))


def _write(data: bytes) -> None:
    try:
        os.write(2, data)
    except OSError:
        _Line.words = ""
