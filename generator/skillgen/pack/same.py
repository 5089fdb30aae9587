"""Refuse to release a bundle that is not what lies built on the disk."""

from __future__ import annotations

from skillgen.errors import InputError, Problem
from skillgen.model.files import EXECUTABLE, Files

_REPAIR = "undo the edit, or run `skillgen build` if the sources changed"


def refuse_different(directory: str, built: Files, rendered: Files, kept: bool | None) -> None:
    """Raise InputError with every file of `directory` that is edited, missing or foreign; `kept`: whether modes count there, None if nobody says."""
    problems = []
    bits = [mode == EXECUTABLE for _, mode in built.values()]
    # Where all files have one mode, what they came by keeps none.
    modes = not all(bits) and (kept or (kept is None and any(bits)))
    for path in sorted(set(built) | set(rendered)):
        where = f"{directory}/{path}"
        if path not in rendered:
            problems.append(Problem(where, 0, 0, "is no file of this bundle", "remove it, or run `skillgen build`"))
        elif path not in built:
            problems.append(Problem(where, 0, 0, "is missing", "run `skillgen build`"))
        elif built[path][0] != rendered[path][0]:
            problems.append(Problem(where, 0, 0, "is not what would be rendered now", _REPAIR))
        elif modes and built[path][1] != rendered[path][1]:
            what = f"has mode {built[path][1]:04o} instead of {rendered[path][1]:04o}"
            problems.append(Problem(where, 0, 0, what, "run `skillgen build`"))
    if problems:
        raise InputError(problems)
