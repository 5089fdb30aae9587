"""Write files so that a reader, or a killed writer, never sees half of one."""

from __future__ import annotations

import os
from types import TracebackType

from skillgen.errors import UsageError, to_write
from skillgen.model.lock import UNFINISHED

_EACH = 16
"""Up to so many files are synced one by one; beyond, one sync of all is faster."""


class Writer:
    """Stages files beside their targets and puts all of them in place with `commit`.

    Follows no symbolic link below `top`. Raises UsageError where the disk or the tree refuses.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self._staged: list[tuple[str, str]] = []
        self._ready: set[str] = set()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for temporary, _ in self._staged:
            if os.path.lexists(temporary):
                os.unlink(temporary)
        self._staged = []

    @property
    def waiting(self) -> int:
        """Number of files that are staged and not yet in place."""
        return len(self._staged)

    def stage(self, path: str, data: bytes, mode: int) -> None:
        """Write the bytes under a temporary name beside `path` (POSIX, relative to `top`)."""
        target = os.path.join(self.top, path)
        directory = os.path.dirname(target)
        temporary = os.path.join(directory, f"{UNFINISHED}{os.getpid()}-{self.waiting}")
        try:
            self._make(directory)
            if os.path.isdir(target) and not os.path.islink(target):
                raise UsageError(f"{target}: is a directory where a file must be written; remove it")
            if os.path.exists(target) and not os.path.isfile(target) and not os.path.islink(target):
                raise UsageError(f"{target}: is a device or a pipe; no file is put in its place, name another")
            self._staged.append((temporary, target))
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                os.fchmod(descriptor, mode)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise _make_refusal(error, target) from None

    def commit(self) -> None:
        """Make everything staged durable, then rename it into place."""
        try:
            if len(self._staged) > _EACH:
                os.sync()
            else:
                for temporary, _ in self._staged:
                    descriptor = os.open(temporary, os.O_RDONLY | os.O_CLOEXEC)
                    try:
                        os.fsync(descriptor)
                    finally:
                        os.close(descriptor)
            for temporary, target in self._staged:
                os.replace(temporary, target)
        except OSError as error:
            raise _make_refusal(error, self.top) from None
        self._staged = []

    def _make(self, directory: str) -> None:
        """Create a directory below `top`; refuse one that a link leads away from it."""
        if directory in self._ready:
            return
        if directory != self.top:
            self._make(os.path.dirname(directory))
            if os.path.islink(directory):
                raise UsageError(f"{directory}: is a symbolic link; nothing is written through it, remove it")
            if os.path.lexists(directory) and not os.path.isdir(directory):
                raise UsageError(f"{directory}: is a file where a directory must be; remove it")
        os.makedirs(directory, exist_ok=True)
        self._ready.add(directory)


def write_file(path: str, data: bytes) -> None:
    """Write one file, whole or not at all; its directory is made where it is missing."""
    with Writer(os.path.dirname(path) or ".") as writer:
        writer.stage(os.path.basename(path), data, 0o644)
        writer.commit()


def remove(top: str, path: str) -> None:
    """Remove a file and the directories below `top` that it leaves empty. Gone already is fine."""
    target = os.path.join(top, path)
    try:
        os.unlink(target)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _make_refusal(error, target) from None
    directory = os.path.dirname(target)
    while len(directory) > len(top):
        try:
            os.rmdir(directory)
        except OSError:
            return
        directory = os.path.dirname(directory)


def _make_refusal(error: OSError, path: str) -> UsageError:
    return UsageError(f"{error.filename or path}: cannot be written ({error.strerror})", to_write(error))
