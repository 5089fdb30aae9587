"""A client counts as present by the version that is installed, whatever an earlier run left behind."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

INSTALL = Path(__file__).parents[1] / "clients/install"


def find(cache: Path, name: str) -> str:
    env = {**os.environ, "SKILLGEN_CLIENTS": str(cache)}
    done = subprocess.run([INSTALL, "--find", name], capture_output=True, text=True, env=env, check=True)
    return done.stdout.strip()


def put_npm(cache: Path, package: str, version: str) -> None:
    directory = cache / "codex/node_modules"
    (directory / ".bin").mkdir(parents=True, exist_ok=True)
    (directory / ".bin/codex").touch()
    (directory / package).mkdir(parents=True, exist_ok=True)
    (directory / package / "package.json").write_text(json.dumps({"name": package, "version": version}, indent=2))


def put_pip(cache: Path, version: str) -> None:
    for name in ("bin", f"lib/python3.12/site-packages/skills_ref-{version}.dist-info"):
        (cache / "skills-ref" / name).mkdir(parents=True, exist_ok=True)
    (cache / "skills-ref/bin/agentskills").touch()


@pytest.mark.parametrize(("version", "there"), [("0.171.0", True), ("0.171.01", False), ("0.170.0", False)])
def test_a_program_from_npm_is_there_in_its_pinned_version_only(tmp_path: Path, version: str, there: bool) -> None:
    put_npm(tmp_path, "@openai/codex", version)
    assert bool(find(tmp_path, "codex")) is there


@pytest.mark.parametrize(("version", "there"), [("0.1.1", True), ("0.1.0", False)])
def test_a_program_from_pip_is_there_in_its_pinned_version_only(tmp_path: Path, version: str, there: bool) -> None:
    put_pip(tmp_path, version)
    assert find(tmp_path, "skills-ref") == (f"{tmp_path}/skills-ref/bin/agentskills" if there else "")


def test_a_note_that_something_was_installed_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "codex.done").write_text("@openai/codex@0.171.0\n")
    assert find(tmp_path, "codex") == ""
    put_npm(tmp_path, "@openai/codex", "0.171.0")
    (tmp_path / "codex/node_modules/.bin/codex").unlink()
    assert find(tmp_path, "codex") == ""


def test_a_name_without_a_pin_is_refused(tmp_path: Path) -> None:
    env = {**os.environ, "SKILLGEN_CLIENTS": str(tmp_path)}
    done = subprocess.run([INSTALL, "cluade"], capture_output=True, text=True, env=env, check=False)
    assert done.returncode != 0 and "no client cluade" in done.stderr
