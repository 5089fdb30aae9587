"""Take the lock files of oh-my-claudecode, so that its tools and this runtime keep each other out (facts 6.4)."""

from __future__ import annotations

import os

from cancel_runtime import ops, processes, records
from cancel_runtime.disk import Unsafe, reason, write_all
from cancel_runtime.ops import Unresolved
from cancel_runtime.records import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypedDict

    from cancel_runtime.disk import Directory

    class Owner(TypedDict):
        pid: int
        start: str
        nonce: str


MARK = "ca9ce15e"
"""How a nonce of ours begins; the next eight digits are the session's, so that only its next run sweeps a dead lock."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class LockFile:
    """One lock file in an open directory; a context manager. `shape` is `mutation` or `team`."""

    __slots__ = ("attempts", "directory", "interval_s", "name", "nonce", "shape")

    def __init__(
        self, directory: Directory, name: str, session: str, attempts: int, interval_ms: float, shape: str = "mutation"
    ) -> None:
        self.directory = directory
        self.name = name
        self.nonce = _make_nonce(session)
        self.attempts = attempts
        self.interval_s = interval_ms / 1000
        self.shape = shape

    def __enter__(self) -> LockFile:
        path = self.directory.join(self.name)
        temporary = self.name + "." + str(os.getpid()) + "." + self.nonce + ".tmp"
        try:
            self._publish(temporary, path)
        except OSError as error:
            raise Unresolved("the lock " + path + " could not be taken: " + reason(error)) from None
        finally:
            self.directory.discard(temporary)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            owner = _owner(self.directory, self.name, self.shape)
            if owner and owner["nonce"] == self.nonce:
                ops.do("unlock", self.directory.join(self.name), os.unlink, self.name, dir_fd=self.directory.fd)
        except (OSError, ValueError, Unsafe):
            return  # it stays and is reclaimed as a dead one

    def _publish(self, temporary: str, path: str) -> None:
        fd = ops.do(
            "create", self.directory.join(temporary), os.open, temporary, _CREATE, 0o600, dir_fd=self.directory.fd
        )
        try:
            data = records.json_line(self._content()).encode()
            ops.do("write", self.directory.join(temporary), write_all, fd, data)
            ops.do("sync", self.directory.join(temporary), os.fsync, fd)
        finally:
            os.close(fd)
        here = self.directory.fd
        for attempt in range(self.attempts):
            try:
                ops.do("lock", path, os.link, temporary, self.name, src_dir_fd=here, dst_dir_fd=here)
                return
            except FileExistsError:
                self._contend(path, attempt)
        raise Unresolved("the lock " + path + " is held by another process")

    def _contend(self, path: str, attempt: int) -> None:
        try:
            owner = _owner(self.directory, self.name, self.shape)
            identity = _identity(self.directory, self.name)
        except (ValueError, Unsafe):
            raise Unresolved("the lock " + path + " is malformed; look who made it and remove it by hand") from None
        if owner is None or identity is None:
            return
        if processes.gone(owner["pid"], owner["start"]):
            _reclaim(self.directory, self.name, owner, identity, self.shape)
        elif attempt + 1 < self.attempts:
            ops.sleep(self.interval_s)

    def _content(self) -> dict[str, Any]:
        now = stamp(ops.now_ms())
        if self.shape == "team":
            # macOS counts seconds and microseconds here, of which `ps` knows the seconds.
            start = str(int(processes.own_start()) // 1000) + ":0" if _system() == "darwin" else processes.own_start()
            started = _system() + ":" + start
            return {
                "schema_version": 1,
                "pid": os.getpid(),
                "process_started_at": started,
                "nonce": self.nonce,
                "created_at": now,
            }
        return {
            "version": 1,
            "pid": os.getpid(),
            "processStart": processes.own_start(),
            "createdAt": now,
            "nonce": self.nonce,
        }


def sweep(directory: Directory, names: list[str], session: str) -> None:
    """Remove dead locks that a killed run left for this session, and the temporary names of its locks."""
    own = MARK + "-" + _digest(session)
    for name in names:
        if name.endswith(".lock"):
            shape = "team" if name.endswith(".team-state.lock") else "mutation"
            try:
                owner = _owner(directory, name, shape)
                identity = _identity(directory, name)
            except (OSError, ValueError, Unsafe):
                continue
            if owner and identity and owner["nonce"].startswith(own) and processes.gone(owner["pid"], owner["start"]):
                _reclaim(directory, name, owner, identity, shape)
        elif name.endswith(".tmp") and own in name:
            pid = name.rpartition(".")[0].rpartition(".")[0].rpartition(".")[2]
            _drop(directory, name, pid)
        elif ".lock.reclaim." in name:
            _drop_reclaimed(directory, name)


def _drop(directory: Directory, name: str, pid: str) -> None:
    if pid.isdigit() and int(pid) != os.getpid() and not processes.start_of(int(pid)):
        directory.unlink(name)


def _drop_reclaimed(directory: Directory, name: str) -> None:
    """A lock that a reclaimer of ours moved aside and was killed over: it goes once the owner in it is gone too."""
    pid, _, nonce = name.rpartition(".reclaim.")[2].partition(".")
    try:
        owner = _owner(directory, name, "team" if ".team-state.lock" in name else "mutation")
    except (OSError, ValueError, Unsafe):
        return
    if owner and nonce.startswith(MARK) and processes.gone(owner["pid"], owner["start"]):
        _drop(directory, name, pid)


def _reclaim(directory: Directory, name: str, owner: Owner, identity: tuple[int, int], shape: str) -> None:
    """Take a dead owner's lock away: rename, verify that it is the one that was seen, unlink; else put it back."""
    here = directory.fd
    aside = name + ".reclaim." + str(os.getpid()) + "." + _make_nonce("")
    try:
        ops.do("rename", directory.join(name), os.rename, name, aside, src_dir_fd=here, dst_dir_fd=here)
    except FileNotFoundError:
        return
    try:
        moved = _owner(directory, aside, shape)
        same = moved is not None and moved["nonce"] == owner["nonce"] and _identity(directory, aside) == identity
    except (ValueError, Unsafe):
        same = False
    if same:
        directory.unlink(aside)
        return
    try:
        ops.do("link", directory.join(name), os.link, aside, name, src_dir_fd=here, dst_dir_fd=here)
    except FileExistsError:
        return  # another owner won the name; what was moved may be alive and stays
    directory.unlink(aside)


def _owner(directory: Directory, name: str, shape: str) -> Owner | None:
    """{pid, start, nonce} of a lock, None where there is none; `ValueError` for one that is malformed."""
    data = directory.read(name)
    if data is None:
        return None
    body = records.parse_json(data)
    if not isinstance(body, dict):
        raise ValueError("is no object")
    if shape == "team":
        fields = ("schema_version", "pid", "process_started_at", "created_at", "nonce")
    else:
        fields = ("version", "pid", "processStart", "createdAt", "nonce")
    version, pid, start, created, nonce = [body.get(field) for field in fields]
    if (
        version is True
        or version != 1
        or type(pid) is not int
        or pid <= 0
        or not (isinstance(start, str) and isinstance(created, str) and isinstance(nonce, str))
        or not (start and created and nonce)
    ):
        raise ValueError("has no owner")
    if any(c.isspace() for c in start):
        raise ValueError("has no owner")
    if shape == "team":
        system, _, start = start.partition(":")
        if system != _system():
            raise ValueError("is of another system")
        start = start.partition(":")[0] + ("000" if system == "darwin" else "")
    elif len(nonce) != 36 or any(c not in "0123456789abcdefABCDEF-" for c in nonce) or not _is_date(created):
        raise ValueError("has no owner")
    return {"pid": pid, "start": start, "nonce": nonce}


def _is_date(text: str) -> bool:
    digits = text[:4] + text[5:7] + text[8:10]
    return len(text) >= 10 and digits.isdigit() and text[4] == "-" == text[7]


def _identity(directory: Directory, name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name, dir_fd=directory.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _make_nonce(session: str) -> str:
    tail = os.urandom(8).hex()
    return MARK + "-" + _digest(session) + "-" + tail[:4] + "-" + tail[4:16]


def _digest(session: str) -> str:
    """Eight digits and a hyphen that stand for a session (FNV-1a, 32 bits)."""
    value = 0x811C9DC5
    for byte in session.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    text = f"{value:08x}"
    return text[:4] + "-" + text[4:]


def _system() -> str:
    return os.uname().sysname.lower()
