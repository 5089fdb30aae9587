"""Ask git: what a file was before, and how three texts merge."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from skillgen.errors import SkillgenError, UsageError

_RAW = re.compile(rb":\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*\t")
COMMITS = 1000
"""How far back a history is searched."""


def git(arguments: Sequence[str], top: str, given: bytes = b"") -> bytes | None:
    """Return what git printed; None if it failed. Raises UsageError where there is no git."""
    import subprocess

    # A fork's own configuration must not run programs of its own, nor wait for a password.
    safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"]
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
    try:
        done = subprocess.run(
            ["git", *safe, "-C", top, *arguments], input=given, capture_output=True, check=False, env=environment
        )
    except OSError as error:
        raise UsageError(f"git cannot be run ({error.strerror}); install git") from None
    return done.stdout if done.returncode == 0 else None


def blobs(top: str, pathspecs: Sequence[str]) -> Iterator[bytes]:
    """Yield every version of the files that any branch of the repository around `top` holds, newest first."""
    log = git(
        ["log", "--all", f"-n{COMMITS}", "--format=", "--raw", "--no-abbrev", "--no-renames", "--", *pathspecs], top
    )
    names = list(dict.fromkeys(match[1] for match in _RAW.finditer(log or b"") if match[1].strip(b"0")))
    if not names:
        return
    packed = git(["cat-file", "--batch"], top, b"\n".join(names) + b"\n") or b""
    at = 0
    while at < len(packed):
        end = packed.index(b"\n", at)
        head = packed[at:end].split()
        if len(head) != 3:
            # Such as a blob that a partial clone left out.
            at = end + 1
            continue
        size = int(head[2])
        yield packed[end + 1 : end + 1 + size]
        at = end + size + 2


def commits(top: str, paths: Sequence[str]) -> list[str]:
    """Return the commits of the current branch that changed the paths, newest first."""
    log = git(["log", f"-n{COMMITS}", "--format=%H", "--", *paths], top)
    return (log or b"").decode().split()


def toplevel(directory: str) -> str | None:
    """Return the root of the work tree around a directory, None if it is in none."""
    found = git(["rev-parse", "--show-toplevel"], directory) if os.path.isdir(directory) else None
    return os.fsdecode(found).rstrip("\n") if found else None


def merge_lines(
    base: bytes, ours: bytes, theirs: bytes, labels: tuple[str, str, str], favor: str = ""
) -> tuple[bytes, int]:
    """Return the three-way merge of lines by `git merge-file` and the number of its conflicts.

    `labels` name ours, base and theirs in the markers; `favor` is `ours`, `theirs` or empty.
    """
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(prefix="skillgen-") as directory:
        names = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            names.append(os.path.join(directory, name))
            with open(names[-1], "wb") as file:
                file.write(data)
        command = ["git", "merge-file", "-p", *([f"--{favor}"] if favor else [])]
        for label in labels:
            command += ["-L", label]
        try:
            done = subprocess.run([*command, *names], capture_output=True, check=False, cwd=directory)
        except OSError as error:
            raise UsageError(f"git cannot be run ({error.strerror}); install git") from None
    if done.returncode > 127:
        raise SkillgenError(f"git merge-file failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout, done.returncode
