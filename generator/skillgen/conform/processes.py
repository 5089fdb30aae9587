"""Run the product's programs so that none outlives the run and none writes outside the throw-away places."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_MOST = 4 << 20
"""Bytes of an answer that are kept; a program that prints more is ended."""

_BAR = """
mount --make-rprivate / && mount --bind "$1" "$1" || exit 125
while read -r _ _ _ _ at _; do
  case $at in "$1"|"$1"/*|/proc|/proc/*|/sys|/sys/*|/dev|/dev/*) ;; *) mount -o remount,bind,ro "$at" 2>/dev/null || exit 125;; esac
done </proc/self/mountinfo
cd "$2" || exit 125
shift 2
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program answered: its exit code (None: it did not end in time), and what it printed."""

    code: int | None
    stdout: str
    stderr: str


class Bar:
    """A mount and network namespace in which only `place` can be written and no network is reached.

    `granted` is false where the system refuses namespaces; programs run all the same, and the report says so.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self.granted = self._try()

    @classmethod
    def none(cls) -> Bar:
        """Return one that bars nothing."""
        made = cls.__new__(cls)
        made.granted = False
        return made

    def wrap(self, command: Sequence[str], cwd: Path) -> list[str]:
        if not self.granted:
            return list(command)
        bar = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--", "/bin/sh", "-c", _BAR, "bar"]
        return [*bar, str(self._place), str(cwd), *command]

    def _try(self) -> bool:
        self.granted = True
        probe = self._place / ".probe"
        command = self.wrap(
            ["/bin/sh", "-c", ': >"$0" && ! (: >"$1") 2>/dev/null', str(probe), f"{self._place}.out"], self._place
        )
        try:
            done = subprocess.run(command, capture_output=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
        finally:
            probe.unlink(missing_ok=True)
            Path(f"{self._place}.out").unlink(missing_ok=True)
        return done.returncode == 0


class Processes:
    """Every program of one run; `end` ends all that are left, by their own ids, children of children too."""

    def __init__(self, bar: Bar) -> None:
        self.bar = bar
        self._started: list[subprocess.Popen[bytes]] = []
        self._mark = f"SKILLGEN_CONFORM_RUN={uuid.uuid4().hex}"
        """Stands in the environment of each program, and so of each that it starts."""

    def run(
        self,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        stdin: bytes = b"",
        timeout_s: float = 60,
        *,
        barred: bool = True,
    ) -> Answer:
        """Run a command to its end; raise OSError if it cannot be started."""
        process = self.start(command, cwd, environment, barred=barred)
        try:
            out, error = process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self._kill(process)
            return Answer(None, "", "")
        self._started.remove(process)
        return Answer(process.returncode, _text(out), _text(error))

    def start(
        self,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        *,
        barred: bool = True,
        quiet: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Start a command that is spoken to through its pipes; raise OSError if it cannot be started."""
        name, _, value = self._mark.partition("=")
        process = subprocess.Popen(
            self.bar.wrap(command, cwd) if barred else list(command),
            cwd=cwd,
            env={**environment, name: value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else subprocess.PIPE,
            start_new_session=True,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """End every program that was started here and still runs, and what they left behind."""
        for process in self._started:
            self._kill(process)
        self._started.clear()
        for _ in range(20):
            left = self._left()
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                break
            time.sleep(0.05)

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _left(self) -> list[int]:
        """Return the processes that carry the run's mark (none where there is no /proc)."""
        found = []
        with contextlib.suppress(OSError):
            for process in Path("/proc").iterdir():
                if process.name.isdigit():
                    with contextlib.suppress(OSError):
                        if self._mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                            found.append(int(process.name))
        return found


class Lines:
    """The lines that a program prints, one at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._descriptor = process.stdout.fileno()
        self._waiting = b""

    def next(self, timeout_s: float) -> str | None:
        """Return the next line with its line feed; "" where the program ended, None where none comes in time or no end does."""
        until = time.monotonic() + timeout_s
        while b"\n" not in self._waiting:
            left = until - time.monotonic()
            if left <= 0 or len(self._waiting) > _MOST or not select.select([self._descriptor], [], [], left)[0]:
                return None
            more = os.read(self._descriptor, 65536)
            if not more:
                return ""
            self._waiting += more
        line, end, self._waiting = self._waiting.partition(b"\n")
        return (line + end).decode("utf-8", "replace")


def _text(data: bytes) -> str:
    return data[:_MOST].decode("utf-8", "replace")
