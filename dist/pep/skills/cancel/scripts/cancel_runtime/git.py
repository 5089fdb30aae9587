"""Ask git about a directory so that nothing that it names runs, and answer the plain cases without starting it."""

from __future__ import annotations

import os

from cancel_runtime import ops
from cancel_runtime.ops import Refused

TIMEOUT_S = 5
LOOK_TIMEOUT_S = 20
LOCAL = frozenset(
    [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REF_STORAGE_FORMAT",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    ]
)
"""Variables that tie git to one repository, as a hook inherits them (`git rev-parse --local-env-vars`): all are dropped (facts X9)."""
QUIET = [
    "--no-pager",
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
]
"""No directory passes for a repository unnamed; no pager, monitor or hook runs."""
NOWHERE = ("not a git repository", "must be run in a work tree")
"""What git says where there is no work tree: an answer, unlike all else that it says in place of one."""


def environment() -> dict[str, str]:
    """This process's variables for a call that only reads: no lock, no question, nothing fetched, in English."""
    found = {name: value for name, value in os.environ.items() if name not in LOCAL}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    return {**found, **quiet, "LC_ALL": "C"}


def toplevel(directory: str) -> str:
    """The working tree's top directory, or "" outside one; `Refused` where a repository is there and git gives no answer.

    A root that is guessed in place of git's answer would be another project's, or none.
    """
    plain = _plain_toplevel(directory)
    if plain is not None:
        return plain
    code, out, said = _run(["-C", directory, "rev-parse", "--show-toplevel"])
    if code == 0:
        return out
    if any(text in said for text in NOWHERE) or not _repository(directory):
        return ""
    raise Refused(
        "git does not say where the repository of " + directory + " begins: " + (said or "it was too slow")
        + "; mend that, or name another directory with --workspace"
    )  # fmt: skip


def outermost(directory: str) -> str:
    """The outermost superproject of a submodule's directory, else ""."""
    plain = _plain_toplevel(directory)
    if plain == "" or (plain and _plain_toplevel(os.path.dirname(plain)) == ""):
        return ""
    found = ""
    for _ in range(32):
        above = ask(found or directory, "rev-parse", "--show-superproject-working-tree")
        if not above:
            break
        found = above
    return found


def ask(directory: str, *arguments: str) -> str:
    """What git prints, or "" where it says no; `Refused` where it gives no answer at all."""
    code, out, said = _run(["-C", directory, *arguments])
    if code < 0:
        raise Refused(
            "git " + " ".join(arguments) + " in " + directory + " gave no answer: " + (said or "it was too slow")
        )
    return out if code == 0 else ""


def _repository(directory: str) -> str:
    """The nearest directory upwards that holds `.git` or is laid out as a repository, or ""."""
    at = os.path.realpath(directory)
    while True:
        bare = os.path.exists(os.path.join(at, "HEAD")) and os.path.isdir(os.path.join(at, "objects"))
        if bare or os.path.lexists(os.path.join(at, ".git")):
            return at
        if os.path.dirname(at) == at:
            return ""
        at = os.path.dirname(at)


def _plain_toplevel(directory: str) -> str | None:
    """Toplevel where it is certain: a `.git` directory of this user's with nothing unusual; "" for certainly none; else None."""
    if any(name in os.environ for name in ("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")):
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
            return at if _is_ordinary(inside, found) else None
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


def _is_ordinary(path: str, found: os.stat_result) -> bool:
    if (found.st_mode & 0o170000) != 0o040000 or found.st_uid != os.geteuid() or not _program():
        return False
    if os.stat(os.path.dirname(path)).st_uid != os.geteuid():
        return False
    if not all(os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs")):
        return False
    config = first_text(os.path.join(path, "config")).lower()
    unusual = ("worktree", "include", "extensions", "bare = true", "bare=true", "repositoryformatversion = 1")
    head = first_text(os.path.join(path, "HEAD"))
    return bool(config) and head.startswith("ref: refs/") and not any(word in config for word in unusual)


def first_text(path: str) -> str:
    """The first 64 KiB of a regular file, or ""; never waits for a pipe."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            regular = (os.fstat(fd).st_mode & 0o170000) == 0o100000
            return os.read(fd, 65536).decode("utf-8", "replace") if regular else ""
        finally:
            os.close(fd)
    except OSError:
        return ""


def _program() -> str:
    for directory in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(directory or ".", "git")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def _run(arguments: list[str]) -> tuple[int, str, str]:
    """(exit code, stdout, what it says on stderr in one line); the code is -1 where it cannot run or takes over five seconds."""
    program = _program()
    if not program:
        return -1, "", "git is not on PATH"
    words = ["git", *QUIET, *arguments]
    code, out, said = ops.do("run", " ".join(words), _spawn, program, words)
    return code, os.fsdecode(out).strip("\n"), " ".join(os.fsdecode(said).split())


def _spawn(program: str, words: list[str]) -> tuple[int, bytes, bytes]:
    import select

    (reader, out), (listener, err) = os.pipe(), os.pipe()
    texts = {reader: b"", listener: b""}
    try:
        null = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, err, 2)]
        try:
            child = os.posix_spawn(program, words, environment(), file_actions=actions)
        except OSError as error:
            return -1, b"", str(error).encode()
        finally:
            for fd in (null, out, err):
                os.close(fd)
        end = ops.monotonic() + TIMEOUT_S
        open_ = [reader, listener]
        while open_:
            left = end - ops.monotonic()
            ready = select.select(open_, [], [], max(0, left))[0] if left > 0 else []
            if not ready:
                os.kill(child, 9)
                os.waitpid(child, 0)
                return -1, b"", b""
            for fd in ready:
                piece = os.read(fd, 4096)
                if piece and len(texts[fd]) < 65536:
                    texts[fd] += piece
                elif not piece:
                    open_.remove(fd)
        status = os.waitpid(child, 0)[1]
        return (status >> 8 if status & 0x7F == 0 else -1), texts[reader], texts[listener]
    finally:
        os.close(reader)
        os.close(listener)


def registered(roots: list[str], tree: str) -> bool:
    """Whether the repository of one of the roots names the path as a worktree of its own.

    A path that is read from state may lead anywhere, and git runs what the directory there tells it to.
    """
    real = os.path.realpath(tree)
    return any(os.path.realpath(path) == real for root in roots if root for path in worktrees(root))


def worktrees(root: str) -> list[str]:
    """Paths of all worktrees of the repository around a directory; none without git or repository."""
    _, out = look(root, "worktree", "list", "--porcelain")
    return [line[len("worktree ") :] for line in out.splitlines() if line.startswith("worktree ")]


def dirty(roots: list[str], tree: str) -> str:
    """Say what a worktree holds that no commit has: `""` if nothing, else a sentence. `roots`: whose worktree it may be."""
    if not registered(roots, tree):
        return "whether it holds uncommitted changes is not known: the repository here does not name it as a worktree"
    quiet = _without_filters(tree)
    if quiet is None:
        return "whether it holds uncommitted changes is not known: it has filters that cannot be left out"
    code, out = look(tree, *quiet, "status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all")
    if code is None:
        return "git could not be asked whether it holds uncommitted changes"
    if code:
        return "it is no worktree that git can read"
    lines = out.splitlines()
    return f"it holds {len(lines)} uncommitted change{'s' if len(lines) > 1 else ''}" if lines else ""


def _without_filters(tree: str) -> list[str] | None:
    """Options that leave out each filter that the configuration names; None where one of them cannot be named on a command line."""
    code, out = look(tree, "config", "--name-only", "-z", "--get-regexp", r"^filter\.")
    if code not in (0, 1):
        return None
    options = []
    for name in sorted({key.rpartition(".")[0] for key in out.split("\0") if key}):
        if any(c in name for c in "=\n\r"):
            return None
        for part, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")):
            options += ["-c", name + "." + part + "=" + value]
    return options


def branch_exists(path: str, branch: str) -> bool:
    return bool(branch) and look(path, "show-ref", "--verify", "--quiet", f"refs/heads/{branch}")[0] == 0


def ahead(path: str, branch: str, base: str) -> int | None:
    """Number of commits on a branch that its base lacks, or None where git cannot tell."""
    code, out = look(path, "rev-list", "--count", f"refs/heads/{branch}", "--not", f"refs/heads/{base}", "--")
    return int(out) if code == 0 and out.strip().isdigit() else None


def look(path: str, *arguments: str) -> tuple[int | None, str]:
    """Exit code and output of git in `path`; code None where it cannot be run."""
    import subprocess

    try:
        done = ops.do(
            "run",
            "git " + " ".join(arguments),
            subprocess.run,
            ["git", *QUIET, "-C", path, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOOK_TIMEOUT_S,
            check=False,
            env=environment(),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None, ""
    return done.returncode, os.fsdecode(done.stdout)
