"""Bring a fork up to date on a branch of its own, and ask for it to be merged; all of it, or nothing.

The commit is made in a work tree of its own, from the current commit, so that the user's stays as it is. It is a commit of the
user's in a repository of the user's: hooks, filters and signatures that are configured there have their say, as in `git commit`
and `git push`. What says no stops all of it. Looking at the repository runs no hook, monitor or pager and fetches nothing.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from skillgen.errors import SkillgenError, UsageError
from skillgen.load.files import read
from skillgen.load.git import git, toplevel
from skillgen.model.fork import State
from skillgen.model.git_calls import unbound
from skillgen.model.lock import NAME
from skillgen.model.visible import escaped
from skillgen.pack.output import held
from skillgen.sync.changes import commit_message
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import Fork

_WORKTREE = "skillgen-request-"
_UNDER_WAY = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG")


@dataclass(frozen=True, slots=True)
class Request:
    """What became of one fork."""

    branch: str
    url: str = ""
    """What gh printed; empty where it did not open the request."""
    command: str = ""
    """What is left to the user where there is no gh."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the request is to go, as it was found before anything was done."""

    root: str
    top: str
    inside: str
    """The fork's root, relative to `top`; "." for that itself."""
    base: str
    """The current branch."""
    remote: str


Sync = Callable[[str, str], tuple[Fork, Examiner]]
"""Given the fork's root in a work tree and that tree's root, bring it up to date there."""


def request(root: str, sync: Sync) -> tuple[Fork, Examiner, Request | None]:
    """Return the fork as it was examined, and what became of the request; None where nothing is to be done, or a conflict is left.

    Raises UsageError in one line, with the repository as it was.
    """
    place = _look(root)
    with held(place.top):
        _clean_up(place.top)
        with _worktree(place.top) as tree:
            try:
                fork, examiner = sync(os.path.normpath(os.path.join(tree, place.inside)), tree)
            except SkillgenError as error:
                what, _, repair = str(error).replace(tree, place.top).partition("; ")
                raise UsageError(f"{what}; {repair or 'skillgen sync --check says more'}") from None
            fork.note = fork.note.replace(tree, place.top)
            message = commit_message([(fork, examiner)])
            if not message or any(file.state is State.CONFLICT for file in fork.files):
                return fork, examiner, None
            branch = _branch(place, fork)
            commit = _commit(tree, place, fork, message)
        _run(place.top, "branch", "--no-track", branch, commit, root=root)
        try:
            return fork, examiner, _open(place, branch, message)
        except SkillgenError:
            _succeeds(place.top, "branch", "-D", branch)
            raise


def _look(root: str) -> _Place:
    """Return the place; raise UsageError for a repository in which no request can be made now."""
    top = toplevel(root)
    if top is None:
        raise UsageError(f"{root}: lies in no git repository; --pull-request needs one")
    directory = os.fsdecode(git(["rev-parse", "--absolute-git-dir"], top) or b"").rstrip("\n")
    if busy := next((name for name in _UNDER_WAY if os.path.lexists(os.path.join(directory, name))), ""):
        raise UsageError(f"{root}: git is in the middle of something there ({busy}); finish or abort it first")
    if git(["rev-parse", "--verify", "--quiet", "HEAD"], top) is None:
        raise UsageError(f"{root}: has no commit yet; commit first")
    head = git(["symbolic-ref", "--quiet", "--short", "HEAD"], top)
    if head is None:
        raise UsageError(f"{root}: is on no branch (detached HEAD); git switch to the one that the request is to go to")
    base = os.fsdecode(head).rstrip("\n")
    inside = os.path.relpath(os.path.realpath(root), os.path.realpath(top)).replace(os.sep, "/")
    rows = (
        git(["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=all"], top) or b""
    ).split(b"\0")
    dirty = [os.fsdecode(row[3:]) for row in rows if len(row) > 3]
    if dirty:
        more = f" and {len(dirty) - 3} more" if len(dirty) > 3 else ""
        named = ", ".join(map(escaped, dirty[:3]))
        raise UsageError(f"{root}: holds changes that no commit holds ({named}{more}); commit or stash them first")
    return _Place(root, top, inside, base, _remote(root, top, base))


def _remote(root: str, top: str, base: str) -> str:
    remotes = (git(["remote"], top) or b"").decode("utf-8", "replace").split()
    own = (git(["config", "--get", f"branch.{base}.remote"], top) or b"").decode("utf-8", "replace").strip()
    if not remotes:
        raise UsageError(f"{root}: has no remote that a branch could be sent to; git remote add origin URL")
    for name in (own, "origin"):
        if name in remotes:
            return name
    if len(remotes) > 1:
        raise UsageError(
            f"{root}: has several remotes ({', '.join(remotes)}) and none of them is origin; git branch -u REMOTE/{base}"
        )
    return remotes[0]


def _branch(place: _Place, fork: Fork) -> str:
    """Return the name of the branch; raise UsageError for one that is there already, here or where it was sent to."""
    where = "" if place.inside == "." else re.sub(r"[^A-Za-z0-9]+", "-", place.inside).strip("-") + "-"
    revision = re.sub(r"[^A-Za-z0-9.]+", "-", fork.target.revision).strip("-.")
    name = f"skillgen-sync/{where}{fork.target.id}-{revision or 'next'}"
    for ref, remove in (
        (f"refs/heads/{name}", f"git branch -D {name}"),
        (f"refs/remotes/{place.remote}/{name}", f"git push {place.remote} --delete {name}"),
    ):
        if git(["rev-parse", "--verify", "--quiet", ref], place.top) is not None:
            raise UsageError(f"{place.root}: has the branch {name} already; merge its request, or remove it: {remove}")
    return name


@contextmanager
def _worktree(top: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix=_WORKTREE) as temporary:
        tree = os.path.join(os.path.realpath(temporary), "worktree")
        try:
            _run(top, "worktree", "add", "--quiet", "--detach", tree, "HEAD")
            yield tree
        finally:
            _succeeds(top, "worktree", "remove", "--force", "--force", tree)
            shutil.rmtree(tree, ignore_errors=True)
            _succeeds(top, "worktree", "prune")


def _clean_up(top: str) -> None:
    """Take away the work trees of requests that were killed."""
    listed = os.fsdecode(git(["worktree", "list", "--porcelain"], top) or b"")
    for path in (line.removeprefix("worktree ") for line in listed.splitlines() if line.startswith("worktree ")):
        parent = os.path.dirname(path)
        if os.path.basename(parent).startswith(_WORKTREE):
            _succeeds(top, "worktree", "remove", "--force", "--force", path)
            shutil.rmtree(parent, ignore_errors=True)


def _commit(tree: str, place: _Place, fork: Fork, message: str) -> str:
    """Commit what was written and return the commit; raise UsageError where the repository says no, or wrote otherwise."""
    prefix = "" if place.inside == "." else f"{place.inside}/"
    expected = {path: read(os.path.join(fork.root, path)) for path in (*fork.write, NAME)}
    runnable = [f"{prefix}{path}" for path, (_, mode) in fork.write.items() if mode == 0o755]
    plain = [f"{prefix}{path}" for path, (_, mode) in fork.write.items() if mode != 0o755] + [f"{prefix}{NAME}"]
    for flag, paths in (("--chmod=-x", plain), ("--chmod=+x", runnable)):
        if paths:
            _run(tree, "add", "--force", flag, "--", *paths, root=place.root)
    if fork.remove:
        _run(
            tree,
            "rm",
            "--quiet",
            "--cached",
            "--ignore-unmatch",
            "--",
            *(f"{prefix}{path}" for path in fork.remove),
            root=place.root,
        )
    _run(tree, "commit", "--quiet", "--cleanup=verbatim", "--file=-", given=message.encode(), root=place.root)
    changed = [path for path, data in expected.items() if _now(os.path.join(fork.root, path)) != data]
    if changed:
        raise UsageError(
            f"{place.root}: a hook of the repository rewrote {', '.join(map(escaped, changed))}, so that the fork would not be "
            "as rendered; nothing was committed: let the hook pass these files over"
        )
    return os.fsdecode(git(["rev-parse", "HEAD"], tree) or b"").strip()


def _now(path: str) -> bytes | None:
    return read(path) if os.path.isfile(path) else None


def _open(place: _Place, branch: str, message: str) -> Request:
    """Send the branch and open the request where there is gh, else say what does; raise UsageError with nothing left behind."""
    title, _, body = message.partition("\n")
    program = shutil.which("gh")
    push = ["git", "push", "--set-upstream", place.remote, branch]
    ask = ["gh", "pr", "create", "--head", branch, "--base", place.base]
    if program is None:
        where = [] if os.path.realpath(".") == os.path.realpath(place.top) else ["cd", place.top, "&&"]
        words = [*where, *push, "&&", *ask, "--fill"]
        return Request(branch, command=" ".join(word if word == "&&" else shlex.quote(word) for word in words))
    _run(place.top, *push[1:], root=place.root)
    try:
        done = subprocess.run(
            [program, *ask[1:], "--title", title, "--body-file", "-"],
            cwd=place.top,
            input=body.lstrip("\n").encode(),
            capture_output=True,
            check=False,
            env=unbound(os.environ) | {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1"},
        )
        said = (done.stdout if done.returncode == 0 else done.stderr or done.stdout).decode("utf-8", "replace")
        failed = f"gh pr create failed: {_one_line(said)}" if done.returncode else ""
    except OSError as error:
        said, failed = "", f"gh cannot be run ({error.strerror})"
    if failed:
        back = _succeeds(place.top, "push", "--quiet", place.remote, "--delete", branch)
        stays = f"the branch {branch} stays at {place.remote}: git push {place.remote} --delete {branch}"
        raise UsageError(
            f"{place.root}: {failed}; {'nothing was left behind' if back else stays}; mend that and run this again"
        )
    return Request(branch, url=_one_line(said))


def _run(top: str, *arguments: str, given: bytes = b"", root: str = "") -> None:
    done = _call(top, arguments, given)
    if done.returncode:
        said = _one_line((done.stderr or done.stdout).decode("utf-8", "replace"))
        raise UsageError(
            f"{root or top}: git {arguments[0]} failed, and nothing was left behind: {said or 'without a word'}; mend that and "
            "run this again"
        )


def _succeeds(top: str, *arguments: str) -> bool:
    return _call(top, arguments, b"").returncode == 0


def _call(top: str, arguments: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run git as the user would, with what is configured in the repository; nobody is asked for anything."""
    env = unbound(os.environ) | {"LC_ALL": "C", "GIT_LITERAL_PATHSPECS": "1", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run(
            ["git", "-c", "safe.bareRepository=explicit", "-C", top, *arguments],
            input=given,
            env=env,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"git cannot be run ({error.strerror}); install git") from None


def _one_line(said: str) -> str:
    """Return what a program said that matters most: its error, else its last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("hint:")]
    told = [line for line in lines if line.lower().startswith(("fatal:", "error:", "remote: error", "gpg:"))]
    return escaped((told or lines or [""])[0 if told else -1])[:300]
