"""Keep other cancels out where the flavor has no lock of its own: `flock` on the open state directory creates nothing."""

import fcntl

from cancel_runtime import ops
from cancel_runtime.errors import Unresolved


class NoLock:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class DirectoryLock:
    def __init__(self, directory, wait_s):
        self.directory = directory
        self.wait_s = wait_s

    def __enter__(self):
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

    def __exit__(self, *_):
        fcntl.flock(self.directory.fd, fcntl.LOCK_UN)
