"""Get the program, try the scenarios in throw-away places, and return what each law came to."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from skillgen.conform import claims, elsewhere, locks, scenarios, tools, workers
from skillgen.conform.bar import Bar
from skillgen.conform.installing import installed
from skillgen.conform.processes import no_strays
from skillgen.conform.trial import Trial
from skillgen.conform.trying import Scenario
from skillgen.conform.verdict import Verdict
from skillgen.errors import UsageError
from skillgen.model.contract import Contract
from skillgen.model.driving import Driving
from skillgen.model.files import Files

SCENARIOS: dict[str, Scenario] = {
    "one-mode": scenarios.one_mode,
    "identity": elsewhere.identity,
    "subdirectory": elsewhere.subdirectory,
    "worktree": elsewhere.worktree,
    "links": scenarios.links,
    "corrupt": scenarios.corrupt,
    "foreign": scenarios.foreign,
    "lock": locks.lock,
    "workers": workers.workers,
    "every-session": scenarios.every_session,
    "printed-calls": tools.printed,
    "tools": tools.claims,
    "claims": claims.claims,
}


@dataclass(frozen=True, slots=True)
class Conformance:
    """The outcome: `version` as the program says it, `barred` whether a namespace kept it in its place.

    `parts` are those that were there, `missing` says why others were not.
    """

    flavor: str
    program: str
    version: str
    barred: bool
    parts: tuple[str, ...]
    missing: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


def conform(
    contract: Contract,
    driving: Driving,
    files: Files,
    program: str | None,
    parts: Mapping[str, str],
    chosen: Sequence[str],
    tell: Callable[[str], None] = lambda text: None,
) -> Conformance:
    """Hold the bundle `files` (path -> data, mode) against the program.

    `program` names its directory, `parts` files of its parts; without them they are installed as the conform file says. Raises
    UsageError where the program cannot be had. Nothing is left behind but what was installed, in the user's cache.
    """
    lacking = [name for name in driving.program.needs if shutil.which(name) is None]
    if lacking:
        raise UsageError(f"{', '.join(lacking)} is not on PATH, and {driving.program.name} needs it; install it")
    with no_strays(), tempfile.TemporaryDirectory(prefix="skillgen-conform-") as directory:
        place = Path(directory).resolve()
        there = installed(driving, program, parts, tell)
        bundle = place / "bundle"
        for path, (data, mode) in files.items():
            target = bundle / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(mode & 0o777)
        bar = Bar(place)
        skill = bundle / "skills" / contract.front.name
        trial = Trial(contract, driving, skill, there.program, there.parts, place, bar)

        def one(name: str) -> list[Verdict]:
            found = list(SCENARIOS[name](trial))
            tell(name)
            return found

        try:
            with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
                verdicts = [verdict for found in pool.map(one, chosen or SCENARIOS) for verdict in found]
        finally:
            bar.end()
        version = _version(there.program, driving)
        names = tuple(sorted(there.parts))
        return Conformance(
            contract.flavor, driving.program.name, version, bar.granted, names, there.missing, tuple(verdicts)
        )


def _version(program: Path, driving: Driving) -> str:
    try:
        found = json.loads((program / driving.program.version_file).read_bytes())["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return "of unknown version"
    return str(found)
