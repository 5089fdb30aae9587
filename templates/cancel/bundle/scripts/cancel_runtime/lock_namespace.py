"""Take the locks that oh-my-codex holds while it writes a record, so that neither writes over the other."""

from __future__ import annotations

import hashlib
import os
import stat

from cancel_runtime import ops, records
from cancel_runtime.disk import Directory, Unsafe, open_directory, reason
from cancel_runtime.ops import Unresolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cancel_runtime.records import Body
    from cancel_runtime.roots import Place

_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
AGAIN_S = 0.02


class NamespaceLock:
    """The lock of one record's name, for all sessions; a context manager that does nothing where the product never made one.

    `rule`: the contract's `store.lock`; `name`: the record's file name. Its file stays: it is permanent, as the product's is.
    """

    __slots__ = ("fd", "name", "place", "rule")

    def __init__(self, rule: Body, place: Place, name: str) -> None:
        self.rule = rule
        self.place = place
        self.name = name
        self.fd = -1

    def __enter__(self) -> NamespaceLock:
        state = os.path.realpath(self.place.state)
        inner = (os.path.basename(self.place.base), os.path.basename(self.place.state))
        both = (os.path.basename(os.path.dirname(state)), os.path.basename(state)) == inner
        top = os.path.dirname(os.path.dirname(state)) if both else os.path.dirname(state)
        path = os.path.join(top, self.rule["directory"])
        if not os.path.lexists(path):
            return self
        try:
            if os.path.islink(path):
                raise Unsafe("it is a symlink")
            directory = open_directory(path)
        except (OSError, Unsafe) as error:
            raise Unresolved("the locks in " + path + " cannot be looked at: " + str(error)) from None
        try:
            self._take(directory, state)
        except OSError as error:
            raise Unresolved(
                "the lock of " + self.name + " in " + path + " cannot be taken: " + reason(error)
            ) from None
        finally:
            directory.close()
        return self

    def _take(self, directory: Directory, state: str) -> None:
        import fcntl

        self._known(directory)
        leaf = hashlib.sha256(os.fsencode(os.path.join(state, self.name))).hexdigest() + ".mutex"
        path = directory.join(leaf)
        self.fd = ops.do("lock", path, os.open, leaf, _OPEN, 0o600, dir_fd=directory.fd)
        try:
            self._hold(path, fcntl)
            opened, visible = os.fstat(self.fd), os.stat(leaf, dir_fd=directory.fd, follow_symlinks=False)
            plain = stat.S_ISREG(opened.st_mode) and opened.st_nlink == 1
            if not plain or (opened.st_dev, opened.st_ino) != (visible.st_dev, visible.st_ino):
                raise Unresolved("the lock " + path + " is no plain file, or was replaced; look who made it")
        except BaseException:
            self.__exit__()
            raise

    def _hold(self, path: str, fcntl: object) -> None:
        end = ops.monotonic() + self.rule["wait_s"]
        while True:
            try:
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[attr-defined]
                return
            except BlockingIOError:
                if ops.monotonic() >= end:
                    raise Unresolved(
                        "another program writes "
                        + self.name
                        + ": it has held "
                        + path
                        + " for "
                        + str(self.rule["wait_s"])
                        + " s"
                    ) from None
                ops.sleep(AGAIN_S)

    def _known(self, directory: Directory) -> None:
        """`Unresolved` where the directory is not the one that the product pinned."""
        marker = os.path.join(os.path.dirname(directory.path), self.rule["identity"])
        try:
            with open(marker, "rb") as file:
                told = records.parse_json(file.read(4096))
        except FileNotFoundError:
            return  # it is written after the directory, in the first moments of its life
        except (OSError, ValueError) as error:
            raise Unresolved(marker + " cannot be read: " + str(error)) from None
        found = os.fstat(directory.fd)
        if not isinstance(told, dict) or (told.get("dev"), told.get("ino")) != (found.st_dev, found.st_ino):
            raise Unresolved(
                directory.path + " is not the directory that " + marker + " names; the product refuses it, too"
            )

    def __exit__(self, *_: object) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
