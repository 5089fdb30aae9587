"""Find a team's run directories, what their manifests say, and the processes that work for them."""

import os
import re

from cancel_runtime import processes
from cancel_runtime.drivers import trees


class Run:
    """One run: `directory` is "" where it lies in no root, `root` the runs directory that holds it.

    `workers` are the manifest's entries that name a slug, as (slug, worktree path or "", branch or "").
    """

    __slots__ = ("base_branch", "directory", "id", "name", "problem", "root", "session", "state", "tmux", "workers")

    def __init__(self, run, root="", directory=""):
        self.id = run
        self.root = root
        self.directory = directory
        self.name = run
        self.session = None
        self.state = ""
        self.tmux = ""
        self.base_branch = ""
        self.workers = []
        self.problem = ""


class Runs:
    """The run roots of this place; each is looked at on its top level only."""

    def __init__(self, team, place):
        self.team = team
        self.pattern = re.compile(team["run"])
        self.roots = []
        self.problems = []
        self.seen = None
        self.by_session = None
        for holder in place.runs:
            root = os.path.join(os.path.dirname(holder), *team["runs"].split("/"))
            if all(os.path.realpath(root) != os.path.realpath(other) for other in self.roots):
                self.roots.append(root)

    def valid(self, run):
        return isinstance(run, str) and self.pattern.fullmatch(run) is not None

    def all(self):
        """Every run directory as it was at the first look, once, sorted by root and id."""
        if self.seen is None:
            self.seen = []
            for root in self.roots:
                try:
                    names = trees.listed(root)
                except OSError as error:
                    self.problems.append(f"the runs in {root} cannot be listed: {error}")
                    continue
                names = [name for name in names if self.valid(name) and trees.kind(root, name) != "file"]
                self.seen += [self._read(name, root) for name in names]
        return self.seen

    def of(self, session):
        """The runs whose manifest names the session."""
        if self.by_session is None:
            self.by_session = {}
            for run in self.all():
                self.by_session.setdefault(run.session, []).append(run)
        return self.by_session.get(session, [])

    def find(self, run):
        """The run of this id; without a directory where no root holds it."""
        for root in self.roots:
            if trees.kind(root, run) not in {"", "file"}:
                return self._read(run, root)
        return Run(run)

    def _read(self, name, root):
        run = Run(name, root, os.path.join(root, name))
        if trees.kind(run.directory) != "directory":
            run.problem = f"{run.directory} is a link or no directory, and was not followed"
            return run
        manifest, problem = trees.read_object(root, name, self.team["manifest"])
        status, _ = trees.read_object(root, name, "status.json")
        run.state = _text((status or {}).get("state"))
        if problem:
            run.problem = problem
            return run
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


def _text(value):
    return value if isinstance(value, str) and "\0" not in value else ""


def workers_of(run, config):
    """Live processes whose arguments hold this run's `config`, as (slug, Process), by slug and pid."""
    if not run.directory:
        return []
    places = {run.directory, os.path.realpath(run.directory)}
    found = []
    for process in processes.find(lambda arguments: any(config in text for text in arguments)):
        for place in places:
            slug = _slug(process, place, config)
            if slug is not None:
                found.append((slug, process))
                break
    return sorted(found, key=lambda pair: (pair[0], pair[1].pid))


def _slug(process, place, config):
    """The worker's slug if the process works below `place`, else None.

    Its file lies at `inner/<run>/<slug>/<job>/<config>`; elsewhere below the run the directory's name has to do.
    """
    for text in process.arguments:
        if len(process.arguments) == 1:
            # ps does not keep arguments apart.
            found = re.search(re.escape(place) + r"/(.*?)/?" + re.escape(config) + r"(?:\s|$)", text)
            below = found.group(1) if found else None
        else:
            below = _below(process, text, place, config)
        if below is not None:
            parts = below.split("/")
            return parts[2] if parts[0] == "inner" and len(parts) > 3 else parts[-1] or os.path.basename(place)
    return None


def _below(process, text, place, config):
    if os.path.basename(text) != config:
        return None
    if not os.path.isabs(text):
        try:
            text = os.path.join(os.readlink(f"{processes.PROC}/{process.pid}/cwd"), text)
        except OSError:
            return None
    for path in (os.path.normpath(text), os.path.realpath(text)):
        if path.startswith(place + os.sep):
            return os.path.relpath(os.path.dirname(path), place)
    return None
