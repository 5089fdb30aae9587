"""Carry out a publication: commit in a worktree of its own, then move the branch in one step."""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from skillgen.errors import UsageError, to_write
from skillgen.model.files import EXECUTABLE
from skillgen.pack.place import write_whole
from skillgen.pack.publish.git import Git, GitError
from skillgen.pack.publish.plan import Step
from skillgen.pack.publish.recover import JOURNAL, recover
from skillgen.pack.publish.target import Target

_WORKTREE = "skillgen-publish-"


@contextlib.contextmanager
def locked(target: Target) -> Iterator[Path]:
    """Keep other publications out; yield the repository's git directory. The lock ends with the process."""
    directory = Path(target.git.text("rev-parse", "--absolute-git-dir"))
    try:
        stream = (directory / "skillgen-publish.lock").open("w")
    except OSError as error:
        raise UsageError(f"{target.path}: cannot be written ({error.strerror})", to_write(error)) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"{target.path}: another `skillgen publish` is at work there; wait until it has ended"
            ) from None
        yield directory


def publish(target: Target, steps: Sequence[Step], tag: bool, say: Callable[[str], None]) -> str:
    """Commit the steps and move the branch to the last one; return that commit.

    Every hook and filter of the repository runs. Until the branch moves nothing of the repository's own changes;
    raises GitError or UsageError with the branch, index and working tree as they were.
    """
    with tempfile.TemporaryDirectory(prefix=_WORKTREE) as temporary:
        git = Git(Path(temporary) / "worktree")
        base = target.head or _empty_commit(target.git)
        target.git.run("worktree", "add", "--quiet", "--detach", str(git.path), base)
        try:
            tags: list[tuple[Step, str]] = []
            for step in steps:
                say(f"{step.name} {step.version}: committing")
                tags.append((step, _commit(git, step)))
            new = tags[-1][1]
            _move(target, git, new, tags if tag else [])
        finally:
            target.git.succeeds("worktree", "remove", "--force", "--force", str(git.path))
            shutil.rmtree(git.path, ignore_errors=True)
            target.git.succeeds("worktree", "prune")
    return new


def set_tag(git: Git, name: str, commit: str, message: str) -> bool:
    """Set an annotated tag; return False if it stands there already. Raises UsageError if it names another commit."""
    if git.succeeds("rev-parse", "-q", "--verify", f"refs/tags/{name}"):
        there = git.text("rev-parse", f"refs/tags/{name}^{{commit}}")
        if there != commit:
            raise UsageError(
                f"the tag {name} stands at {there[:12]} already; raise the version, since a published one keeps its tag"
            )
        return False
    git.run("tag", "--annotate", "--message", message, name, commit)
    return True


def refuse_tag(target: Target, name: str) -> None:
    """Raise UsageError if the tag of a version that is not published yet stands already."""
    if target.git.succeeds("rev-parse", "-q", "--verify", f"refs/tags/{name}"):
        raise UsageError(f"{target.path}: has the tag {name} already, though that version is not published; delete it")


def publishing_commit(target: Target, directory: str) -> str:
    """Return the commit that published what stands in `directory` now."""
    return target.git.text("rev-list", "-1", target.head, "--", directory)


def _empty_commit(git: Git) -> str:
    tree = git.text("hash-object", "-w", "-t", "tree", "--stdin")
    return git.text("commit-tree", tree, "-m", "Start this marketplace")


def _commit(git: Git, step: Step) -> str:
    paths = []
    for path, (data, mode) in step.writes.items():
        write_whole(git.path / path, data, mode)
        paths.append(path)
    for path in step.deletes:
        (git.path / path).unlink(missing_ok=True)
    plain = [path for path in paths if step.writes[path][1] != EXECUTABLE]
    runnable = [path for path in paths if step.writes[path][1] == EXECUTABLE]
    for flag, names in (("--chmod=-x", plain), ("--chmod=+x", runnable)):
        if names:
            git.run("add", "--force", flag, "--", *names)
    if step.deletes:
        git.run("rm", "--quiet", "--cached", "--ignore-unmatch", "--", *step.deletes)
    git.run("commit", "--quiet", "--cleanup=verbatim", "--file=-", stdin=step.message.encode())
    _refuse_changed(git, step)
    return git.text("rev-parse", "HEAD")


def _refuse_changed(git: Git, step: Step) -> None:
    """Compare what was committed with what was to be: a filter or hook of the repository may rewrite files."""
    committed = Target(git.path, False, "", git.text("rev-parse", "HEAD"))
    there = committed.tree(*step.writes)
    expected = {
        path: (data, "100755" if mode == EXECUTABLE else "100644") for path, (data, mode) in step.writes.items()
    }
    changed = [path for path, file in expected.items() if there.get(path) != file]
    if changed:
        raise UsageError(
            "a hook or filter of the repository changed these files on the way into it, so that nothing was published; exempt them from it in .gitattributes:\n  "
            + "\n  ".join(changed)
        )


def _move(target: Target, worktree: Git, new: str, tags: Sequence[tuple[Step, str]]) -> None:
    if target.bare:
        # A push to itself, so that the repository's own receive hooks have their say, branch and tags as one.
        updates = [f"{new}:{target.branch}"]
        updates += [f"{_tag_object(worktree, step, commit)}:refs/tags/{step.tag}" for step, commit in tags]
        worktree.run("push", "--quiet", "--atomic", "--no-verify", str(target.path.resolve()), *updates)
        return
    journal = Path(target.git.text("rev-parse", "--absolute-git-dir")) / JOURNAL
    write_whole(journal, json.dumps({"old": target.head, "new": new}).encode(), 0o600)
    try:
        target.git.run("merge", "--quiet", "--ff-only", "--no-overwrite-ignore", new)
    except GitError:
        recover(target)
        raise
    journal.unlink(missing_ok=True)
    for step, commit in tags:
        set_tag(target.git, step.tag, commit, f"{step.name} {step.version}")


def _tag_object(git: Git, step: Step, commit: str) -> str:
    tagger = git.text("var", "GIT_COMMITTER_IDENT")
    text = f"object {commit}\ntype commit\ntag {step.tag}\ntagger {tagger}\n\n{step.name} {step.version}\n"
    return git.text("mktag", stdin=text.encode("utf-8", "surrogateescape"))


def clean_up(target: Target) -> None:
    """Take away the worktrees of publications that were killed."""
    for line in target.git.text("worktree", "list", "--porcelain").splitlines():
        path = Path(line.removeprefix("worktree "))
        if line.startswith("worktree ") and path.parent.name.startswith(_WORKTREE):
            target.git.succeeds("worktree", "remove", "--force", "--force", str(path))
            shutil.rmtree(path.parent, ignore_errors=True)
    target.git.succeeds("worktree", "prune")
