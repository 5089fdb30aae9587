"""Tell whether the modes of files say anything where they lie."""

from __future__ import annotations

import os
from dataclasses import replace

from skillgen.errors import UsageError
from skillgen.load.git import git
from skillgen.model.subject import File


def keeps_modes(directory: str) -> bool | None:
    """Tell whether git heeds modes below a directory (`core.fileMode`, git-config(1)); None outside of a repository.

    It is told to heed none on mounts of file systems that have none.
    """
    at = os.path.realpath(directory)
    while not os.path.lexists(os.path.join(at, ".git")):
        at, before = os.path.dirname(at), at
        if at == before:
            return None
    return _heeded(at)


def heed_modes(root: str, files: dict[str, File]) -> dict[str, File]:
    """Return the files below `root`; where modes say nothing, what opens with `#!` is a program, and nothing else is."""
    looked_at = (path for path, file in files.items() if file.executable or "scripts" in path.split("/")[:-1])
    scripts = {path for path in looked_at if not files[path].special and files[path].read()[:2] == b"#!"}
    if all(file.executable == (path in scripts) for path, file in files.items()):
        return files
    bits = [file.executable for file in files.values() if not file.link]
    if keeps_modes(root) is False or (len(bits) > 1 and all(bits)):
        return {path: replace(file, executable=path in scripts) for path, file in files.items()}
    return files


def _heeded(top: str) -> bool:
    try:
        return git(["config", "--type=bool", "--get", "core.fileMode"], top) != b"false\n"
    except UsageError:
        # Without git nobody can say otherwise.
        return True
