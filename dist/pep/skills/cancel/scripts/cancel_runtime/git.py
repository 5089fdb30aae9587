"""Ask git about a directory, answer the plain cases without starting it, and look what a worktree would lose."""

from __future__ import annotations

import os

from cancel_runtime import ops

TIMEOUT_S = 5
DISCOVERY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_CEILING",
    "GIT_DISCOVERY",
    "GIT_CONFIG",
    "GIT_OBJECT",
    "GIT_NAMESPACE",
)
"""Beginnings of variables that change which repository git finds."""


def toplevel(directory: str) -> str:
    """The working tree's top directory, or "" outside one, without git, or where git refuses."""
    plain = _plain(directory)
    return ask(directory, "rev-parse", "--show-toplevel") if plain is None else plain


def outermost(directory: str) -> str:
    """The outermost superproject of a submodule's directory, else ""."""
    plain = _plain(directory)
    if plain == "" or (plain and _plain(os.path.dirname(plain)) == ""):
        return ""
    found = ""
    for _ in range(32):
        above = ask(found or directory, "rev-parse", "--show-superproject-working-tree")
        if not above:
            break
        found = above
    return found


def ask(directory: str, *arguments: str) -> str:
    """First line that git prints, or ""; a language that git translates into plays no part."""
    program = _program()
    if not program:
        return ""
    code, output = ops.do("run", "git " + " ".join(arguments), _run, program, ["git", "-C", directory, *arguments])
    return os.fsdecode(output).strip("\n") if code == 0 else ""


def _plain(directory: str) -> str | None:
    """Toplevel where it is certain: a `.git` directory of this user's with nothing unusual; "" for certainly none; else None."""
    if any(name.startswith(DISCOVERY) for name in os.environ):
        return None
    at = os.path.realpath(directory)
    try:
        device = os.stat(at).st_dev
    except OSError:
        return None
    while True:
        inside = os.path.join(at, ".git")
        try:
            found = os.lstat(inside)
        except OSError:
            found = None
        if found is not None:
            return at if _ordinary(inside, found) else None
        if os.path.exists(os.path.join(at, "HEAD")) and os.path.isdir(os.path.join(at, "objects")):
            return None  # perhaps a bare repository
        above = os.path.dirname(at)
        if above == at:
            return ""
        try:
            if os.stat(above).st_dev != device:
                return None
        except OSError:
            return None
        at = above


def _ordinary(path: str, found: os.stat_result) -> bool:
    if (found.st_mode & 0o170000) != 0o040000 or found.st_uid != os.geteuid() or not _program():
        return False
    if os.stat(os.path.dirname(path)).st_uid != os.geteuid():
        return False
    if not all(os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs")):
        return False
    try:
        with open(os.path.join(path, "config"), encoding="utf-8", errors="replace") as file:
            config = file.read(65536).lower()
        with open(os.path.join(path, "HEAD"), encoding="utf-8", errors="replace") as file:
            head = file.read(200)
    except OSError:
        return False
    unusual = ("worktree", "include", "extensions", "bare = true", "bare=true", "repositoryformatversion = 1")
    return head.startswith("ref: refs/") and not any(word in config for word in unusual)


def _program() -> str:
    for directory in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(directory or ".", "git")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def _run(program: str, words: list[str]) -> tuple[int, bytes]:
    """(exit code, stdout) of a program; (-1, b"") if it cannot run or takes longer than five seconds."""
    import select

    reader, writer = os.pipe()
    try:
        null = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
        try:
            child = os.posix_spawn(program, words, {**os.environ, "LC_ALL": "C"}, file_actions=actions)
        except OSError:
            return -1, b""
        finally:
            os.close(null)
            os.close(writer)
        output = b""
        end = ops.monotonic() + TIMEOUT_S
        while len(output) < 65536:
            left = end - ops.monotonic()
            if left <= 0 or not select.select([reader], [], [], left)[0]:
                os.kill(child, 9)
                os.waitpid(child, 0)
                return -1, b""
            piece = os.read(reader, 4096)
            if not piece:
                break
            output += piece
        status = os.waitpid(child, 0)[1]
        return (status >> 8 if status & 0x7F == 0 else -1), output
    finally:
        os.close(reader)


LOOK_TIMEOUT_S = 20


def dirty(path: str) -> str:
    """Say what a worktree holds that no commit has: `""` if nothing, else a sentence."""
    code, out = look(path, "status", "--porcelain", "--untracked-files=normal")
    if code is None:
        return "git could not be asked whether it holds uncommitted changes"
    if code:
        return "it is no worktree that git can read"
    lines = out.splitlines()
    return f"it holds {len(lines)} uncommitted change{'s' if len(lines) > 1 else ''}" if lines else ""


def branch_exists(path: str, branch: str) -> bool:
    return bool(branch) and look(path, "show-ref", "--verify", "--quiet", f"refs/heads/{branch}")[0] == 0


def ahead(path: str, branch: str, base: str) -> int | None:
    """Number of commits on a branch that its base lacks, or None where git cannot tell."""
    code, out = look(path, "rev-list", "--count", f"refs/heads/{branch}", "--not", f"refs/heads/{base}", "--")
    return int(out) if code == 0 and out.strip().isdigit() else None


def look(path: str, *arguments: str) -> tuple[int | None, str]:
    """Exit code and output of git in `path`; code None where it cannot be run. Takes no lock and starts no monitor."""
    import subprocess

    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environ.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C")
    try:
        done = ops.do(
            "run",
            "git " + " ".join(arguments),
            subprocess.run,
            ["git", "-C", path, "-c", "core.fsmonitor=false", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOOK_TIMEOUT_S,
            check=False,
            env=environ,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None, ""
    return done.returncode, os.fsdecode(done.stdout)
