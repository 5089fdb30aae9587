"""Read, write, lock and remove below one open directory, so that no later symlink can lead elsewhere."""

from __future__ import annotations

import errno
import os
import stat

from cancel_runtime import ops
from cancel_runtime.ops import Unresolved
from cancel_runtime.records import LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
TEMPORARY = ".cancel-tmp"


class Unsafe(Exception):
    """A symlink stands where a directory or a record should be."""


class Directory:
    """An open directory. Names are relative to it; paths are for the eye."""

    __slots__ = ("fd", "path")

    def __init__(self, path: str, fd: int) -> None:
        self.path = path
        self.fd = fd

    def join(self, name: str) -> str:
        return self.path + "/" + name

    def close(self) -> None:
        os.close(self.fd)

    def child(self, name: str) -> Directory | None:
        """The directory of that name, None if there is none; `Unsafe` for a symlink."""
        path = self.join(name)
        try:
            return Directory(path, os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=self.fd))
        except FileNotFoundError:
            return None
        except OSError:
            kind = self.kind(name)
            if kind == "link":
                raise Unsafe(path + " is a symlink") from None
            if kind and kind != "directory":
                raise Unsafe(path + " is not a directory") from None
            raise

    def names(self) -> list[str]:
        return ops.do("list", self.path, os.listdir, self.fd)

    def kind(self, name: str) -> str:
        """`file`, `directory`, `link`, `other`, or "" where there is nothing."""
        try:
            mode = os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return ""
        if stat.S_ISREG(mode):
            return "file"
        return "directory" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "other"

    def read(self, name: str) -> bytes | None:
        """Bytes of a regular file, None where there is nothing; `Unsafe` for a symlink, `ValueError` for what is no file."""
        try:
            return ops.do("read", self.join(name), _read_regular, name, self.fd)
        except FileNotFoundError:
            return None
        except OSError:
            if self.kind(name) == "link":
                raise Unsafe(self.join(name) + " is a symlink") from None
            raise

    def replace(self, name: str, data: bytes) -> None:
        """Put `data` under `name`: temporary file, fsync, rename, fsync of the directory; mode and owner stay as they were."""
        from cancel_runtime import processes

        temporary = "." + name + "." + str(os.getpid()) + "-" + processes.own_start() + TEMPORARY
        path = self.join(temporary)
        try:
            old = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            old = None
        fd = ops.do("create", path, os.open, temporary, _CREATE, 0o600, dir_fd=self.fd)
        try:
            try:
                ops.do("write", path, write_all, fd, data)
                if old is not None:
                    _copy_owner_and_mode(fd, old)
                ops.do("sync", path, os.fsync, fd)
            finally:
                os.close(fd)
            ops.do("rename", self.join(name), os.rename, temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        except OSError:
            self.discard(temporary)
            raise
        self.sync()

    def unlink(self, name: str) -> bool:
        """Remove a name; whether there was one."""
        try:
            ops.do("unlink", self.join(name), os.unlink, name, dir_fd=self.fd)
        except FileNotFoundError:
            return False
        return True

    def discard(self, name: str) -> None:
        try:
            os.unlink(name, dir_fd=self.fd)
        except OSError:
            return

    def rmdir(self, name: str) -> None:
        ops.do("rmdir", self.join(name), os.rmdir, name, dir_fd=self.fd)

    def sync(self) -> None:
        ops.do("sync", self.path, os.fsync, self.fd)


_named: list[str] = []


def name_root(path: str) -> None:
    """Let this directory be reached through links, as the user named it, and nothing below it."""
    _named.append(path)


def open_directory(path: str) -> Directory:
    """The directory at a path; `Unsafe` for a link on the way from the nearest named root, of which nothing is followed.

    It is opened name by name, so that a link which takes a directory's place after it was looked at leads nowhere. A path below no
    named root is one itself.
    """
    roots = [root for root in _named if path == root or path.startswith(root.rstrip("/") + "/")]
    root = max(roots, key=len) if roots else path
    directory = Directory(root, os.open(root, _OPEN))
    for name in os.path.relpath(path, root).split("/") if path != root else ():
        above, found = directory, None
        try:
            found = above.child(name)
        finally:
            above.close()
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        directory = found
    directory.path = path
    return directory


def read_file(path: str) -> bytes:
    """Bytes of a regular file that is no symlink; `OSError` or `ValueError`."""
    return _read_regular(path, None)


def _read_regular(name: str, parent: int | None) -> bytes:
    fd = os.open(name, _READ, dir_fd=parent)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("is a directory" if stat.S_ISDIR(found.st_mode) else "is not a regular file")
        if found.st_size > LIMIT:
            raise ValueError("is larger than 16 MiB")
        data = os.read(fd, found.st_size + 1)
        while True:
            piece = os.read(fd, 65536) if len(data) > found.st_size or len(data) < found.st_size else b""
            if not piece:
                return data
            data += piece
            if len(data) > LIMIT:
                raise ValueError("is larger than 16 MiB")
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it: one call may take less."""
    while data:
        data = data[os.write(fd, data) :]


def _copy_owner_and_mode(fd: int, old: os.stat_result) -> None:
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.fchown(fd, old.st_uid, old.st_gid)
        except OSError:
            old_mode = stat.S_IMODE(old.st_mode) & 0o777  # not ours to give away: no set-id bits under our own id
            os.fchmod(fd, old_mode)
            return
    os.fchmod(fd, stat.S_IMODE(old.st_mode))


def leftovers(directory: Directory, names: list[str], gone: Callable[[int, str], bool]) -> None:
    """Remove temporary files that a killed run of ours left; `gone(pid, start)` says whether that run is over."""
    for name in names:
        if name.endswith(TEMPORARY) and name.startswith("."):
            pid, dash, start = name[: -len(TEMPORARY)].rpartition(".")[2].partition("-")
            if dash and pid.isdigit() and gone(int(pid), start):
                directory.unlink(name)


def reason(error: Exception) -> str:
    """What went wrong, in words."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error)


def failed(what: str, path: str, error: Exception) -> Unresolved:
    return Unresolved(what + " " + path + ": " + reason(error))


OBJECT_LIMIT = 8 * 1024 * 1024


class Linked(OSError):
    """Something on the way is a symlink, or is not the kind of thing that it should be."""


def opened(root: str, *names: str) -> _Opened:
    """A descriptor of the directory `root/names…`; a named root may be reached through links, nothing below it.

    Raises FileNotFoundError if it is missing, Linked if a part of it is a link or no directory.
    """
    try:
        handle = open_directory(root).fd
    except Unsafe as error:
        raise Linked(str(error)) from None
    try:
        for name in names:
            try:
                below = os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=handle)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise Linked(f"{os.path.join(root, *names)} is a link or no directory ({error.strerror})") from None
            os.close(handle)
            handle = below
    except BaseException:
        os.close(handle)
        raise
    return _Opened(handle)


class _Opened:
    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __enter__(self) -> Any:
        return self.handle

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)


def kind(root: str, *names: str) -> str:
    """`directory`, `file`, `link`, `other` (also for what cannot be looked at) or "" for nothing there."""
    try:
        mode = os.lstat(os.path.join(root, *names)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError):
        return "other"
    if stat.S_ISLNK(mode):
        return "link"
    return "directory" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def listed(root: str, *names: str) -> list[str]:
    """Names in a directory, sorted; none if it is missing. Raises Linked."""
    try:
        with opened(root, *names) as handle:
            return sorted(ops.do("list", os.path.join(root, *names), os.listdir, handle))
    except FileNotFoundError:
        return []


def read(root: str, *names: str) -> bytes:
    """Bytes of a regular file. Raises FileNotFoundError, Linked, OSError."""
    path = os.path.join(root, *names)
    with opened(root, *names[:-1]) as handle:
        try:
            file = os.open(names[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=handle)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise Linked(f"{path} cannot be read ({error.strerror})") from None
        with open(file, "rb") as stream:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise Linked(f"{path} is not a regular file")
            if found.st_size > OBJECT_LIMIT:
                raise Linked(f"{path} is larger than {OBJECT_LIMIT} bytes")
            return ops.do("read", path, stream.read)


def read_object(root: str, *names: str) -> tuple[dict[str, Any] | None, str]:
    """Return (the object that a JSON file holds or None, why it is not one or ""); a missing file is (None, "")."""
    import json

    path = os.path.join(root, *names)
    try:
        value = json.loads(read(root, *names).decode("utf-8"))
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, str(error)
    except (ValueError, RecursionError):
        return None, f"{path} is not JSON"
    return (value, "") if isinstance(value, dict) else (None, f"{path} holds no JSON object")


def write(data: bytes, root: str, *names: str) -> None:
    """Put `data` in place of a file, durably; mode and owner stay as they were."""
    with opened(root, *names[:-1]) as handle:
        Directory(os.path.join(root, *names[:-1]), handle).replace(names[-1], data)


def rename(root: str, parents: list[str], old: str, new: str) -> None:
    """Rename within one directory, durably."""
    with opened(root, *parents) as handle:
        ops.do("rename", os.path.join(root, *parents, old), os.rename, old, new, src_dir_fd=handle, dst_dir_fd=handle)
        ops.do("sync", os.path.join(root, *parents), os.fsync, handle)


HALF = ".cancelled-"
"""A directory is renamed to this and its name before it is removed, so that a killed run leaves no half of one under its name."""


def remove(root: str, parents: list[str], name: str, keep: Iterable[str] = ()) -> bool:
    """Remove a tree, links as links; `keep` are absolute paths that stay, and the directories that lead to them.

    Returns whether all of it is gone.
    """
    with opened(root, *parents) as handle:
        gone = _remove(handle, os.path.join(root, *parents, name), name, frozenset(keep))
        ops.do("sync", os.path.join(root, *parents), os.fsync, handle)
    return gone


def _remove(parent: int, path: str, name: str, keep: frozenset[str]) -> bool:
    if path in keep:
        return False
    try:
        handle = os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=parent)
    except FileNotFoundError:
        return True
    except OSError:
        ops.do("unlink", path, os.unlink, name, dir_fd=parent)
        return True
    try:
        left = [one for one in sorted(os.listdir(handle)) if not _remove(handle, os.path.join(path, one), one, keep)]
    finally:
        os.close(handle)
    if left:
        return False
    ops.do("rmdir", path, os.rmdir, name, dir_fd=parent)
    return True


def checkouts(root: str, *names: str) -> list[str]:
    """Paths of directories below that are git checkouts (they hold `.git`); these are not looked into further."""
    found: list[str] = []
    try:
        with opened(root, *names) as handle:
            here = os.listdir(handle)
    except OSError:
        return found
    if ".git" in here:
        return [os.path.join(root, *names)]
    for name in sorted(here):
        if kind(root, *names, name) == "directory":
            found += checkouts(root, *names, name)
    return found


class NoLock:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> Any:
        return None


class DirectoryLock:
    def __init__(self, directory: Directory, wait_s: float) -> None:
        self.directory = directory
        self.wait_s = wait_s

    def __enter__(self) -> Any:
        import fcntl

        end = ops.monotonic() + self.wait_s
        while True:
            try:
                ops.do("lock", self.directory.path, fcntl.flock, self.directory.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return self
            except BlockingIOError:
                if ops.monotonic() >= end:
                    raise Unresolved("another cancel holds " + self.directory.path) from None
                ops.sleep(0.02)
            except OSError as error:
                raise Unresolved(
                    self.directory.path + " cannot be locked: " + (error.strerror or str(error)).lower()
                ) from None

    def __exit__(self, *_: object) -> None:
        import fcntl

        fcntl.flock(self.directory.fd, fcntl.LOCK_UN)
