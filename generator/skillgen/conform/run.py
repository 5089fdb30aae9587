"""Get the program, try the scenarios in throw-away places, and return what each law came to."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from skillgen.conform import scenarios, tools
from skillgen.conform.processes import Bar, Processes
from skillgen.conform.product import fill
from skillgen.conform.scenarios import Scenario
from skillgen.conform.trial import Trial
from skillgen.conform.verdict import Verdict
from skillgen.errors import UsageError
from skillgen.model.contract import Contract
from skillgen.model.driving import Driving
from skillgen.model.files import Files

SCENARIOS: dict[str, Scenario] = {
    "one-mode": scenarios.one_mode,
    "identity": scenarios.identity,
    "subdirectory": scenarios.subdirectory,
    "worktree": scenarios.worktree,
    "links": scenarios.links,
    "corrupt": scenarios.corrupt,
    "foreign": scenarios.foreign,
    "lock": scenarios.lock,
    "every-session": scenarios.every_session,
    "printed-calls": tools.printed,
    "tools": tools.claims,
    "own-cancel": scenarios.own_cancel,
}


@dataclass(frozen=True, slots=True)
class Conformance:
    """The outcome: `version` as the program says it, `barred` whether a namespace kept it in its place."""

    flavor: str
    program: str
    version: str
    barred: bool
    verdicts: tuple[Verdict, ...]


def conform(
    contract: Contract,
    driving: Driving,
    files: Files,
    program: str | None,
    chosen: Sequence[str],
    tell: Callable[[str], None] = lambda text: None,
) -> Conformance:
    """Hold the bundle `files` (path -> data, mode) against the program.

    `program` names its directory; without it the program is installed as the conform file says. Raises UsageError where it cannot
    be had. Nothing is left behind but the installed program in the user's cache.
    """
    missing = [name for name in driving.program.needs if shutil.which(name) is None]
    if missing:
        raise UsageError(f"{', '.join(missing)} is not on PATH, and {driving.program.name} needs it")
    with tempfile.TemporaryDirectory(prefix="skillgen-conform-") as directory:
        place = Path(directory).resolve()
        where = _program(driving, program, tell)
        version = _version(where, driving)
        bundle = place / "bundle"
        for path, (data, mode) in files.items():
            target = bundle / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(mode & 0o777)
        bar = Bar(place)
        trial = Trial(contract, driving, bundle / "skills" / contract.front.name, where, place, bar)

        def one(name: str) -> list[Verdict]:
            found = list(SCENARIOS[name](trial))
            tell(name)
            return found

        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
            verdicts = [verdict for found in pool.map(one, chosen or SCENARIOS) for verdict in found]
        return Conformance(contract.flavor, driving.program.name, version, bar.granted, tuple(verdicts))


def _program(driving: Driving, given: str | None, tell: Callable[[str], None]) -> Path:
    if given is not None:
        found = Path(given).resolve()
        if not found.is_dir():
            raise UsageError(f"{given}: no directory of the program")
        return found
    said = driving.program
    if not said.install:
        raise UsageError(f"no registry has {said.name}; name its directory with --program DIR")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    target = Path(base, "skillgen", "programs", f"{said.name.replace('/', '-')}-{said.version}")
    found = target / said.directory
    if (found / said.version_file).is_file():
        return found
    tell(f"installing {said.name} {said.version}")
    target.mkdir(parents=True, exist_ok=True)
    processes = Processes(Bar.none())
    command = [fill(part, {"target": str(target)}) for part in said.install]
    try:
        answer = processes.run(command, target, os.environ, timeout_s=600)
    except OSError as error:
        raise UsageError(f"{command[0]} cannot be started ({error.strerror})") from None
    finally:
        processes.end()
    if answer.code != 0 or not found.is_dir():
        last = (answer.stderr.strip().splitlines() or ["nothing printed"])[-1]
        raise UsageError(
            f"{said.name} {said.version} could not be installed ({last}); name its directory with --program DIR"
        )
    return found


def _version(program: Path, driving: Driving) -> str:
    try:
        found = json.loads((program / driving.program.version_file).read_bytes())["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return "of unknown version"
    return str(found)
