"""Keep the product's programs in one place: a namespace in which nothing else can be written and no network is reached."""

from __future__ import annotations

import contextlib
import select
import subprocess
from collections.abc import Sequence
from pathlib import Path

_BEGIN = """
mount --make-rprivate / && mount --bind "$1" "$1" || exit 125
mounts=$(cat /proc/self/mountinfo)
while read -r _ _ _ _ at _; do
  case $at in
    "$1"|"$1"/*|/proc|/proc/*|/sys|/sys/*|/dev|/dev/pts) ;;
    /dev/shm) mount -t tmpfs tmpfs "$at" || exit 125;;
    *) mount -o remount,bind,ro "$at" 2>/dev/null || exit 125;;
  esac
done <<EOF
$mounts
EOF
: >"$1/.probe" && rm "$1/.probe" || exit 125
if (: >"$1.probe") 2>/dev/null; then rm "$1.probe"; exit 125; fi
ip link set lo up 2>/dev/null
echo ready
exec cat >/dev/null
"""
_ENTER = 'cd "$1" || exit 125; shift; exec "$@"'
_BEGINS_S = 20


class Bar:
    """A mount and network namespace in which only `place` can be written and only loopback is reached.

    `granted` is false where the system refuses namespaces; programs run all the same, and the report says so.
    """

    def __init__(self, place: Path) -> None:
        self._keeper: subprocess.Popen[bytes] | None = None
        command = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--", "/bin/sh", "-c", _BEGIN, "bar"]
        with contextlib.suppress(OSError):
            self._keeper = subprocess.Popen(
                [*command, str(place)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.granted = self._keeper is not None and self._wait_until_ready() and self._enters(place)

    @classmethod
    def none(cls) -> Bar:
        """Return one that bars nothing."""
        made = cls.__new__(cls)
        made.granted, made._keeper = False, None
        return made

    def wrap(self, command: Sequence[str], cwd: Path) -> list[str]:
        if not self.granted or self._keeper is None:
            return list(command)
        enter = ["nsenter", "--user", "--mount", "--net", "--preserve-credentials", f"--target={self._keeper.pid}"]
        # The directory is entered anew: the one that is inherited lies outside the namespace.
        return [*enter, "--", "/bin/sh", "-c", _ENTER, "bar", str(cwd), *command]

    def end(self) -> None:
        """Give the namespace up; it goes with the last process in it."""
        if self._keeper is None:
            return
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            if pipe:
                pipe.close()
        try:
            self._keeper.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        self._keeper = None

    def _wait_until_ready(self) -> bool:
        assert self._keeper is not None and self._keeper.stdout is not None
        return bool(select.select([self._keeper.stdout], [], [], _BEGINS_S)[0]) and bool(
            self._keeper.stdout.readline() == b"ready\n"
        )

    def _enters(self, place: Path) -> bool:
        self.granted = True
        outside = Path(f"{place}.out")
        probe = ["/bin/sh", "-c", '! (: >"$0") 2>/dev/null', str(outside)]
        try:
            done = subprocess.run(self.wrap(probe, place), capture_output=True, timeout=_BEGINS_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
        finally:
            outside.unlink(missing_ok=True)
        return done.returncode == 0
