"""A plugin, a workspace and team runs, as copilot-omni leaves them behind (facts, section 2)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cancel_runtime.records import Record
from cancel_runtime.roots import Place
from cancel_runtime.team_orchestrator import OrchestratorDriver
from cancel_runtime.teams import TeamResult
from ruamel.yaml import YAML

REPOSITORY = Path(__file__).parents[2]
# The processes of all tests of this user are seen by each: no two may work for one run or session.
RUN = f"team-{uuid.uuid4().hex[:12]}"
MINE = f"s-{uuid.uuid4().hex}"

# What the real program was seen to do: it writes signals, calls every worker cancelled at once and kills no worker.
PROGRAM = """
import json, pathlib, sys, time
runs = pathlib.Path(__file__).resolve().parent.parent / ".omni" / "runs"
command, run_id, flag, reason = sys.argv[1:]
assert (command, flag) == ("cancel", "--reason"), sys.argv
run = runs / run_id
(runs.parent / "called").open("a").write(" ".join(sys.argv[1:]) + "\\n")
if not run.exists():
    raise RuntimeError(f"run directory not found: {run}")
text = json.dumps({"reason": reason, "requested_at": "now", "run_id": run_id})
(run / "cancel.signal").write_text(text)
for worker in json.loads((run / "manifest.json").read_text())["workers"]:
    place = run / "workers" / worker["slug"]
    place.mkdir(parents=True, exist_ok=True)
    (place / "cancel.signal").write_text(text)
    (place / "status.json").write_text(json.dumps({"state": "cancelled"}))
(run / "status.json").write_text(json.dumps({"state": "cancelled"}))
"""

# A worker polls for the signal of its run, or does not care.
WORKER = """
import os, pathlib, signal, subprocess, sys, time
config, manner = sys.argv[1], sys.argv[2]
run = pathlib.Path(sys.argv[3])
if manner == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if manner == "parent":
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print("up", flush=True)
while manner != "polite" or not (run / "cancel.signal").exists():
    time.sleep(0.05)
"""


class World:
    def __init__(self, base: Path) -> None:
        self.base = base
        self.workspace = base / "project"
        self.plugin = base / "plugin"
        (self.workspace / ".omni" / "runs").mkdir(parents=True)
        (self.plugin / ".omni" / "runs").mkdir(parents=True)
        (self.plugin / "scripts").mkdir()
        (self.plugin / "scripts" / "omni_team.py").write_text(PROGRAM)
        (self.plugin / "scripts" / "_subagent_wrapper.py").write_text(WORKER)
        self.processes: list[subprocess.Popen[str]] = []

    def run(
        self,
        run: str = RUN,
        *,
        root: str = "plugin",
        session: str = "s1",
        slugs: tuple[str, ...] = ("w1",),
        state: str = "dispatched",
        **more: object,
    ) -> Path:
        directory: Path = getattr(self, root) / ".omni" / "runs" / run
        for slug in slugs:
            (directory / "workers" / slug).mkdir(parents=True)
            self.config(directory, slug).parent.mkdir(parents=True)
        directory.mkdir(exist_ok=True)
        workers = [{"slug": slug, "worktree_path": "", "branch": f"team-{run}/{slug}"} for slug in slugs]
        manifest = {
            "run_id": run,
            "name": "builders",
            "session_id": session,
            "tmux_session": None,
            "base_branch": "main",
        }
        (directory / "manifest.json").write_text(json.dumps({**manifest, "workers": workers, **more}))
        (directory / "status.json").write_text(json.dumps({"state": state}))
        return directory

    def config(self, directory: Path, slug: str) -> Path:
        return directory / "inner" / directory.name / slug / f"{directory.name}-{slug}" / "_wrapper_config.json"

    def worker(
        self,
        directory: Path,
        slug: str = "w1",
        manner: str = "busy",
        *,
        options: Sequence[str] = (),
        argument: str = "",
        cwd: Path | None = None,
        user: int | None = None,
    ) -> subprocess.Popen[str]:
        """Start a worker as the product does: its interpreter, its own wrapper, the file of the job."""
        command = [
            sys.executable,
            *options,
            str(self.plugin / "scripts" / "_subagent_wrapper.py"),
            argument or str(self.config(directory, slug)),
            manner,
            str(directory),
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cwd, user=user)
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        self.processes.append(process)
        return process

    def driver(
        self, *, forced: bool = False, plugin: bool = True, told: bool = False, **changes: object
    ) -> OrchestratorDriver:
        yaml = YAML(typ="safe").load((REPOSITORY / "flavors" / "omni.yaml").read_text())
        contract = {
            "team": {**yaml["team"], "grace_s": 1, "kill_s": 1, **changes},
            "signal": yaml["signal"],
            "store": yaml["store"],
        }
        holders = [str(self.workspace / ".omni"), str(self.plugin / ".omni")]
        place = Place(
            str(self.workspace),
            str(self.workspace / ".omni"),
            str(self.workspace / ".omni"),
            "",
            runs=holders,
            plugin=str(self.plugin) if plugin else "",
            told=told,
        )
        request = SimpleNamespace(urgency="forced" if forced else "graceful", team_confirmed=False, dry_run=False)
        return OrchestratorDriver(contract, place, request)

    def record(self, run: object = RUN, session: str = "s1", *, active: bool = True) -> Record:
        body = {"run_id": run, "name": "builders", "state": "dispatched" if active else "cancelled"}
        return Record(
            "team", session, "/nowhere/omni.db", "active" if active else "inactive", body, place=f"row:{session}"
        )

    def called(self) -> list[str]:
        path = self.plugin / ".omni" / "called"
        return path.read_text().splitlines() if path.exists() else []

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def cancel(
    driver: OrchestratorDriver, record: Record | None = None, session: str = "s1"
) -> tuple[list[TeamResult], list[str]]:
    teams, warnings = driver.observe(session, record, "current")
    results = []
    for team in teams:
        steps = driver.plan(team)
        result = driver.stop(team, [step for step in steps if step.phase == "stop"])
        results.append(driver.clean(team, [step for step in steps if step.phase == "clean"], result))
    return results, warnings


def git(where: Path, *arguments: str) -> str:
    name = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_CONFIG_GLOBAL": "/dev/null"}
    environ: dict[str, Any] = {**os.environ, **name, "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}
    done = subprocess.run(
        ["git", "-C", str(where), *arguments], env=environ, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
