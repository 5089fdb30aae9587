"""Look at processes, and end those that are known to be ours."""

from __future__ import annotations

import os

from cancel_runtime import ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


PROC = "/proc"
POLL_S = 0.05
SLACK_S = 5
SURE_S = 2
"""Time that the system is given to take away a killed process."""


class Unreadable(Exception):
    """The processes of this user cannot be looked at, so that none was seen means nothing."""


class Process:
    """One process as it was seen: `start` tells it from a later one with the same pid."""

    __slots__ = ("arguments", "pid", "start")

    def __init__(self, pid: int, start: str, arguments: tuple[str, ...] = ()) -> None:
        self.pid = pid
        self.start = start
        self.arguments = arguments

    def alive(self) -> bool:
        return start_of(self.pid) == self.start


def start_of(pid: int) -> str:
    """Start of a live process as text, or `""` for one that is gone or a zombie.

    Linux: clock ticks, field 22 of `/proc/<pid>/stat`. Elsewhere: milliseconds since 1970 from `ps -o lstart=`,
    to the second. Both are what the lock files of oh-my-claudecode hold (facts 6.4).
    """
    if type(pid) is not int or pid <= 0:
        return ""
    if _has_proc():
        fields = _stat(pid)
        return "" if not fields or fields[0] in {"Z", "X", "x"} else fields[19]
    state, _, started = _ps(pid, "state=,lstart=").strip().partition(" ")
    if not started.strip() or state.startswith("Z"):
        return ""
    import time

    try:
        return str(int(time.mktime(time.strptime(started.strip(), "%a %b %d %H:%M:%S %Y")) * 1000))
    except (ValueError, OverflowError):
        return ""


def arguments_of(pid: int) -> tuple[str, ...]:
    """Arguments of a process; one string of them all where the system does not keep them apart; `()` if unknown."""
    if _has_proc():
        try:
            with open(f"{PROC}/{pid}/cmdline", "rb") as file:
                raw = file.read()
        except OSError:
            return ()
        return tuple(os.fsdecode(part) for part in raw.rstrip(b"\0").split(b"\0")) if raw else ()
    line = _ps(pid, "args=").strip()
    return (line,) if line else ()


def find(wanted: Callable[[tuple[str, ...]], bool]) -> list[Process]:
    """Live processes of this user for whose arguments `wanted(arguments)` is true, this one left out. Raises `Unreadable`."""
    return [process for process in _every_process() if process.pid != os.getpid() and wanted(process.arguments)]


def ancestors() -> set[int]:
    """Pids of this process and of those that started it, as far as they can be seen."""
    found, pid = {os.getpid()}, os.getppid()
    while pid > 1 and pid not in found:
        found.add(pid)
        above = _stat(pid)[1:2] if _has_proc() else [_ps(pid, "ppid=").strip()]
        pid = int(above[0]) if above and above[0].isdigit() else 0
    return found


def children_of(pids: Iterable[int]) -> list[Process]:
    """Live descendants of the given pids, without these; Linux only, else nothing."""
    if not _has_proc():
        return []
    parents = {}
    for pid in _numbers():
        fields = _stat(pid)
        if fields and fields[0] not in {"Z", "X", "x"}:
            parents[pid] = (int(fields[1]), fields[19])
    family = set(pids)
    grown = True
    while grown:
        more = {pid for pid, (parent, _) in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return [Process(pid, parents[pid][1], arguments_of(pid)) for pid in sorted(family - set(pids)) if pid in parents]


def wait_gone(processes: list[Process], seconds: float) -> list[Process]:
    """Watch until none of them is left or the time is over; return those still alive."""
    end = ops.monotonic() + seconds
    while True:
        processes = [process for process in processes if process.alive()]
        if not processes or ops.monotonic() >= end:
            return processes
        ops.sleep(POLL_S)


def end(processes: list[Process], kill_after_s: float) -> tuple[list[Process], list[Process]]:
    """TERM, wait by watching, KILL what is left; return (those that had to be killed, those that survived even that)."""
    import signal

    for process in processes:
        send(process, signal.SIGTERM)
    left = wait_gone(processes, kill_after_s)
    for process in left:
        send(process, signal.SIGKILL)
    return left, wait_gone(left, SURE_S)


def send(process: Process, number: int) -> bool:
    """Signal a process whose start is still the one that was seen; never this one, what started it, nor init.

    Where the system has pidfds the check cannot be outrun by a reused pid.
    """
    import signal

    if process.pid <= 1 or process.pid in ancestors():
        return False
    handle = None
    try:
        if hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal"):
            try:
                handle = os.pidfd_open(process.pid)
            except ProcessLookupError:
                return False
            except OSError:
                handle = None
        if not process.start or start_of(process.pid) != process.start:
            return False
        if handle is not None:
            ops.do("signal", f"{process.pid} {number}", signal.pidfd_send_signal, handle, number)
        else:
            ops.do("signal", f"{process.pid} {number}", os.kill, process.pid, number)
        return True
    except OSError:
        return False
    finally:
        if handle is not None:
            os.close(handle)


def began_after(pid: int, written: float) -> bool | None:
    """Whether a live process began after a time (seconds since 1970), with room for the clock's coarseness; None if unknown.

    It is never more than a doubt: a clock that was set forward since then makes a process look younger than it is.
    """
    began = _start_time(pid)
    return None if began is None else began > written + SLACK_S


def judge_pid_file(path: str, pid: int) -> str:
    """Say whom the pid of a daemon's pid file belongs to: `gone`, `other` or `ours`.

    `other` needs evidence: another user's process, or one whose arguments hold no word of the file's name. Anything in doubt is
    `ours`, so that the caller fails closed.
    """
    if not start_of(pid):
        return "gone"
    try:
        seen = os.lstat(path)
    except OSError:
        return "ours"
    if uid_of(pid) not in {None, seen.st_uid}:
        return "other"
    arguments = " ".join(arguments_of(pid)).lower()
    words = [word for word in os.path.basename(path).rpartition(".")[0].lower().split("-") if word]
    return "other" if arguments and not any(word in arguments for word in words) else "ours"


def _has_proc() -> bool:
    return os.path.exists(f"{PROC}/self/stat")


def _numbers() -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir(PROC) if name.isdigit())
    except OSError:
        return []


def _stat(pid: int) -> Sequence[str]:
    """Fields of stat from the third (state) on: the second may hold spaces and brackets."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].decode("ascii", "replace").split()
    except OSError:
        return ()
    return fields if len(fields) > 19 else ()


def uid_of(pid: int) -> int | None:
    """The user that a process runs as, or None.

    The owner of `/proc/<pid>` is root for every process that lets no other look into it, as Codex does.
    """
    if _has_proc():
        try:
            with open(f"{PROC}/{pid}/status", "rb") as file:
                said = next(line.split() for line in file if line.startswith(b"Uid:"))
            return int(said[1])
        except (OSError, StopIteration, ValueError, IndexError):
            return None
    text = _ps(pid, "uid=").strip()
    return int(text) if text.isdigit() else None


def _start_time(pid: int) -> float | None:
    """Start in seconds since 1970, or None."""
    start = start_of(pid)
    if not start:
        return None
    if not _has_proc():
        return int(start) / 1000
    try:
        with open(f"{PROC}/stat", encoding="ascii", errors="replace") as file:
            boot = next(int(line.split()[1]) for line in file if line.startswith("btime "))
    except (OSError, StopIteration, ValueError, IndexError):
        return None
    return boot + int(start) / os.sysconf("SC_CLK_TCK")


def _every_process() -> Iterator[Process]:
    if _has_proc():
        try:
            names = os.listdir(PROC)
        except OSError as error:
            raise Unreadable(str(error)) from None
        for pid in sorted(int(name) for name in names if name.isdigit()):
            if uid_of(pid) != os.geteuid():
                continue
            start = start_of(pid)
            arguments = arguments_of(pid) if start else ()
            if arguments and start_of(pid) == start:
                yield Process(pid, start, arguments)
        return
    lines = _ps(None, "pid=,args=").splitlines()
    if not lines:
        raise Unreadable("there is no /proc, and ps lists nothing")
    for line in lines:
        number, _, written = line.strip().partition(" ")
        start = start_of(int(number)) if number.isdigit() and written else ""
        if start:
            yield Process(int(number), start, (written.strip(),))


def _ps(pid: int | None, columns: str) -> str:
    """Output of the POSIX `ps`; a `-o` for each column. Nothing where ps is missing or fails."""
    import subprocess

    command = ["ps", "-U", str(os.geteuid())] if pid is None else ["ps", "-p", str(pid)]
    for column in columns.split(","):
        command += ["-o", column]
    if pid is None or columns == "args=":
        command.insert(1, "-ww")
    try:
        done = ops.do(
            "run",
            " ".join(command),
            subprocess.run,
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout)


_start = ""


def own_start() -> str:
    """Start of this process as lock files hold it: field 22 of `/proc/self/stat`, elsewhere milliseconds by `ps`."""
    global _start
    if not _start:
        try:
            with open("/proc/self/stat", "rb") as file:
                _start = file.read().rpartition(b")")[2].split()[19].decode("ascii")
        except (OSError, IndexError):
            _start = start_of(os.getpid()) or "0"
    return _start


def gone(pid: int, start: str) -> bool:
    """Whether the process that had this pid and start is over."""
    if pid == os.getpid() and start == own_start():
        return False
    return start_of(pid) != start
