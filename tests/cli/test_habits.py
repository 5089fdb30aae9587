"""Habits of the ecosystem: short forms, near misses, other encodings, a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "skillgen", *arguments]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **environment})


def test_a_flavor_is_named_with_or_without_the_option(tmp_path: Path, skillgen: Run) -> None:
    assert skillgen("build", "omd", "pep", "--out", str(tmp_path)).code == 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["omd", "pep"]
    again = skillgen("build", "--flavor", "omd", "--out", str(tmp_path))
    assert again.code == 0 and "0 changed" in again.out
    assert f"read {tmp_path}/omd/skills/cancel/SKILL.md" in again.out


def test_a_near_miss_is_told_from_what_it_misses(skillgen: Run) -> None:
    assert "did you mean omc?" in skillgen("build", "omcc").err
    assert "did you mean SG201?" in skillgen("rules", "SG0201").err
    assert "did you mean modes.ralph?" in skillgen("explain", "omc", "modes.ralf").err


def test_help_is_grouped_and_names_every_command(skillgen: Run) -> None:
    from skillgen.cli.main import COMMANDS

    shown = skillgen("--help").out
    assert [
        heading for heading in ("Render:", "Read a text:", "Keep forks true:", "Publish:") if heading not in shown
    ] == []
    assert all(f"  {name} " in shown for name in COMMANDS)


def test_an_encoding_without_a_character_changes_no_exit_code() -> None:
    done = shell("diff", "omc-20260824", "omc", PYTHONIOENCODING="cp1252")
    assert done.returncode == 1 and b"Traceback" not in done.stderr
    assert b"\\u2192" in done.stdout
    done = shell("diff", "omc", "omc", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_one_clear_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "skillgen", "explain", "omc"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "skillgen: the output cannot be written (No space left on device); make room and run it again"
    ]


def test_a_reader_that_closes_early_is_no_error() -> None:
    command = f"{sys.executable} -m skillgen explain omc | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0 and done.stderr == b""


def test_a_new_flavor_knows_its_schema_and_its_author(tmp_path: Path) -> None:
    who = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Ada L."}
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada L.\n")
    done = shell("new", "mine", "--flavors", str(tmp_path / "flavors"), **home, **who)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "flavors/mine.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=skillgen.schema.json\n")
    assert 'author: "Ada L."  # as git knows you' in text
    assert (tmp_path / "flavors/skillgen.schema.json").exists()
    assert (
        shell("build", "mine", "--flavors", str(tmp_path / "flavors"), "--out", str(tmp_path / "out")).returncode == 0
    )
