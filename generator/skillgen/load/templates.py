"""Read trees of template files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from skillgen.errors import InputError, Problem, UsageError, to_read
from skillgen.load.files import read, shown
from skillgen.model.files import TemplateFile, is_ignored

SKILL = "cancel/skill.yaml"
"""The canonical model's path under `templates/`."""
MAX_DEPTH = 16


def read_templates(own: str, others: Sequence[str] = ()) -> dict[str, TemplateFile]:
    """Return the files of the shipped tree and of a user's own trees, sorted by their paths there; the later wins.

    Raises UsageError for a directory that is none, InputError for links that lead out of their tree and unreadable files.
    """
    found: dict[str, TemplateFile] = {}
    problems: list[Problem] = []
    for index, directory in enumerate((own, *others)):
        if not os.path.isdir(directory):
            raise UsageError(
                f"{shown(directory)}: no directory of templates; name one that holds what templates/ of skillgen holds"
            )
        _walk(directory, "", os.path.realpath(directory), index == 0, found, problems)
    if problems:
        raise InputError(problems)
    return dict(sorted(found.items()))


def _walk(
    directory: str, prefix: str, top: str, own: bool, found: dict[str, TemplateFile], problems: list[Problem]
) -> None:
    if prefix.count("/") > MAX_DEPTH:
        problems.append(Problem(shown(directory), 0, 0, f"lies more than {MAX_DEPTH} directories deep", "flatten it"))
        return
    with os.scandir(directory) as entries:
        listed = list(entries)
    for entry in listed:
        if is_ignored(entry.name):
            continue
        try:
            if entry.is_symlink():
                target = os.path.realpath(entry.path)
                if not target.startswith(top + os.sep) or os.path.isdir(target):
                    what = "is a symbolic link out of its tree or to a directory"
                    problems.append(Problem(shown(entry.path), 0, 0, what, "put the file itself there"))
                    continue
            if entry.is_dir():
                _walk(entry.path, f"{prefix}{entry.name}/", top, own, found, problems)
                continue
            data = read(entry.path)
            # Not by its mode, which zip archives and Windows mounts lose: what names its interpreter is a program.
            found[prefix + entry.name] = TemplateFile(shown(entry.path), data, data.startswith(b"#!"), own)
        except InputError as error:
            problems += error.problems
        except OSError as error:
            problems.append(Problem(shown(entry.path), 0, 0, f"cannot be read ({error.strerror})", to_read(error)))
