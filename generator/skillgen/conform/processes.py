"""Run the product's programs so that none outlives the run, whatever it does to stay."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import selectors
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillgen.conform.bar import Bar

_MOST = 4 << 20
"""Bytes of an answer that are kept; a program that prints more is ended."""
_SUBREAPER = 36
"""`PR_SET_CHILD_SUBREAPER` of prctl(2): what loses its parent becomes our child, whatever it calls itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program answered: its exit code, and what it printed; without a code, `failed` says how it was ended."""

    code: int | None
    stdout: str
    stderr: str
    failed: str = ""


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
        answer = _talk(process, stdin, timeout_s)
        if answer.code is None:
            self._kill(process)
        self._started.remove(process)
        _close(process)
        return answer

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
        if self.bar.granted and barred:
            _findable(command[0], cwd, environment)
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
            _close(process)
        self._started.clear()
        _end_all(self._left_processes)

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _left_processes(self) -> list[int]:
        """Return the processes that carry the run's mark (none where there is no /proc)."""
        found = []
        with contextlib.suppress(OSError):
            for process in Path("/proc").iterdir():
                if process.name.isdigit():
                    with contextlib.suppress(OSError):
                        if self._mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                            found.append(int(process.name))
        return found


@contextlib.contextmanager
def no_strays() -> Iterator[None]:
    """End, when the block ends, what was started in it and has lost its parent, though it hid from everything else."""
    before = set(_children())
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _end_all(lambda: [pid for pid in _children() if pid not in before])
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_SUBREAPER, 0, 0, 0, 0)


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


def _talk(process: subprocess.Popen[bytes], stdin: bytes, timeout_s: float) -> Answer:
    """Write to a program and read what it prints until it ends.

    Once it has ended, what a process that it left behind still holds open is not waited for.
    """
    assert process.stdin and process.stdout and process.stderr
    until = time.monotonic() + timeout_s
    kept: dict[int, bytearray] = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    out, error = kept.values()
    with selectors.DefaultSelector() as selector:
        for descriptor in kept:
            selector.register(descriptor, selectors.EVENT_READ)
        os.set_blocking(process.stdin.fileno(), False)
        selector.register(process.stdin.fileno(), selectors.EVENT_WRITE)
        while selector.get_map():
            left = until - time.monotonic()
            if left <= 0:
                return Answer(None, "", "", f"did not answer within {timeout_s:g} s")
            ended = process.poll() is not None
            ready = selector.select(0 if ended else min(left, 0.05))
            if ended and not ready:
                break
            for key, events in ready:
                if events & selectors.EVENT_WRITE:
                    stdin = _written(process, stdin)
                    if not stdin:
                        selector.unregister(key.fd)
                    continue
                more = os.read(key.fd, 65536)
                kept[key.fd] += more
                if not more:
                    selector.unregister(key.fd)
                if len(kept[key.fd]) > _MOST:
                    return Answer(None, "", "", f"printed more than {_MOST >> 20} MiB")
    try:
        code = process.wait(timeout=max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return Answer(None, "", "", f"did not end within {timeout_s:g} s")
    return Answer(code, out.decode("utf-8", "replace"), error.decode("utf-8", "replace"))


def _written(process: subprocess.Popen[bytes], data: bytes) -> bytes:
    """Write what its stdin takes, and return the rest; close it after the last byte, or where nobody reads it."""
    assert process.stdin
    try:
        data = data[os.write(process.stdin.fileno(), data[:65536]) :] if data else b""
    except BlockingIOError:
        return data
    except OSError:
        data = b""
    if not data:
        with contextlib.suppress(OSError):
            process.stdin.close()
    return data


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()


def _findable(name: str, cwd: Path, environment: Mapping[str, str]) -> None:
    """Raise OSError where a program is not there: behind the bar a shell would say so, in words of its own."""
    import errno
    import shutil

    found = shutil.which(name, path=environment.get("PATH")) if "/" not in name else shutil.which(cwd / name)
    if found is None:
        number = errno.EACCES if "/" in name and (cwd / name).is_file() else errno.ENOENT
        raise OSError(number, os.strerror(number), name)


def _children() -> list[int]:
    """Return the processes whose parent this one is (none where there is no /proc)."""
    found = []
    with contextlib.suppress(OSError):
        for process in Path("/proc").iterdir():
            if process.name.isdigit():
                with contextlib.suppress(OSError, IndexError, ValueError):
                    # The name in brackets may hold anything; the parent stands behind the last bracket.
                    if int((process / "stat").read_bytes().rpartition(b")")[2].split()[1]) == os.getpid():
                        found.append(int(process.name))
    return found


def _end_all(left: Callable[[], list[int]]) -> None:
    """Kill what `left` names until it names nothing: a process that is killed leaves its own children to us."""
    for _ in range(50):
        found = left()
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
        if not found:
            break
        time.sleep(0.02)
