"""Do every operation on files, SQL, processes and time in one place, and name the two ways in which a run fails."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")


hook = None
"""None, or a function (when, name, target): called "before" and "after" every operation that goes through `do`.

`name` is read, list, create, write, sync, rename, link, unlink, rmdir, lock, unlock, sql, commit, signal, stop, run, …; `target` a path or
text. It may raise `OSError` before an operation to make it fail, or end the process. `now_ms`, `monotonic` and `sleep` are the clock; a
test may replace them. Nothing in the environment switches any of this on.
"""


kept_open: list[object] = []
"""Databases that must not be closed: SQLite would write and delete by a path that leads elsewhere now."""

changed = False
"""Whether this run has changed anything yet: from then on it can no longer be refused, only left unresolved (exit 1)."""

CHANGES = frozenset(("create", "write", "rename", "link", "unlink", "mkdir", "rmdir", "commit", "signal", "stop"))


def do(name: str, target: str, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Call `function`; with a hook, announce it before and after."""
    global changed
    if hook is None:
        result = function(*arguments, **options)
    else:
        hook("before", name, target)
        result = function(*arguments, **options)
        hook("after", name, target)
    changed = changed or name in CHANGES
    return result


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def monotonic() -> float:
    return time.monotonic()


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def home() -> str:
    """The user's home directory as the environment names it, or ""."""
    return os.environ.get("HOME", "")


class Refused(Exception):
    """The run stops with exit 2; nothing was changed."""


class Unresolved(Exception):
    """One thing stays as it is and the run ends with exit 1; the text says why."""
