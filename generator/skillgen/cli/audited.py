"""Give the reports of subjects, those of an earlier run where nothing that decides them has changed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from skillgen import __version__
from skillgen.audit.remembered import Asked, Remembered
from skillgen.load.digest import audit_marks
from skillgen.model.subject import Source, Tree
from skillgen.pack.own_cache import read_own, write_own
from skillgen.resources import PACKAGE, own_templates, shipped

if TYPE_CHECKING:
    from skillgen.audit.report import Report

Judge = Callable[[Sequence[Source | Tree], Sequence[str], bool], tuple[Sequence["Report"], bool]]

_KEPT = 4
"""Files of remembered reports, one for each version of skillgen in use."""
#: Larger trees are judged anew: reading all of one takes longer.
_FILES, _BYTES = 2000, 64 << 20


def audited(
    subjects: Sequence[Source | Tree], codes: Sequence[str], *, shellcheck: bool, judge: Judge
) -> tuple[Report, ...]:
    """Return a report for each subject; `judge` makes those that no earlier run left."""
    own = sha256("\n".join(_identify_skillgen()).encode()).hexdigest()
    name = f"audits-{own[:24]}"
    kept = Remembered(read_own(name), (own, *codes, *_programs(shellcheck)))
    found = {n: kept.report(subject) if _is_small(subject) else None for n, subject in enumerate(subjects)}
    asked = {n: Asked(subjects[n]) for n, report in found.items() if report is None}
    if asked:
        reports, sure = judge([one.subject for one in asked.values()], codes, shellcheck)
        for (n, one), report in zip(asked.items(), reports, strict=True):
            found[n] = report
            if sure and _is_small(subjects[n]):
                kept.keep(one, report)
        if kept.changed:
            write_own(name, kept.dump(), _KEPT)
    return tuple(report for report in found.values() if report is not None)


def _is_small(subject: Source | Tree) -> bool:
    if isinstance(subject, Source):
        return True
    return len(subject.files) <= _FILES and sum(file.size for file in subject.files.values()) <= _BYTES


def _identify_skillgen() -> Iterator[str]:
    """Yield what tells this skillgen from any other: its version, its files, and what it parses with."""
    yield from (__version__, sys.version)
    yield from audit_marks(PACKAGE, (os.path.join(top, "hosts") for top in (shipped("templates"), *own_templates())))
    for module in ("markdown_it", "tree_sitter_bash", "ruamel"):
        spec = importlib.util.find_spec(module)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            yield f"{place} {os.stat(place).st_mtime_ns}"


def _programs(shellcheck: bool) -> Iterator[str]:
    """Yield which shells are asked."""
    yield f"shellcheck {shellcheck}"
    for program in ("bash", "shellcheck"):
        beside = os.path.dirname(sys.executable)
        path = shutil.which(program) or (shutil.which(program, path=beside) if program == "shellcheck" else None)
        yield f"{path} {os.stat(path).st_mtime_ns if path else 0}"
