"""Show what a sync would change in a fork, as a unified diff."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import unified_diff

from skillgen.load.files import read
from skillgen.sync.fork import Fork

_NO_NEWLINE = "\\ No newline at end of file"


def fork_diff(fork: Fork) -> Iterator[str]:
    """Yield the lines of the diff, files sorted; `git apply` and `patch -p1` take it in the fork's root."""
    for path in sorted({*fork.write, *fork.remove}):
        target = os.path.join(fork.root, path)
        there = os.path.isfile(target) and not os.path.islink(target)
        before = read(target) if there else None
        mode = (os.stat(target).st_mode & 0o100) if there else 0
        after, new_mode = fork.write.get(path, (None, 0))
        will = bool(new_mode & 0o100)
        yield from _diff_file(path, before, after, bool(mode) if fork.modes or after is None else will, will)


def _diff_file(path: str, before: bytes | None, after: bytes | None, was: bool, will: bool) -> Iterator[str]:
    yield f"diff --git a/{path} b/{path}"
    if before is None:
        yield f"new file mode {_mode(will)}"
    elif after is None:
        yield f"deleted file mode {_mode(was)}"
    elif was != will:
        yield f"old mode {_mode(was)}"
        yield f"new mode {_mode(will)}"
    if b"\0" in (before or b"") or b"\0" in (after or b""):
        yield f"Binary files a/{path} and b/{path} differ"
        return
    old, new = (_lines(data) for data in (before, after))
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    for line in unified_diff(old, new, *names):
        if line.endswith("\n"):
            yield line[:-1]
        else:
            yield line
            yield _NO_NEWLINE


def _lines(data: bytes | None) -> list[str]:
    # By line feeds only: a carriage return is part of its line, so that the diff can be applied.
    rows = (data or b"").decode("utf-8", "replace").split("\n")
    return [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


def _mode(executable: bool) -> str:
    return "100755" if executable else "100644"
