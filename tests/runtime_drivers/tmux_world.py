"""A private tmux server with teams in it, as rcs leaves them behind."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cancel_runtime.records import Record
from cancel_runtime.roots import Place
from cancel_runtime.team_tmux import TmuxDriver
from cancel_runtime.teams import Team, TeamResult
from ruamel.yaml import YAML

REPOSITORY = Path(__file__).parents[2]
STUBBORN = "trap '' INT TERM; while :; do sleep 0.1; done"
NOHUP = "trap '' INT TERM HUP; while :; do sleep 0.1; done"
WILLING = "while read -r line; do case $line in *shut*) exit 0;; esac; done"
INTERRUPTED = "while :; do sleep 0.1; done"


def team_contract(**changes: object) -> dict[str, Any]:
    """The contract's part on teams as the rcs flavor has it, with waits that suit a test."""
    team = YAML(typ="safe").load((REPOSITORY / "flavors" / "rcs.yaml").read_text())["team"]
    return {**team, "grace_s": 1, "interrupt_s": 1, **changes}


class World:
    """One workspace and one tmux server that nobody else uses."""

    def __init__(self, base: Path) -> None:
        self.workspace = base / "project"
        self.state = self.workspace / ".rcs" / "state"
        self.state.mkdir(parents=True)
        self.sockets = base / "s"
        self.sockets.mkdir(mode=0o700)
        self.environ = {
            "TMUX_TMPDIR": str(self.sockets),
            "PATH": os.environ["PATH"],
            "HOME": str(base),
            "LC_ALL": "C.UTF-8",
            "SHELL": "/bin/sh",
        }

    def tmux(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["tmux", "-f", "/dev/null", *arguments], env=self.environ, capture_output=True, text=True, check=False
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def session(self, name: str, command: str = INTERRUPTED) -> str:
        """Make a session; returns its pane's id."""
        return self.tmux("new-session", "-d", "-s", name, "-P", "-F", "#{pane_id}", "/bin/sh", "-c", command)

    def pane(self, session: str, command: str) -> str:
        return self.tmux("split-window", "-d", "-t", f"={session}:", "-P", "-F", "#{pane_id}", "/bin/sh", "-c", command)

    def pid(self, pane: str) -> int:
        return int(self.tmux("display-message", "-p", "-t", pane, "#{pane_pid}"))

    def panes(self) -> set[str]:
        return set(self.tmux("list-panes", "-a", "-F", "#{pane_id}", check=False).split())

    def sessions(self) -> set[str]:
        return set(self.tmux("list-sessions", "-F", "#{session_name}", check=False).split())

    def team(
        self,
        name: str,
        workers: dict[str, object],
        *,
        session: str = "s1",
        tmux_session: str | None = None,
        **more: object,
    ) -> Path:
        """Write a team's directory; `workers` maps a name to a pane id, or to more fields of its entry."""
        directory = self.state / "team" / name
        directory.mkdir(parents=True)
        listed = []
        for worker, value in workers.items():
            (directory / "workers" / worker).mkdir(parents=True)
            listed.append({"name": worker, **(value if isinstance(value, dict) else {"pane_id": value})})
        config = {"name": name, "workers": listed, "tmux_session": tmux_session or f"rcs-team-{name}", **more}
        (directory / "config.json").write_text(json.dumps(config))
        (directory / "manifest.v2.json").write_text(json.dumps({"leader": {"session_id": session}, "workers": listed}))
        return directory

    def driver(self, monkeypatch: Any, *, forced: bool = False, inside: str = "", **changes: object) -> TmuxDriver:
        """A driver that finds this server through the environment, as the script does."""
        for key in ("TMUX", "TMUX_PANE"):
            monkeypatch.delenv(key, raising=False)
        for key, value in self.environ.items():
            monkeypatch.setenv(key, value)
        if inside:
            monkeypatch.setenv("TMUX", self.tmux("display-message", "-p", "-t", inside, "#{socket_path},#{pid},0"))
            monkeypatch.setenv("TMUX_PANE", inside)
        request = SimpleNamespace(urgency="forced" if forced else "graceful", team_confirmed=False, dry_run=False)
        place = Place(str(self.workspace), str(self.workspace / ".rcs"), str(self.state), "")
        contract = {
            "team": team_contract(**changes),
            "store": {"sessions": "sessions", "record": "{mode}-state.json"},
            "modes": {"team": {"action": "shutdown", "records": ["team"]}},
        }
        return TmuxDriver(contract, place, request)

    def record(self, team: str, session: str = "s1", *, active: bool = True) -> Record:
        body = {"active": active, "team_name": team}
        return Record("team", session, str(self.state / "team-state.json"), "active" if active else "inactive", body)

    def close(self) -> None:
        self.tmux("kill-server", check=False)


def cancel(driver: TmuxDriver, session: str = "s1", record: Record | None = None) -> tuple[list[TeamResult], list[str]]:
    """Observe, plan, stop and clean as the engine does."""
    teams, warnings = driver.observe(session, record, "current")
    return [carry_out(driver, team) for team in teams], warnings


def carry_out(driver: TmuxDriver, team: Team) -> TeamResult:
    steps = driver.plan(team)
    result = driver.stop(team, [step for step in steps if step.phase == "stop"])
    if result.outcome in ("done", "absent"):
        result = driver.clean(team, [step for step in steps if step.phase == "clean"], result)
    return result


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def soon(fact: Any, seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
