"""Run git on the one repository that the user named, untouched by the caller's variables.

A publication is a commit of the user's in a repository of the user's, so the hooks and filters that are configured there
have their say, as they do in `git commit`. Looking at it runs no hook, monitor or pager and fetches nothing.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from skillgen.errors import SkillgenError
from skillgen.model.git_calls import QUIET, READING, unbound


class GitError(SkillgenError):
    """A git command failed; holds the command and what git or a hook said."""

    def __init__(self, command: str, said: str) -> None:
        self.command, self.said = command, said
        super().__init__(f"git {command} failed: {said or 'without a message'}; mend what it says, and run it again")


class Git:
    """Commands on the repository or working tree at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Return stdout; raise GitError on another exit code than 0."""
        done = self._done(arguments, stdin, env)
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise GitError(" ".join(arguments[:2]), said)
        return done.stdout

    def text(self, *arguments: str, stdin: bytes = b"") -> str:
        return self.run(*arguments, stdin=stdin).decode("utf-8", "surrogateescape").strip()

    def succeeds(self, *arguments: str) -> bool:
        return self._done(arguments, b"", None).returncode == 0

    def _done(
        self, arguments: tuple[str, ...], stdin: bytes, env: Mapping[str, str] | None
    ) -> subprocess.CompletedProcess[bytes]:
        # A GIT_DIR from a hook around us would lead every command to another repository.
        # A path is a path, whatever a stranger's catalogue calls one.
        clean = unbound(os.environ) | {"LC_ALL": "C", "GIT_LITERAL_PATHSPECS": "1", **READING, **(env or {})}
        if arguments[0] in _WRITING:
            options: tuple[str, ...] = ("-c", "safe.bareRepository=explicit")
            # A bare repository is pushed to by its own path.
            clean["GIT_ALLOW_PROTOCOL"] = "file"
        else:
            options = QUIET
        named = ("--git-dir", ".") if is_git_directory(self.path) else ()
        try:
            return subprocess.run(
                ["git", *options, *named, *arguments], cwd=self.path, input=stdin, env=clean, capture_output=True
            )
        except FileNotFoundError:
            raise SkillgenError("git is not installed; install it, since publishing needs it") from None


def is_git_directory(path: Path) -> bool:
    """Tell whether a directory is laid out as a bare repository; git takes one for such only where it is named."""
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and not (path / ".git").exists()


_WRITING = {
    "add",
    "checkout",
    "commit",
    "commit-tree",
    "hash-object",
    "merge",
    "mktag",
    "push",
    "rm",
    "tag",
    "worktree",
}
