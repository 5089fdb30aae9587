"""Run the command line as a user does, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from skillgen.cli import run


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
