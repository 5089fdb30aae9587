"""Get a renderer whose templates were compiled by an earlier run, where there was one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import compiler

from skillgen.build.inputs import Inputs
from skillgen.pack.own_cache import read_own, write_own
from skillgen.render.bundle import Renderer
from skillgen.render.compiled import Compiled

_KEPT = 8
"""Files of compiled templates that are kept, one for each version of the generator in use."""


@contextmanager
def renderer(inputs: Inputs) -> Iterator[Renderer]:
    """Give a renderer; afterwards keep what it compiled in the user's cache directory.

    The cache only saves time: it is left out where it cannot be read or written, or is not the user's own.
    """
    name = f"templates-{inputs.generator[:24]}-{_jinja()}-{sys.implementation.cache_tag}"
    compiled = Compiled(read_own(name))
    yield Renderer(inputs.templates, compiled)
    if compiled.changed:
        write_own(name, compiled.dump(), _KEPT)


def _jinja() -> str:
    # Asking for its version costs ten times as much as reading the compiled templates.
    status = os.stat(compiler.__file__)
    return f"{status.st_mtime_ns:x}-{status.st_size:x}"
