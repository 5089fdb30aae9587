"""Find a team's runs: what their directories say, and the processes of this user that work for them."""

from __future__ import annotations

import os
import re

from cancel_runtime import disk, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cancel_runtime.processes import Process
    from cancel_runtime.roots import Place

INTERPRETER = re.compile(r"(?:python|pypy)[\w.]*", re.IGNORECASE)
VALUED = ("-W", "-X")
"""Options of the interpreter whose value may be an argument of its own."""


class Run:
    """One run: `directory` is "" where it lies in no known place, `root` the runs directory that holds it.

    `manifest`: whether its directory holds one. `workers` are the manifest's entries that name a slug, as (slug, worktree path or
    "", branch or "").
    """

    __slots__ = (
        "base_branch",
        "directory",
        "id",
        "manifest",
        "name",
        "problem",
        "root",
        "session",
        "state",
        "tmux",
        "workers",
    )

    def __init__(self, run: str, root: str = "", directory: str = "") -> None:
        self.id = run
        self.root = root
        self.directory = directory
        self.manifest = False
        self.name = run
        self.session: str | None = None
        self.state = ""
        self.tmux = ""
        self.base_branch = ""
        self.workers: list[tuple[str, str, str]] = []
        self.problem = ""


class Job:
    """One worker process: the run and the slug that its arguments name, and the run's directory as they name it."""

    __slots__ = ("directory", "process", "run", "slug")

    def __init__(self, run: str, slug: str, directory: str, process: Process) -> None:
        self.run = run
        self.slug = slug
        self.directory = directory
        self.process = process


class Runs:
    """The run roots of this place; each is looked at on its top level only.

    `told`: whether one of them is the product's own by what the user or the host said. Without that they are guesses, and that a run
    is in none of them proves nothing: the product keeps its runs below its own plugin's root.
    """

    def __init__(self, team: dict[str, Any], place: Place) -> None:
        self.team = team
        self.pattern = re.compile(team["run"])
        self.told = place.told
        self.roots: list[str] = []
        self.problems: list[str] = []
        self.seen: list[Run] | None = None
        self.by_session: dict[str | None, list[Run]] | None = None
        for holder in place.runs:
            root = os.path.join(os.path.dirname(holder), *team["runs"].split("/"))
            if all(os.path.realpath(root) != os.path.realpath(other) for other in self.roots):
                self.roots.append(root)

    def valid(self, run: object) -> str:
        """The id if it is one, else ""."""
        return run if isinstance(run, str) and self.pattern.fullmatch(run) else ""

    def all(self) -> list[Run]:
        """Every run directory as it was at the first look, once, sorted by root and id."""
        if self.seen is None:
            self.seen = []
            for root in self.roots:
                try:
                    names = disk.listed(root)
                except OSError as error:
                    self.problems.append(f"the runs in {root} cannot be listed: {error}")
                    continue
                names = [name for name in names if self.valid(name) and disk.kind(root, name) != "file"]
                self.seen += [self._read_run(name, root) for name in names]
        return self.seen

    def of(self, session: str) -> list[Run]:
        """The runs whose manifest names the session."""
        if self.by_session is None:
            self.by_session = {}
            for run in self.all():
                self.by_session.setdefault(run.session, []).append(run)
        return self.by_session.get(session, [])

    def find(self, run: str, jobs: Sequence[Job] = ()) -> Run:
        """The run of this id: in a root, else where a worker of it says that it lies; without a directory where it is nowhere."""
        found = [self._read_run(run, root) for root in self.roots if disk.kind(root, run) not in {"", "file"}]
        found += [self.at(job.directory) for job in jobs if job.run == run and disk.kind(job.directory) == "directory"]
        return next((one for one in found if one.manifest or one.problem), found[0] if found else Run(run))

    def at(self, directory: str) -> Run:
        """The run whose directory this is."""
        return self._read_run(os.path.basename(directory), os.path.dirname(directory))

    def _read_run(self, name: str, root: str) -> Run:
        run = Run(name, root, os.path.join(root, name))
        if disk.kind(run.directory) != "directory":
            run.problem = f"{run.directory} is a link or no directory, and was not followed"
            return run
        manifest, problem = disk.read_object(root, name, self.team["manifest"])
        status, _ = disk.read_object(root, name, "status.json")
        run.state = _text((status or {}).get("state"))
        if problem:
            run.problem = problem
            return run
        run.manifest = manifest is not None
        manifest = manifest or {}
        run.session = manifest.get("session_id") if isinstance(manifest.get("session_id"), str) else None
        run.name = _text(manifest.get("name")) or name
        run.tmux = _text(manifest.get("tmux_session"))
        run.base_branch = _text(manifest.get("base_branch"))
        listed = manifest.get("workers")
        for worker in listed if isinstance(listed, list) else []:
            if isinstance(worker, dict) and _text(worker.get("slug")):
                tree = _text(worker.get("worktree_path"))
                run.workers.append(
                    (worker["slug"], os.path.join(run.directory, tree) if tree else "", _text(worker.get("branch")))
                )
        return run

    def jobs(self) -> list[Job]:
        """Every worker process of this user, of whatever run, by slug and pid. Raises `processes.Unreadable`."""
        config = self.team["worker_config"]
        found = []
        for process in processes.find(lambda arguments: any(config in text for text in arguments)):
            job = self._job(process, _file(process, self.team["worker_program"], config))
            if job is not None:
                found.append(job)
        return sorted(found, key=lambda job: (job.slug, job.process.pid))

    def _job(self, process: Process, path: str) -> Job | None:
        """What the path of a worker's file says: it lies at `<runs>/<run>/inner/<run>/<slug>/<job>/<file>`.

        Elsewhere below the run the directory's name has to do for the slug.
        """
        above = self.team["runs"].rpartition("/")[2]
        for text in dict.fromkeys((os.path.normpath(path), os.path.realpath(path))) if path else ():
            parts = text.split("/")
            for at in range(len(parts) - 2, 0, -1):
                if parts[at - 1] == above and self.valid(parts[at]):
                    below = parts[at + 1 : -1]
                    slug = below[2] if below[:1] == ["inner"] and len(below) > 2 else below[-1] if below else parts[at]
                    return Job(parts[at], slug, "/".join(parts[: at + 1]), process)
        return None


def _text(value: object) -> str:
    return value if isinstance(value, str) and "\0" not in value else ""


def _file(process: Process, program: str, config: str) -> str:
    """Absolute path of the file that a process runs the product's program on, or "" for one that does no such thing."""
    arguments = process.arguments
    if len(arguments) == 1:
        return _told_together(process, program, config)
    at = _script(arguments)
    if not at or os.path.basename(arguments[at]) != program:
        return ""
    path = next((text for text in arguments[at + 1 :] if os.path.basename(text) == config), "")
    if path and not os.path.isabs(path):
        try:
            path = os.path.join(os.readlink(f"{processes.PROC}/{process.pid}/cwd"), path)
        except OSError:
            return ""
    return path


def _told_together(process: Process, program: str, config: str) -> str:
    """The same where `ps` does not keep arguments apart; raises `processes.Unreadable` where it cannot be told."""
    text = process.arguments[0]
    interpreter = rf"(?:^|^\S*/|^/.*/){INTERPRETER.pattern}"
    found = re.search(
        rf"{interpreter}(?: -\S+)* (?:\S*/)?{re.escape(program)} (/.*?/{re.escape(config)})(?:\s|$)",
        text,
        re.IGNORECASE,
    )
    if found:
        return found.group(1)
    if program in text and re.match(rf"{interpreter}\s", text, re.IGNORECASE):
        raise processes.Unreadable(f"the arguments of process {process.pid} cannot be told apart: {text[:200]}")
    return ""


def _script(arguments: tuple[str, ...]) -> int:
    """Where in the arguments the script of an interpreter stands (or its code, or `-`); 0 for what is no interpreter."""
    if not INTERPRETER.fullmatch(os.path.basename(arguments[0])):
        return 0
    at = 1
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "-":
        at += 2 if arguments[at] in VALUED else 1
    return at if at < len(arguments) else 0
