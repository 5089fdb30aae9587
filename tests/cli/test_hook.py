"""The pre-commit hook runs a command that exists and checks the bundles."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


def test_the_hook_checks_the_bundles_and_sees_a_changed_one(
    skillgen: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = {hook["id"]: hook for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    program, *arguments = shlex.split(hooks["skillgen-build-check"]["entry"])
    assert program == "skillgen"
    monkeypatch.chdir(tmp_path)
    assert skillgen("build").code == 0
    assert skillgen(*arguments).code == 0
    (tmp_path / "dist/omc/README.md").write_text("edited")
    assert skillgen(*arguments).code == 1
