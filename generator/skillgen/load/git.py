"""Ask git: what a file was before, and how three texts merge."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from skillgen.errors import SkillgenError, UsageError
from skillgen.model.git_calls import QUIET, READING, unbound

_RAW = re.compile(rb":\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*\t")
COMMITS = 1000
"""How far back a history is searched."""
LARGEST = 8 << 20
"""Bytes; a larger text was rendered by no skillgen."""


def git(arguments: Sequence[str], top: str, given: bytes = b"") -> bytes | None:
    """Return what git printed; None if it failed. Raises UsageError where there is no git.

    Only commands that neither write nor convert a file are asked for: these run nothing that a repository names.
    """
    import subprocess

    try:
        done = subprocess.run(
            ["git", *QUIET, "-C", top, *arguments],
            input=given,
            capture_output=True,
            check=False,
            env=unbound(os.environ) | READING,
        )
    except OSError as error:
        raise UsageError(f"git cannot be run ({error.strerror}); install git") from None
    return done.stdout if done.returncode == 0 else None


def blobs(top: str, pathspecs: Sequence[str]) -> Iterator[bytes]:
    """Yield every version of the files that any branch of the repository around `top` holds, newest first."""
    history = git(["rev-list", "--all", f"-n{COMMITS}", "--", *pathspecs], top) or b""
    rows = git(["diff-tree", "--stdin", "-r", "--root", "-m", "--no-renames", "--", *pathspecs], top, history)
    names = list(dict.fromkeys(match[1] for match in _RAW.finditer(rows or b"") if match[1].strip(b"0")))
    yield from contents(top, names)


def contents(top: str, names: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the blobs of these object names as they are stored, but none that is missing or larger than `LARGEST`."""
    if not names:
        return
    sizes = git(["cat-file", "--batch-check"], top, b"\n".join(names) + b"\n") or b""
    wanted = [row[0] for row in map(bytes.split, sizes.splitlines()) if _is_blob(row)]
    packed = git(["cat-file", "--batch"], top, b"\n".join(wanted) + b"\n") if wanted else None
    at = 0
    while packed and at < len(packed):
        end = packed.index(b"\n", at)
        size = int(packed[at:end].split()[2])
        yield packed[end + 1 : end + 1 + size]
        at = end + size + 2


def _is_blob(row: list[bytes]) -> bool:
    # A blob that a partial clone left out is `missing`.
    return len(row) == 3 and row[1] == b"blob" and int(row[2]) <= LARGEST


def checkout(top: str, commit: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes, int]]:
    """Yield path relative to `top`, bytes and mode of the regular files at a commit, unconverted."""
    rows = (git(["ls-tree", "-r", "-z", commit, "--", *paths], top) or b"").split(b"\0")
    parsed = [(head.split(), os.fsdecode(name)) for head, tab, name in (row.partition(b"\t") for row in rows) if tab]
    files = [(name, head[2], int(head[0], 8) & 0o777) for head, name in parsed if head[0] in (b"100644", b"100755")]
    names = list(dict.fromkeys(name for _, name, _ in files))
    data = dict(zip(names, contents(top, names), strict=False))
    if len(data) == len(names):
        yield from ((path, data[name], mode) for path, name, mode in files)


def commits(top: str, paths: Sequence[str]) -> list[str]:
    """Return the commits of the current branch that changed the paths, newest first."""
    return (git(["rev-list", f"-n{COMMITS}", "HEAD", "--", *paths], top) or b"").decode().split()


def committed(top: str, path: str) -> bytes | None:
    """Return the file as the current commit holds it; None if it does not."""
    return git(["cat-file", "blob", f"HEAD:./{path}"], top)


def is_unmerged(top: str, path: str) -> bool:
    """Tell whether git stopped in the middle of merging this file."""
    return bool(git(["ls-files", "--unmerged", "-z", "--", f":(literal){path}"], top))


def is_shallow(top: str) -> bool:
    """Tell whether the history of the repository around `top` was cut off when it was cloned."""
    return (git(["rev-parse", "--is-shallow-repository"], top) or b"").strip() == b"true"


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
        command = [
            "git",
            *QUIET,
            "-c",
            "merge.conflictStyle=merge",
            "merge-file",
            "-p",
            *([f"--{favor}"] if favor else []),
        ]
        for label in labels:
            command += ["-L", label]
        try:
            done = subprocess.run(
                [*command, *names], capture_output=True, check=False, cwd=directory, env=unbound(os.environ) | READING
            )
        except OSError as error:
            raise UsageError(f"git cannot be run ({error.strerror}); install git") from None
    if done.returncode > 127:
        raise SkillgenError(
            f"git merge-file failed: {done.stderr.decode('utf-8', 'replace').strip()}; see that git works here"
        )
    return done.stdout, done.returncode
