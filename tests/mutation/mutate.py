"""Take away one guard at a time and show that a test fails; run as a script for all, or for those whose words it is given.

    python tests/mutation/mutate.py                 every guard of guards.yaml
    python tests/mutation/mutate.py load/archives   those whose file or sentence holds these words

A guard is a line of code without which nothing would refuse: who owns a file, where a path leads, what a lock, a digest or
an identity says. Each entry of guards.yaml names the file, the piece of it that stands there once, what takes its place, and
the tests of which one has to fail then. Everything happens in a copy of the repository.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
GUARDS = Path(__file__).with_name("guards.yaml")
LONGEST_S = 300
"""A change that makes the tests hang is noticed, too."""
_NOT_COPIED = (".git", ".venv", "build", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")


@dataclass(frozen=True)
class Guard:
    guard: str
    """What it is for, a sentence."""
    file: str
    """Where it stands, relative to the repository."""
    at: str
    """The piece of the file that is the guard; stands there once."""
    becomes: str
    test: str
    """Arguments for pytest."""

    def taken_away(self) -> str:
        """Return the file's text without the guard; raise ValueError where it does not stand there once."""
        text = (ROOT / self.file).read_text()
        if text.count(self.at) != 1:
            raise ValueError(f"{self.file} holds the guard {text.count(self.at)} times: {self.at}")
        return text.replace(self.at, self.becomes)


def guards(words: tuple[str, ...] = ()) -> list[Guard]:
    """Return the guards whose file or sentence holds one of the words, all without any."""
    found = [Guard(**entry) for entry in YAML(typ="safe").load(GUARDS.read_text())]
    return [guard for guard in found if not words or any(word in f"{guard.file} {guard.guard}" for word in words)]


class Copy:
    """The repository in another place, where tests run against its own sources."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self._changes = 0

    def survives(self, guard: Guard) -> bool:
        """Tell whether the tests stay green without the guard; raise RuntimeError where they could not be run."""
        self._write(guard.file, guard.taken_away())
        if guard.file.startswith("templates/"):
            self._build()
        try:
            code, said = self._run(guard.test)
        finally:
            self._write(guard.file, (ROOT / guard.file).read_text())
            if guard.file.startswith("templates/"):
                self._build()
        if code not in (0, 1):
            raise RuntimeError(f"{guard.guard} The tests could not be run ({code}):\n{said[-2000:]}")
        return code == 0

    def _write(self, file: str, text: str) -> None:
        path = self.top / file
        path.write_text(text)
        # Compiled files are known by time and size, and two changes may share both.
        self._changes += 1
        stamp = time.time() + 10 * self._changes
        os.utime(path, (stamp, stamp))

    def _run(self, tests: str) -> tuple[int, str]:
        try:
            done = self._python("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *shlex.split(tests))
        except subprocess.TimeoutExpired:
            return 1, ""
        return done.returncode, done.stdout + done.stderr

    def _build(self) -> None:
        """Render the bundles that most tests of the scripts run."""
        done = self._python("-m", "skillgen", "build")
        assert done.returncode == 0, done.stderr

    def _python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = clean | {"PYTHONPATH": str(self.top / "generator")}
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=self.top, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )


@contextmanager
def copied() -> Iterator[Copy]:
    """Give a copy of the repository for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="skillgen-mutation-") as directory:
        top = Path(directory) / "skillgen"
        shutil.copytree(ROOT, top, ignore=shutil.ignore_patterns(*_NOT_COPIED), symlinks=True)
        # `build` is also the name of folders that are wanted.
        for wanted in ("generator/skillgen/build", "tests/build"):
            shutil.copytree(ROOT / wanted, top / wanted, ignore=shutil.ignore_patterns("__pycache__"))
        yield Copy(top)


def main(words: tuple[str, ...]) -> int:
    chosen = guards(words)
    survived = []
    with copied() as copy:
        for number, guard in enumerate(chosen, 1):
            try:
                said = "SURVIVES" if copy.survives(guard) else "noticed "
            except RuntimeError as error:
                said = f"{error}\nNO TESTS"
            if said != "noticed ":
                survived.append(guard)
            print(f"{number}/{len(chosen)} {said} {guard.file}: {guard.guard}", flush=True)
    print(f"{len(chosen) - len(survived)} of {len(chosen)} guards are noticed by a test when they are gone")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
