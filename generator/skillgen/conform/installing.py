"""Get a program and its parts into the user's cache, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillgen.conform.bar import Bar
from skillgen.conform.mcp import last_line
from skillgen.conform.processes import Processes
from skillgen.conform.product import fill
from skillgen.errors import UsageError
from skillgen.model.driving import Driving, Part

INSTALL_S = 900
"""How long an installation may take."""


@dataclass(frozen=True, slots=True)
class Installed:
    """Where the program lies, and its parts; `missing` says of each part that could not be had why."""

    program: Path
    parts: Mapping[str, Path]
    missing: tuple[str, ...] = ()


def installed(driving: Driving, given: str | None, parts: Mapping[str, str], tell: Callable[[str], None]) -> Installed:
    """Return the program that `given` names, else the one of the conform file, installed once.

    `parts` names files of parts that are there already. Raises UsageError where the program cannot be had, or no part has such a name.
    """
    known = [part.name for part in driving.program.parts]
    for name, file in parts.items():
        if name not in known:
            raise UsageError(f"{driving.program.name} has no part {name}; there are {', '.join(known) or 'none'}")
        if not os.access(file, os.X_OK):
            raise UsageError(f"{file}: no program, which the part {name} would be; name one with --part {name}=FILE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "skillgen", "programs")
    program = _resolve_given(given) if given is not None else _program(driving, base, tell)
    found = {name: Path(file).resolve() for name, file in parts.items()}
    missing = []
    for part in driving.program.parts:
        if part.name not in found:
            where = (
                hashlib.sha256(os.fsencode(program)).hexdigest()[:12] if given is not None else driving.program.version
            )
            try:
                found[part.name] = _part(part, program, base / f"{_name(driving)}-{part.name}-{where}", tell)
            except UsageError as error:
                missing.append(str(error))
    return Installed(program, found, tuple(missing))


def _resolve_given(given: str) -> Path:
    found = Path(given).resolve()
    if not found.is_dir():
        raise UsageError(f"{given}: no directory; name that of the program with --program DIR")
    return found


def _program(driving: Driving, base: Path, tell: Callable[[str], None]) -> Path:
    said = driving.program
    if not said.install:
        raise UsageError(f"no registry has {said.name}; name its directory with --program DIR")
    target = base / f"{_name(driving)}-{said.version}"
    found = target / said.directory
    if not (found / said.version_file).is_file():
        tell(f"installing {said.name} {said.version}")
        _make(f"{said.name} {said.version}", said.install, target, said.directory, {})
    return found


def _part(part: Part, program: Path, target: Path, tell: Callable[[str], None]) -> Path:
    found = target / part.file
    if not found.is_file():
        lacking = [name for name in part.needs if shutil.which(name) is None]
        if lacking:
            raise UsageError(
                f"{part.name} is not there, and {', '.join(lacking)} to make it is not on PATH; install that, or name the part with --part {part.name}=FILE"
            )
        tell(f"making {part.name}")
        _make(part.name, part.install, target, part.file, {"program": str(program)})
    return found


def _make(what: str, install: Sequence[str], target: Path, gives: str, values: Mapping[str, str]) -> None:
    """Run the command in a directory beside the target, which takes its name once it is whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.", dir=target.parent) as directory:
        command = [fill(word, {"target": directory, **values}) for word in install]
        processes = Processes(Bar.none())
        try:
            answer = processes.run(command, Path(directory), os.environ, timeout_s=INSTALL_S, barred=False)
        except OSError as error:
            raise UsageError(
                f"{command[0]} cannot be started ({error.strerror}); install it, or name the program's directory with --program DIR"
            ) from None
        finally:
            processes.end()
        if answer.code != 0 or not os.path.lexists(Path(directory, gives)):
            why = answer.failed or last_line(answer.stderr or answer.stdout)
            raise UsageError(f"{what} could not be installed ({why}); name its directory with --program DIR")
        whole = Path(directory, "whole")
        whole.mkdir()
        for inner in [path for path in Path(directory).iterdir() if path != whole]:
            inner.rename(whole / inner.name)
        try:
            whole.rename(target)
        except OSError:
            # Another run was first, or what lies there is broken: nothing is in its way once that is gone.
            if not os.path.lexists(target / gives):
                shutil.rmtree(target, ignore_errors=True)
                whole.rename(target)


def _name(driving: Driving) -> str:
    return driving.program.name.replace("/", "-")
