"""Run the command line as a user does, in this process; choose the cases of properties."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import hypothesis
import pytest

from skillgen.cli.main import run

# In CI the same cases in every run, so that a result says something of the change and not of chance.
hypothesis.settings.register_profile("ci", derandomize=True, database=None)
if os.environ.get("CI"):
    hypothesis.settings.load_profile("ci")


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def skillgen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Give a function that runs `skillgen` with arguments and returns exit code, stdout and stderr."""

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["skillgen", *map(str, arguments)])
        capsys.readouterr()
        code = run()
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled templates out of the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
