"""Get a renderer whose templates were compiled by an earlier run, where there was one."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import compiler

from skillgen.build.inputs import Inputs
from skillgen.errors import SkillgenError
from skillgen.load.files import read
from skillgen.pack.write import Writer
from skillgen.render.bundle import Renderer
from skillgen.render.compiled import Compiled

_KEPT = 8
"""Files of compiled templates that are kept, one for each version of the generator in use."""


@contextmanager
def renderer(inputs: Inputs) -> Iterator[Renderer]:
    """Give a renderer; afterwards keep what it compiled in the user's cache directory.

    The cache only saves time: it is left out where it cannot be read or written, or is not the user's own.
    """
    directory = _directory()
    name = f"templates-{inputs.generator[:24]}-{_jinja()}-{sys.implementation.cache_tag}"
    compiled = Compiled(_read(directory, name))
    yield Renderer(inputs.templates, compiled)
    if compiled.changed and directory:
        _write(directory, name, compiled.dump())


def _jinja() -> str:
    # Asking for its version costs ten times as much as reading the compiled templates.
    status = os.stat(compiler.__file__)
    return f"{status.st_mtime_ns:x}-{status.st_size:x}"


def _directory() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "skillgen") if os.path.isabs(base) else ""


def _read(directory: str, name: str) -> bytes:
    path = os.path.join(directory, name)
    try:
        for mine in (directory, path):
            status = os.lstat(mine)
            # Code is run from it: nobody else may have written it.
            if status.st_uid != os.geteuid() or stat.S_ISLNK(status.st_mode) or status.st_mode & 0o022:
                return b""
        return read(path)
    except (OSError, SkillgenError):
        return b""


def _write(directory: str, name: str, data: bytes) -> None:
    try:
        os.makedirs(os.path.dirname(directory), exist_ok=True)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        with Writer(directory) as writer:
            writer.stage(name, data, 0o600)
            writer.commit()
        paths = [os.path.join(directory, entry) for entry in os.listdir(directory) if entry.startswith("templates-")]
        for path in sorted(paths, key=os.path.getmtime)[:-_KEPT]:
            os.unlink(path)
    except (OSError, SkillgenError):
        return
