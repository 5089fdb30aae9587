"""Run a build and die, as if killed, at the nth call that touches the disk: killed_build.py N ARGUMENT…"""

from __future__ import annotations

import os
import sys

left = int(sys.argv.pop(1))


def deadly(name: str) -> None:
    real = getattr(os, name)

    def call(*arguments: object, **options: object) -> object:
        global left
        left -= 1
        if left < 0:
            if name == "write":
                # Half of the bytes reach the disk.
                real(arguments[0], bytes(arguments[1])[: len(bytes(arguments[1])) // 2])  # type: ignore[call-overload]
            os._exit(137)
        return real(*arguments, **options)

    setattr(os, name, call)


for name in ("write", "replace", "unlink", "rmdir", "fchmod"):
    deadly(name)

from skillgen.cli.main import run  # noqa: E402

sys.exit(run())
