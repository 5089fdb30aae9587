"""A check that decides by digests comes to the verdict of one that renders everything."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import skillgen
from skillgen.model.lock_text import format_lock, parse_lock
from skillgen.resources import PACKAGE, shipped

Run = Callable[..., Any]


class Copy:
    """A checkout of its own: generator, templates, flavors, and bundles built from them."""

    def __init__(self, top: Path) -> None:
        self.top = top
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, top / "generator/skillgen", ignore=ignore)
        shutil.copytree(shipped("templates"), top / "templates", ignore=ignore)
        shutil.copytree(shipped("flavors"), top / "flavors", ignore=ignore)
        assert self.run("build").returncode == 0

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        # No bytecode: an edit of the same length within a second would be run from the old one.
        environment = {**os.environ, "PYTHONPATH": str(self.top / "generator"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-P", "-m", "skillgen", *arguments]
        return subprocess.run(command, cwd=self.top, env=environment, capture_output=True, text=True, check=False)

    def verdicts(self) -> tuple[tuple[int, str], tuple[int, str]]:
        """Return exit code and output of a check by digests, and of one that has to render all."""
        fast = self.run("build", "--check")
        lock = self.top / "dist/skillgen.lock"
        kept = lock.read_bytes() if lock.exists() else None
        if kept is not None:
            entries = parse_lock("lock", kept).values()
            lock.write_bytes(format_lock(replace(entry, inputs="") for entry in entries))
        full = self.run("build", "--check")
        if kept is not None:
            lock.write_bytes(kept)
        return (fast.returncode, fast.stdout + fast.stderr), (full.returncode, full.stdout + full.stderr)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("checkout"))


def mutate(path: Path, how: str, chance: random.Random) -> None:
    data = path.read_bytes()
    if how == "append":
        path.write_bytes(data + b"\n# x\n")
    elif how == "flip" and data:
        at = chance.randrange(len(data))
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    elif how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "chmod":
        path.chmod(path.stat().st_mode ^ 0o100)
    elif how == "extra":
        (path.parent / "extra.md").write_text("x")
    else:
        path.unlink()


HOWS = ["append", "flip", "cut", "chmod", "extra", "remove"]


def check_mutation(checkout: Copy, path: Path, how: str, chance: random.Random) -> bool:
    """Mutate one file, compare the verdicts, put it back; return whether the check still passed."""
    kept, mode = path.read_bytes(), path.stat().st_mode
    try:
        mutate(path, how, chance)
        fast, full = checkout.verdicts()
        assert fast == full, f"{how} of {path}"
        return fast[0] == 0
    finally:
        path.write_bytes(kept)
        path.chmod(mode)
        (path.parent / "extra.md").unlink(missing_ok=True)


def inputs(checkout: Copy) -> list[Path]:
    top = checkout.top
    parts = ("model", "load", "resolve", "render")
    sources = [path for part in parts for path in (top / "generator/skillgen" / part).rglob("*.py")]
    return sorted([*(top / "templates").rglob("*.*"), *(top / "flavors").glob("*.yaml"), *sources])


def outputs(checkout: Copy) -> list[Path]:
    return sorted(path for path in (checkout.top / "dist").rglob("*") if path.is_file())


def test_one_changed_output_is_seen(checkout: Copy) -> None:
    chance = random.Random(1)
    for how in ("flip", "extra"):
        path = chance.choice([path for path in outputs(checkout) if path.name != "skillgen.lock"])
        assert not check_mutation(checkout, path, how, chance), f"{how} of {path} went unseen"


def test_one_changed_input_gives_the_verdict_of_a_full_render(checkout: Copy) -> None:
    chance = random.Random(2)
    skill = checkout.top / "templates/cancel/bundle/SKILL.md.j2"
    assert not check_mutation(checkout, skill, "append", chance)
    check_mutation(checkout, checkout.top / "flavors/omc.yaml", "flip", chance)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_any_one_mutation_gives_the_verdict_of_a_full_render(checkout: Copy, seed: int) -> None:
    chance = random.Random(seed)
    files = [path for path in inputs(checkout) if path.is_file()]
    for _ in range(8):
        chosen = chance.choice(files if chance.random() < 0.6 else outputs(checkout))
        check_mutation(checkout, chosen, chance.choice(HOWS), chance)


def test_a_check_of_current_bundles_imports_nothing_heavy(checkout: Copy) -> None:
    program = (
        "import sys; sys.argv = ['skillgen', 'build', '--check']; from skillgen.cli.main import run; code = run();"
        "print(sorted({'jinja2', 'pydantic', 'ruamel', 'markdown_it', 'tree_sitter', 'pathlib'} & set(sys.modules)), code)"
    )
    environment = {**os.environ, "PYTHONPATH": str(checkout.top / "generator")}
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=checkout.top, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_another_version_of_skillgen_renders_again(checkout: Copy) -> None:
    lock = checkout.top / "dist/skillgen.lock"
    kept = lock.read_bytes()
    entries = parse_lock("lock", kept).values()
    lock.write_bytes(format_lock(replace(entry, skillgen="0.0.1") for entry in entries))
    assert checkout.run("build", "--check").returncode == 0
    assert checkout.run("build").returncode == 0
    assert lock.read_bytes() == kept
    assert f"skillgen: {skillgen.__version__}".encode() in kept
