"""Work below one open directory, so that no later symlink can lead a read or a write elsewhere."""

import os
import stat

from cancel_runtime import ops
from cancel_runtime.errors import Unresolved
from cancel_runtime.jsontext import LIMIT

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
TEMPORARY = ".cancel-tmp"


class Unsafe(Exception):
    """A symlink stands where a directory or a record should be."""


class Directory:
    """An open directory. Names are relative to it; paths are for the eye."""

    __slots__ = ("fd", "path")

    def __init__(self, path, fd):
        self.path = path
        self.fd = fd

    def join(self, name):
        return self.path + "/" + name

    def close(self):
        os.close(self.fd)

    def child(self, name):
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

    def names(self):
        return ops.do("list", self.path, os.listdir, self.fd)

    def kind(self, name):
        """`file`, `directory`, `link`, `other`, or "" where there is nothing."""
        try:
            mode = os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return ""
        if stat.S_ISREG(mode):
            return "file"
        return "directory" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "other"

    def read(self, name):
        """Bytes of a regular file, None where there is nothing; `Unsafe` for a symlink, `ValueError` for what is no file."""
        try:
            return ops.do("read", self.join(name), _read, name, self.fd)
        except FileNotFoundError:
            return None
        except OSError:
            if self.kind(name) == "link":
                raise Unsafe(self.join(name) + " is a symlink") from None
            raise

    def replace(self, name, data):
        """Put `data` under `name`: temporary file, fsync, rename, fsync of the directory; mode and owner stay as they were."""
        temporary = "." + name + "." + str(os.getpid()) + "-" + own_start() + TEMPORARY
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
                    _like(fd, old)
                ops.do("sync", path, os.fsync, fd)
            finally:
                os.close(fd)
            ops.do("rename", self.join(name), os.rename, temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        except OSError:
            self.discard(temporary)
            raise
        self.sync()

    def unlink(self, name):
        """Remove a name; whether there was one."""
        try:
            ops.do("unlink", self.join(name), os.unlink, name, dir_fd=self.fd)
        except FileNotFoundError:
            return False
        return True

    def discard(self, name):
        try:
            os.unlink(name, dir_fd=self.fd)
        except OSError:
            return

    def rmdir(self, name):
        ops.do("rmdir", self.join(name), os.rmdir, name, dir_fd=self.fd)

    def sync(self):
        ops.do("sync", self.path, os.fsync, self.fd)


def open_directory(path):
    """The directory at a path that was found safe before; its last name may be a link only if the caller allowed it."""
    return Directory(path, os.open(path, _OPEN))


def read_file(path):
    """Bytes of a regular file that is no symlink; `OSError` or `ValueError`."""
    return _read(path, None)


def _read(name, parent):
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


def write_all(fd, data):
    """Write all of it: one call may take less."""
    while data:
        data = data[os.write(fd, data) :]


def _like(fd, old):
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.fchown(fd, old.st_uid, old.st_gid)
        except OSError:
            old_mode = stat.S_IMODE(old.st_mode) & 0o777  # not ours to give away: no set-id bits under our own id
            os.fchmod(fd, old_mode)
            return
    os.fchmod(fd, stat.S_IMODE(old.st_mode))


_start = ""


def own_start():
    """Start of this process as lock files hold it: field 22 of `/proc/self/stat`, elsewhere milliseconds by `ps`."""
    global _start
    if not _start:
        try:
            with open("/proc/self/stat", "rb") as file:
                _start = file.read().rpartition(b")")[2].split()[19].decode("ascii")
        except (OSError, IndexError):
            from cancel_runtime import processes

            _start = processes.start_of(os.getpid()) or "0"
    return _start


def leftovers(directory, names, gone):
    """Remove temporary files that a killed run of ours left; `gone(pid, start)` says whether that run is over."""
    for name in names:
        if name.endswith(TEMPORARY) and name.startswith("."):
            pid, dash, start = name[: -len(TEMPORARY)].rpartition(".")[2].partition("-")
            if dash and pid.isdigit() and gone(int(pid), start):
                directory.unlink(name)


def reason(error):
    """What went wrong, in words."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error)


def failed(what, path, error):
    return Unresolved(what + " " + path + ": " + reason(error))
