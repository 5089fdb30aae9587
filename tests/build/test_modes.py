"""A mode follows from what a file is; a file system without modes is no edit, and no reason to write."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillgen.load.templates import read_templates

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]


def set_modes(top: Path, mode: int) -> None:
    for path in top.rglob("*"):
        if path.is_file():
            path.chmod(mode)


@pytest.mark.parametrize("mode", [0o777, 0o644, 0o600])
def test_a_checkout_of_any_modes_renders_the_same_modes(tmp_path: Path, mode: int) -> None:
    shutil.copytree(ROOT / "templates", tmp_path / "templates", ignore=shutil.ignore_patterns("__pycache__"))
    set_modes(tmp_path / "templates", mode)
    found = read_templates(str(tmp_path / "templates"))
    assert [name for name, file in found.items() if file.executable] == [
        name for name, file in read_templates(str(ROOT / "templates")).items() if file.executable
    ]
    assert found["cancel/bundle/scripts/cancel.sh.j2"].executable


def test_everything_executable_is_no_difference_to_a_build(tmp_path: Path, skillgen: Run) -> None:
    out = tmp_path / "out"
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    set_modes(out / "omc", 0o777)
    assert skillgen("build", "--flavor", "omc", "--out", out, "--check").code == 0
    (out / "omc" / "README.md").write_text("edited")
    checked = skillgen("build", "--flavor", "omc", "--out", out, "--check")
    assert checked.code == 1 and "README.md" in checked.out and "is executable" not in checked.out


def test_everything_executable_is_no_edit_to_a_sync_or_a_build_into(tmp_path: Path, skillgen: Run) -> None:
    fork = tmp_path / "fork"
    assert skillgen("build", "--flavor", "omc", "--into", fork).code == 0
    set_modes(fork, 0o777)
    assert skillgen("sync", "--check", fork).code == 0
    assert skillgen("build", "--flavor", "omc", "--into", fork, "--check").code == 0
    (fork / "skills/cancel/SKILL.md").write_text("edited\n")
    ran = skillgen("sync", "--check", fork)
    assert "1 edited" in ran.out and "is executable" not in ran.out


def test_one_lost_execute_bit_is_still_an_edit(tmp_path: Path, skillgen: Run) -> None:
    out = tmp_path / "out"
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    (out / "omc/skills/cancel/scripts/cancel.sh").chmod(0o644)
    checked = skillgen("build", "--flavor", "omc", "--out", out, "--check")
    assert checked.code == 1 and "is not executable" in checked.out


def test_a_pack_takes_what_lies_on_a_file_system_without_modes(tmp_path: Path, skillgen: Run) -> None:
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "dist").code == 0
    set_modes(tmp_path / "dist" / "omc", 0o777)
    packed = skillgen("pack", "--flavor", "omc", "--dist", tmp_path / "dist", "--out", tmp_path / "out")
    assert packed.code == 0, packed.err


def test_a_pack_is_released_under_the_version_that_is_asked_for(tmp_path: Path, skillgen: Run) -> None:
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "dist").code == 0
    places = ["--dist", tmp_path / "dist", "--out", tmp_path / "out"]
    assert skillgen("pack", "--flavor", "omc", "--version", "7.2.0", *places).code == 0
    names = sorted(path.name for path in (tmp_path / "out" / "omc").glob("*-7.2.0*"))
    assert len(names) == 2
    assert (
        '"version": "7.2.0"' in next((tmp_path / "out" / "omc").glob("*-7.2.0/.claude-plugin/plugin.json")).read_text()
    )
    assert skillgen("verify", tmp_path / "out" / "omc" / names[0], "--against", tmp_path / "out" / "omc").code == 0
    wrong = skillgen("pack", "--flavor", "omc", "--version", "v7", *places)
    assert wrong.code == 2 and "is no semantic version" in wrong.err
