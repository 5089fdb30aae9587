"""Run git on one repository, untouched by the caller's GIT_* variables."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from skillgen.errors import SkillgenError


class GitError(SkillgenError):
    """A git command failed; holds the command and what git or a hook said."""

    def __init__(self, command: str, said: str) -> None:
        self.command, self.said = command, said
        super().__init__(f"git {command} failed: {said or 'without a message'}")


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
        clean = {key: value for key, value in os.environ.items() if key in _KEPT or not key.startswith("GIT_")}
        clean |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", **(env or {})}
        try:
            return subprocess.run(["git", *arguments], cwd=self.path, input=stdin, env=clean, capture_output=True)
        except FileNotFoundError:
            raise SkillgenError("git is not installed; publishing needs it") from None


_KEPT = {
    *("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"),
    *("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT"),
    *("GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"),
}
