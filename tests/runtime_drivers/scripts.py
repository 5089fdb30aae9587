"""Run the scripts of rendered bundles: what a test of whole runs needs beside a world."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run said; `report` is the object of `--json`."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        assert self.out, self.err
        report: dict[str, Any] = json.loads(self.out)
        return report

    @property
    def team(self) -> dict[str, Any]:
        [team] = self.report["teams"]
        found: dict[str, Any] = team
        return found

    def mode(self, key: str = "team") -> dict[str, Any]:
        found = [mode for session in self.report["sessions"] for mode in session["modes"] if mode["mode"] == key]
        assert len(found) == 1, self.out
        mode: dict[str, Any] = found[0]
        return mode

    def outcomes(self) -> dict[str, str]:
        return {f"{s['session_id']}/{m['mode']}": m["outcome"] for s in self.report["sessions"] for m in s["modes"]}

    def warns(self, *words: str) -> bool:
        return any(all(word in warning for word in words) for warning in self.report["warnings"])


def run(
    script: Path,
    workspace: Path,
    environ: dict[str, str],
    *arguments: str,
    command: tuple[str, ...] = (sys.executable,),
) -> Ran:
    done = subprocess.run(
        [*command, str(script), *arguments],
        cwd=workspace,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


def build(out: Path, *arguments: str) -> Path:
    """Render into `out`, with contracts that wait one second where they would wait fifteen."""
    command = [sys.executable, "-m", "skillgen", "build", "--out", str(out), *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for path in out.glob("*/skills/cancel/contract.json"):
        contract = json.loads(path.read_text())
        contract["team"] = {key: 1 if key.endswith("_s") else value for key, value in contract["team"].items()}
        path.write_text(json.dumps(contract))
    return out


class Database:
    """The rows of copilot-omni, as its sixth version keeps them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as database:
            database.execute(
                "create table state(mode text not null, body text not null, session_id text not null default '', "
                "updated_at real not null, primary key(mode, session_id))"
            )
            database.execute("create table schema_version(version integer)")
            database.execute("insert into schema_version values (6)")
        database.close()

    def put(self, mode: str, body: dict[str, object], session: str = "s1") -> None:
        with sqlite3.connect(self.path) as database:
            database.execute(
                "insert or replace into state values (?, ?, ?, ?)", (mode, json.dumps(body), session, time.time())
            )
        database.close()

    def rows(self) -> dict[tuple[str, str], str]:
        """(mode, session) to the body's own text."""
        with sqlite3.connect(self.path) as database:
            found = {
                (mode, session): body
                for mode, session, body in database.execute("select mode, session_id, body from state")
            }
        database.close()
        return found


def plain_environ(home: Path, **more: str) -> dict[str, str]:
    """An environment that names no session and no server of this test's own."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TMUX_TMPDIR": str(home), **more}
