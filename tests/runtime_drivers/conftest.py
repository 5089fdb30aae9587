"""Let the tests import the runtime as a bundle's script does."""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .scripts import build

SCRIPTS = Path(__file__).parents[2] / "templates" / "cancel" / "bundle" / "scripts"
if str(SCRIPTS) not in sys.path:
    sys.path.insert(0, str(SCRIPTS))


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every current bundle, and `omc-20260824`, with short waits."""
    out = tmp_path_factory.mktemp("dist")
    build(out)
    return build(out, "--flavor", "omc-20260824")


@pytest.fixture
def alone() -> Iterator[None]:
    """Keep tests apart that start workers of which no manifest says whose they are, and those that such a worker keeps from an end."""
    # A name a user: nobody opens another's file there.
    with (Path(tempfile.gettempdir()) / f"skillgen-workers-of-nobody-{os.getuid()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
