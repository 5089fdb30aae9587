"""Give tests their small bundles."""

from __future__ import annotations

import pytest
from pack_toys import toy_files, toy_npm_files


@pytest.fixture
def files() -> dict[str, tuple[bytes, int]]:
    return toy_files()


@pytest.fixture
def npm_files() -> dict[str, tuple[bytes, int]]:
    return toy_npm_files()
