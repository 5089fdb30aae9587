"""Give proofs that run the script many times a directory in memory, where a sync costs nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    directory = Path(tempfile.mkdtemp(prefix="skillgen-", dir=memory))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)
