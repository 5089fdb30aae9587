"""Talk to the tmux server that the environment names: look at panes, and act on exact ids only."""

from __future__ import annotations

import os
import re

from cancel_runtime import ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_synchronized} #{session_id} #{window_index} #{session_name}"
NO_SERVER = (
    "no server running",
    "no such file or directory",
    "connection refused",
    "lost server",
    "server exited",
    "no current target",
    "no sessions",
)
PANE = re.compile(r"%[0-9]+")


class Unreachable(Exception):
    """The server cannot be looked at, so nothing is known about its panes."""


class Pane:
    """One pane: `places` are the (session, window index) pairs that show it, more than one for a linked window."""

    __slots__ = ("dead", "id", "pid", "places", "synchronized")

    def __init__(self, pane: str, pid: int, dead: bool, synchronized: bool) -> None:
        self.id = pane
        self.pid = pid
        self.dead = dead
        self.synchronized = synchronized
        self.places: set[tuple[str, str]] = set()

    @property
    def sessions(self) -> set[str]:
        return {session for session, _ in self.places}


class Tmux:
    """The server of `$TMUX`, else the default one; it is never started and never killed."""

    def __init__(self, environ: Mapping[str, str], timeout_s: float = 10) -> None:
        self.timeout_s = timeout_s
        self.environ = dict(environ)
        # Replies are matched in English; the character set has to stay UTF-8, or tmux refuses to start.
        everywhere = self.environ.pop("LC_ALL", "")
        if everywhere:
            self.environ["LC_CTYPE"] = everywhere
        self.environ.pop("LANGUAGE", None)
        self.environ["LC_MESSAGES"] = "C"
        self.own_pane = environ.get("TMUX_PANE", "") if environ.get("TMUX") else ""

    def panes(self) -> dict[str, Pane]:
        """Every pane of the server by id; none where no server runs. Raises Unreachable."""
        code, out, err = self._run("-u", "list-panes", "-a", "-F", FORMAT)
        if code:
            if any(text in err.lower() for text in NO_SERVER):
                return {}
            raise Unreachable(f"tmux says: {err.strip() or 'nothing'}")
        panes: dict[str, Pane] = {}
        for line in out.splitlines():
            fields = line.split(" ", 6)
            if len(fields) != 7 or not PANE.fullmatch(fields[0]):
                continue
            pid = int(fields[1]) if fields[1].isdigit() else 0
            pane = panes.setdefault(fields[0], Pane(fields[0], pid, fields[2] == "1", fields[3] == "1"))
            pane.places.add((fields[6], fields[5]))
        return panes

    def same(self, pane: Pane) -> Pane | None:
        """The pane as it is now, or None if the id is gone or belongs to another process."""
        now = self.panes().get(pane.id)
        return now if now is not None and now.pid == pane.pid else None

    def type(self, pane: Pane, text: str) -> bool:
        """Type text into a pane; not where its keys would also reach other panes."""
        return self._keys(pane, ["send-keys", "-t", pane.id, "-l", "--", text])

    def enter(self, pane: Pane) -> bool:
        return self._keys(pane, ["send-keys", "-t", pane.id, "Enter"])

    def interrupt(self, pane: Pane) -> bool:
        return self._keys(pane, ["send-keys", "-t", pane.id, "C-c"])

    def kill_pane(self, pane: Pane) -> bool:
        return self.same(pane) is not None and self._run("kill-pane", "-t", pane.id)[0] == 0

    def kill_session(self, name: str) -> bool:
        """Destroy the session of exactly this name."""
        return self._run("kill-session", "-t", f"={name}")[0] == 0

    def _keys(self, pane: Pane, command: list[str]) -> bool:
        now = self.same(pane)
        if now is None or now.dead or now.synchronized:
            return False
        # In copy mode the keys would only drive the copy mode.
        leave = ["if-shell", "-F", "-t", pane.id, "#{pane_in_mode}", f"send-keys -t {pane.id} -X cancel", ";"]
        return self._run(*leave, *command)[0] == 0

    def _run(self, *arguments: str) -> tuple[int, str, str]:
        import subprocess

        try:
            done = ops.do(
                "run",
                "tmux " + " ".join(arguments),
                subprocess.run,
                ["tmux", *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.timeout_s,
                check=False,
                env=self.environ,
            )
        except FileNotFoundError:
            raise Unreachable("tmux is not on PATH") from None
        except (OSError, subprocess.SubprocessError) as error:
            raise Unreachable(f"tmux cannot be run: {error}") from None
        return done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr)
