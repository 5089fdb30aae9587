"""Give tests their small bundles."""

from __future__ import annotations

from pathlib import Path

import pytest
from pack_toys import toy_files, toy_npm_files, toy_origin

from skillgen.pack.artifacts import default_formats, make_artifacts
from skillgen.pack.place import write_release


@pytest.fixture
def files() -> dict[str, tuple[bytes, int]]:
    return toy_files()


@pytest.fixture
def npm_files() -> dict[str, tuple[bytes, int]]:
    return toy_npm_files()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A release of the bundle for Claude Code."""
    files = toy_files()
    write_release(tmp_path / "out", make_artifacts(files, toy_origin(), default_formats(files)))
    return tmp_path / "out"


@pytest.fixture
def npm_out(tmp_path: Path) -> Path:
    """A release of the bundle for dsh."""
    files = toy_npm_files()
    write_release(tmp_path / "npm", make_artifacts(files, toy_origin(), default_formats(files)))
    return tmp_path / "npm"
