"""Give each scenario a fresh place with the product in it, and our script beside it."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillgen.conform.bar import Bar
from skillgen.conform.mcp import NoAnswer
from skillgen.conform.processes import Processes
from skillgen.conform.product import SESSION, Product, World
from skillgen.model.contract import Contract
from skillgen.model.driving import Driving


@dataclass(frozen=True, slots=True)
class Run:
    """What our script did: exit code, its report (empty on exit 2), what it printed to stderr."""

    code: int | None
    report: dict[str, Any]
    stderr: str

    @property
    def complete(self) -> bool:
        return self.code == 0 and bool(self.report.get("complete"))

    def names(self, session: str) -> bool:
        """Whether the run says of a session that something is active there."""
        return any(other.get("session_id") == session for other in self.report.get("elsewhere", ()))

    def why(self) -> str:
        """Return in a line what the run said of itself where it did not complete."""
        details = [
            f"{mode.get('mode')}: {mode.get('outcome')}" + (f" ({mode['detail']})" if mode.get("detail") else "")
            for session in self.report.get("sessions", ())
            for mode in session.get("modes", ())
            if mode.get("outcome") not in ("done", "absent", "planned")
        ]
        said = "; ".join(details) or (self.stderr.strip().splitlines() or ["nothing"])[-1]
        return f"the run ended with {self.code}: {said}"[:300]


class Trial:
    """One flavor's bundle and its product; `here` makes a place for one scenario and takes it away again."""

    def __init__(
        self,
        contract: Contract,
        driving: Driving,
        skill: Path,
        program: Path,
        parts: Mapping[str, Path],
        place: Path,
        bar: Bar,
    ) -> None:
        self.contract = contract
        self.driving = driving
        self.skill = skill
        self.program = program
        self.parts = parts
        self.bar = bar
        self._place = place
        self._count = itertools.count(1)

    @contextmanager
    def here(self, sub: str = "") -> Iterator[Bench]:
        """Give a bench; `sub` is where the product and our script are started, below the project."""
        place = self._place / f"world{next(self._count)}"
        place.mkdir()
        processes = Processes(self.bar)
        try:
            world = World(place, self.program, processes, self.driving.workspace == "git")
            yield Bench(self, world, sub)
        finally:
            processes.end()
            shutil.rmtree(place, ignore_errors=True)

    def placeless(self, text: str) -> str:
        """Return a text without the paths of the throw-away places, which differ from run to run."""
        begin, *rest = text.split(f"{self._place}/world")
        return begin + "".join(part.lstrip("0123456789") for part in rest)

    def records(self) -> list[tuple[str, str]]:
        """Return (mode, record) for every record that a session of its own can have."""
        modes = self.contract.modes.items()
        return [(key, record) for key, mode in modes for record in mode.records if not mode.shared]


class Bench:
    """The product and our script in one place."""

    def __init__(self, trial: Trial, world: World, sub: str) -> None:
        self.trial = trial
        self.world = world
        self.product = Product(trial.driving, world, trial.parts)
        self.cwd = world.workspace / sub
        self.cwd.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def started(self) -> Iterator[Product]:
        product = self.product
        try:
            product.begin()
            yield product
        finally:
            product.end()

    def cancel(
        self,
        *arguments: str,
        session: str | None = SESSION,
        variables: Mapping[str, str] | None = None,
    ) -> Run:
        """Run our script; raise NoAnswer where it does not end."""
        command = [sys.executable, str(self.trial.skill / "scripts" / "cancel.py"), "--json", *arguments]
        command += ["--session-id", session] if session is not None else []
        environment = {**self.world.environment(), **self.product.told_parts(), **(variables or {})}
        answer = self.world.processes.run(command, self.cwd, environment, timeout_s=120)
        if answer.code is None:
            raise NoAnswer(f"our script {answer.failed}")
        try:
            report = json.loads(answer.stdout) if answer.stdout.strip() else {}
        except ValueError:
            raise NoAnswer(f"our script printed what is no JSON: {answer.stdout[:200]}") from None
        return Run(answer.code, report, answer.stderr)

    def confirmed(self, mode: str) -> list[str]:
        """Return the argument by which the agent vouches for teammates, where the mode is a team that it stops."""
        asked = self.trial.contract.team.kind in ("native", "message")
        return ["--team-confirmed"] if asked and self.trial.contract.modes[mode].action == "shutdown" else []

    def snapshot(self) -> dict[str, str]:
        """Return path -> what lies there, for everything in the home and in the project."""
        found = {}
        for top in (self.world.home, self.world.workspace):
            for directory, names, files in os.walk(top):
                for name in [*names, *files]:
                    path = Path(directory, name)
                    found[str(path)] = _describe_file(path)
        return found

    def allowed(self, run: Run, session: str = SESSION) -> Sequence[str]:
        """Return the beginnings of paths that the run may have changed: its session's own, and what it reports."""
        contract = self.trial.contract
        found = [*_paths(run.report.get("sessions")), *_paths(run.report.get("global_pass"))]
        if contract.store.kind == "files":
            found.append(f"{self.state() / contract.store.sessions / session}/")
            if contract.store.lock.kind == "flock-namespace":
                # A lock's file is permanent, whoever takes it first.
                found.append(f"{self.state().parents[1] / contract.store.lock.directory}/")
            if contract.last.kind != "none":
                found.append(str(self.state() / contract.store.record.replace("{mode}", contract.last.record)))
        return found

    def state(self) -> Path:
        """Return the product's state directory in this place."""
        return Path(self.product.values({})["state"])

    def record(self, record: str, session: str = SESSION) -> Path:
        """Return where a session's record lies; raise NoAnswer where the product keeps no files."""
        store = self.trial.contract.store
        if store.kind != "files":
            raise NoAnswer("the product keeps rows, no files")
        return self.state() / store.sessions / session / store.record.replace("{mode}", record)


def changed(before: Mapping[str, str], after: Mapping[str, str], allowed: Sequence[str]) -> list[str]:
    """Return the paths that differ and lie under none of the allowed beginnings; directories that only lost or got such a path pass."""
    paths = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    return [
        path
        for path in paths
        if not any(path == fine or path.startswith(fine) or fine.startswith(path + os.sep) for fine in allowed)
    ]


def _paths(value: Any) -> list[str]:
    """Return every absolute path that a part of the report names."""
    if isinstance(value, str):
        return [value] if value.startswith("/") else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [path for each in inner for path in _paths(each)]


def _describe_file(path: Path) -> str:
    status = path.lstat()
    if stat.S_ISREG(status.st_mode):
        return f"{status.st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return f"{status.st_mode:o} " + (str(path.readlink()) if stat.S_ISLNK(status.st_mode) else "")
