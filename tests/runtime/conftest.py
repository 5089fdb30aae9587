"""Fixtures of the runtime's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.runtime.world import World, make_skill

Worlds = Callable[[str], World]


@pytest.fixture(scope="session")
def skills(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {}


@pytest.fixture
def world(skills: dict[str, Path], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    """A new workspace of the named flavor."""

    def make(flavor: str) -> World:
        if flavor not in skills:
            skills[flavor] = make_skill(tmp_path_factory.mktemp(flavor) / "skills/cancel", flavor)
        directory = tmp_path / flavor
        directory.mkdir()
        return World(skills[flavor], flavor, directory)

    return make
