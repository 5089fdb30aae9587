"""Look at the repository that is to be published to, and refuse one that is not at rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillgen.errors import UsageError
from skillgen.pack.publish.git import Git, GitError, is_git_directory

_AT_WORK = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}

SUBMODULE, DIRECTORY = "160000", "040000"
"""Modes of an entry that is another repository, and of a directory."""


@dataclass(frozen=True, slots=True)
class Target:
    """A repository at rest, on a branch."""

    path: Path
    bare: bool
    branch: str
    """Full name, such as `refs/heads/main`."""
    head: str
    """Commit of the branch, "" when it has none yet."""

    @property
    def git(self) -> Git:
        return Git(self.path)

    def read(self, path: str) -> bytes | None:
        """Return a file of the branch's commit, None if it is not there."""
        if not self.head or not self.git.succeeds("cat-file", "-e", f"{self.head}:{path}"):
            return None
        return self.git.run("cat-file", "blob", f"{self.head}:{path}")

    def tree(self, *paths: str) -> dict[str, tuple[bytes, str]]:
        """Return path -> (content, git's mode) of what the branch's commit holds at and below these paths.

        A submodule has no content.
        """
        rows = self._entries(paths, "-r")
        blobs = self._blobs([identity for _, mode, identity in rows if mode != SUBMODULE])
        return {name: (blobs.get(identity, b""), mode) for name, mode, identity in rows}

    def not_directories(self, paths: Iterable[str]) -> list[str]:
        """Return the parents of these paths that are a file, a link or another repository in the branch's commit."""
        parents = {"/".join(parts[:depth]) for parts in (p.split("/") for p in paths) for depth in range(1, len(parts))}
        # Of a directory on the way to another that is asked for, git lists everything.
        return [name for name, mode, _ in self._entries(sorted(parents)) if mode != DIRECTORY and name in parents]

    def _entries(self, paths: Sequence[str], *options: str) -> list[tuple[str, str, str]]:
        """Return (path, mode, identity) of these paths in the branch's commit, with `-r` of what lies below them."""
        if not self.head or not paths:
            return []
        rows = []
        for row in self.git.run("ls-tree", *options, "-z", "--full-tree", self.head, "--", *paths).split(b"\0"):
            if row:
                head, _, name = row.partition(b"\t")
                mode, _, identity = head.decode().split()
                rows.append((name.decode("utf-8", "surrogateescape"), mode, identity))
        return rows

    def _blobs(self, identities: list[str]) -> dict[str, bytes]:
        out = self.git.run("cat-file", "--batch", stdin="".join(f"{name}\n" for name in identities).encode())
        blobs: dict[str, bytes] = {}
        while out:
            head, _, out = out.partition(b"\n")
            name, _, size = head.decode().split()
            blobs[name], out = out[: int(size)], out[int(size) + 1 :]
        return blobs


def open_target(path: Path) -> Target:
    """Return the repository at `path`.

    Raises UsageError for what is no repository's root, detached, in the middle of something, or unmerged.
    """
    git = Git(path)
    if not path.is_dir():
        raise UsageError(f"{path}: is not a directory; name a repository of a marketplace")
    try:
        git.run("rev-parse", "--git-dir")
    except GitError as error:
        # Anything else, such as a repository of another user, git explains better.
        if "not a git repository" not in error.said:
            raise
        raise UsageError(f"{path}: is no git repository; `git init` makes one, `git clone` fetches one") from None
    bare = git.text("rev-parse", "--is-bare-repository") == "true"
    if is_git_directory(path) and not bare:
        raise UsageError(
            f"{path}: is laid out as a git directory and names a working tree; give that working tree to --to"
        )
    root = Path(git.text("rev-parse", "--absolute-git-dir") if bare else git.text("rev-parse", "--show-toplevel"))
    if root.resolve() != path.resolve():
        raise UsageError(f"{path}: lies inside a repository, its root is {root}; give that to --to")
    for name, what in _AT_WORK.items():
        if (path / git.text("rev-parse", "--git-path", name)).exists():
            raise UsageError(f"{path}: is in the middle of {what}; finish or abort it first")
    if not git.succeeds("symbolic-ref", "-q", "HEAD"):
        raise UsageError(f"{path}: is on no branch (detached HEAD); `git switch` to the branch to publish on")
    branch = git.text("symbolic-ref", "HEAD")
    born = git.succeeds("rev-parse", "-q", "--verify", branch)
    head = git.text("rev-parse", "-q", "--verify", f"{branch}^{{commit}}") if born else ""
    return Target(path, bare, branch, head)


def refuse_dirty(target: Target, ours: tuple[str, ...]) -> None:
    """Raise UsageError if tracked files have changes, or if files that are not committed lie in `ours`."""
    if target.bare:
        return
    changed = _paths(target.git.run("status", "--porcelain", "-z", "--untracked-files=no", "--no-renames"))
    lying = [
        name.decode("utf-8", "backslashreplace")
        for name in target.git.run("ls-files", "-z", "--others", "--", *ours).split(b"\0")
        if name
    ]
    if changed:
        raise UsageError(
            f"{target.path}: has changes that are not committed; commit or discard them first:\n  "
            + "\n  ".join(changed)
        )
    if lying:
        raise UsageError(
            f"{target.path}: holds files that are not committed where the bundle goes; commit or move them first:\n  "
            + "\n  ".join(lying)
        )


def _paths(status: bytes) -> list[str]:
    return [row[3:].decode("utf-8", "backslashreplace") for row in status.split(b"\0") if row]
