"""A mode follows from what a file is; a file system without modes is no edit, and no reason to write."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
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
    in_git(out, "core.fileMode=true")
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


def in_git(top: Path, *settings: str) -> None:
    for call in (["init", "-q"], *(["config", *setting.split("=")] for setting in settings)):
        subprocess.run(["git", *call], cwd=top, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})


def set_odd_modes(top: Path) -> None:
    """Leave neither all files executable nor none, as some mounts do by the names of files."""
    for n, path in enumerate(sorted(path for path in top.rglob("*") if path.is_file())):
        path.chmod(0o777 if n % 2 else 0o644)


@pytest.fixture(params=["0777", "0644", "odd"])
def without_modes(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Return what makes of a directory a checkout with `core.fileMode=false`, or a tree of one mode."""

    def make(top: Path) -> None:
        if request.param == "odd":
            set_odd_modes(top)
        else:
            set_modes(top, int(request.param, 8))
        if request.param != "0644":
            in_git(top, "core.fileMode=false")

    return make


def test_modes_decide_nothing_in_a_build(tmp_path: Path, skillgen: Run, without_modes: Callable[[Path], None]) -> None:
    out = tmp_path / "out"
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    without_modes(out)
    checked = skillgen("build", "--flavor", "omc", "--out", out, "--check")
    assert (checked.code, "executable" in checked.out) == (0, False), checked.out
    (out / "omc/README.md").unlink()
    checked = skillgen("build", "--flavor", "omc", "--out", out, "--check")
    assert checked.code == 1 and "README.md" in checked.out and "executable" not in checked.out
    built = skillgen("build", "--flavor", "omc", "--out", out)
    assert built.code == 0 and skillgen("build", "--flavor", "omc", "--out", out, "--check").code == 0


def test_modes_decide_nothing_in_a_fork(tmp_path: Path, skillgen: Run, without_modes: Callable[[Path], None]) -> None:
    fork = tmp_path / "fork"
    assert skillgen("build", "--flavor", "omc-20260824", "--into", fork).code == 0
    without_modes(fork)
    for command in (["sync", "--check"], ["build", "--flavor", "omc-20260824", "--check", "--into"]):
        ran = skillgen(*command, fork)
        assert "edited" not in ran.out and "executable" not in ran.out, ran.out
    with (fork / "skills/cancel/SKILL.md").open("a") as stream:
        stream.write("\n## House rule\n\nAsk first.\n")
    shown = skillgen("sync", "--flavor", "omc", "--dry-run", fork)
    assert "+++ b/skills/cancel/SKILL.md" in shown.out
    assert "old mode" not in shown.out and "executable" not in shown.out
    assert skillgen("sync", "--flavor", "omc", fork).code == 0
    assert (fork / "skills/cancel/scripts/cancel.sh").stat().st_mode & 0o111
    ran = skillgen("sync", "--check", fork)
    assert ran.code == 0 and "1 edited" in ran.out and "executable" not in ran.out, ran.out


def test_modes_decide_nothing_in_a_pack_and_a_verification(
    tmp_path: Path, skillgen: Run, without_modes: Callable[[Path], None]
) -> None:
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "dist").code == 0
    without_modes(tmp_path / "dist")
    packed = skillgen("pack", "--flavor", "omc", "--dist", tmp_path / "dist", "--out", tmp_path / "out")
    assert packed.code == 0, packed.err
    (archive,) = (tmp_path / "out/omc").glob("*.zip")
    with zipfile.ZipFile(archive) as opened:
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in opened.infolist()}
    assert modes["skills/cancel/scripts/cancel.sh"] == 0o755 and modes["README.md"] == 0o644
    home = tmp_path / "installed"
    shutil.copytree(tmp_path / "dist/omc", home / "omc")
    without_modes(home)
    held = skillgen("verify", home / "omc", "--against", tmp_path / "out/omc")
    assert held.code == 0, held.out
    (home / "omc/skills/cancel/scripts/cancel.sh").chmod(0o4755)
    held = skillgen("verify", home / "omc", "--against", tmp_path / "out/omc")
    assert held.code == 1 and "has mode 4755" in held.out


def test_an_audit_advises_no_chmod_where_modes_say_nothing(
    tmp_path: Path, skillgen: Run, without_modes: Callable[[Path], None]
) -> None:
    out = tmp_path / "out"
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    without_modes(out)
    ran = skillgen("audit", out / "omc")
    assert ran.code == 0 and "grade A" in ran.out and "error SG410" not in ran.out, ran.out
    assert "repair: chmod -x" not in ran.out and not ((out / ".git").exists() and "repair: chmod" in ran.out), ran.out


def test_where_git_heeds_modes_they_are_held_against_the_content(tmp_path: Path, skillgen: Run) -> None:
    out = tmp_path / "out"
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    in_git(out, "core.fileMode=true")
    set_odd_modes(out)
    ran = skillgen("audit", out / "omc")
    assert ran.code == 1 and "SG410" in ran.out and "chmod" in ran.out
    checked = skillgen("build", "--flavor", "omc", "--out", out, "--check")
    assert checked.code == 1 and "is executable" in checked.out
    packed = skillgen("pack", "--flavor", "omc", "--dist", out, "--out", tmp_path / "packs")
    assert packed.code == 2 and "has mode" in packed.err


def test_scripts_of_a_repository_without_any_mode_are_found_where_git_heeds_modes(
    tmp_path: Path, skillgen: Run
) -> None:
    out = tmp_path / "out"
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    in_git(out, "core.fileMode=true")
    set_modes(out, 0o644)
    ran = skillgen("audit", out / "omc")
    assert ran.code == 1 and "the script is not executable" in ran.out


def test_an_edited_script_of_a_checkout_without_modes_is_written_as_a_program(tmp_path: Path, skillgen: Run) -> None:
    fork = tmp_path / "fork"
    assert skillgen("build", "--flavor", "omc", "--into", fork).code == 0
    in_git(fork, "core.fileMode=false")
    set_modes(fork, 0o644)
    (fork / "skills/cancel/scripts/cancel.sh").unlink()
    assert skillgen("sync", fork).code == 0
    assert (fork / "skills/cancel/scripts/cancel.sh").stat().st_mode & 0o111
