"""A flavor, a template or a place that nobody can mean is refused in one clear line, and nothing is written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]
HIDDEN = {
    "right-to-left override": "\u202e",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "byte order mark": "\ufeff",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "private use": "\ue000",
    "tag": "\U000e0041",
    "escape": "\x1b",
    "next line": "\x85",
    "delete": "\x7f",
}


def build(skillgen: Run, tmp_path: Path, flavor: str, *more: object) -> Any:
    (tmp_path / "flavors").mkdir(exist_ok=True)
    (tmp_path / "flavors" / "mine.yaml").write_text(flavor)
    return skillgen("build", "--flavor", "mine", "--flavors", tmp_path / "flavors", "--out", tmp_path / "out", *more)


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize(
    "where",
    [
        'messages: {{none: "Nothing {}runs."}}',
        'product: {{name: "Oh{}My"}}',
        'product: {{title: "Oh {} My"}}',
        'revision: "2026{}"',
        'root: {{marker: ".om{}c"}}',
        'front: {{metadata: {{author: "a{}b"}}}}',
        'front: {{metadata: {{"a{}b": c}}}}',
        'front: {{description: "Cancel{}s."}}',
        'plugin: {{description: "a{}b"}}',
        'notes: ["a{}b"]',
        'team: {{members_home: ".claude/te{}ams"}}',
    ],
)
def test_a_hidden_character_in_any_string_is_refused_with_its_place(
    tmp_path: Path, skillgen: Run, name: str, where: str
) -> None:
    char = HIDDEN[name]
    written = f"\\U{ord(char):08x}"
    ran = build(skillgen, tmp_path, f"base: omc\n{where.format(written)}\n")
    assert ran.code == 2
    assert f"U+{ord(char):04X}" in ran.err and f"{tmp_path}/flavors/mine.yaml:2:" in ran.err
    assert char not in ran.err
    assert not (tmp_path / "out" / "mine").exists()


@pytest.mark.parametrize("field", ["members_home", "tasks_home"])
@pytest.mark.parametrize("value", ["../../etc", "/etc", ".claude/../../x", "~/x", "a\\b"])
def test_a_home_of_teams_that_leaves_the_home_is_refused(tmp_path: Path, skillgen: Run, field: str, value: str) -> None:
    ran = build(skillgen, tmp_path, f"base: omc\nteam: {{{field}: '{value}'}}\n")
    assert ran.code == 2 and f"`team.{field}`" in ran.err


LOOPS = {
    "ranges in ranges": ("{% for a in range(9999) %}\n{% for b in range(9999) %}\n{% endfor %}\n{% endfor %}\n", 1, 2),
    "text in text": ("{% for a in 'x' * 999 %}\n{% for b in 'x' * 999 %}\n{{ a }}\n{% endfor %}\n{% endfor %}\n", 1, 3),
    "a macro that calls itself": ("{% macro m() %}\n{{ m() }}\n{% endmacro %}\n{{ m() }}\n", 2, 4),
    "a template that includes itself": ("{% include 'cancel/bundle/references/more.md.j2' %}\n", 1, 1),
    "a repeated text": ("# More\n\n{{ 'x' * 999999999 }}\n", 3, 3),
    "a great power": ("# More\n\n{{ 9 ** 99999999 }}\n", 3, 3),
    "a great range": ("# More\n{% for a in range(10 ** 9) %}\n{% endfor %}\n", 2, 2),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_template_that_does_not_end_is_an_error_with_its_line(tmp_path: Path, skillgen: Run, name: str) -> None:
    text, first, last = LOOPS[name]
    template = tmp_path / "templates/cancel/bundle/references/more.md.j2"
    template.parent.mkdir(parents=True)
    template.write_text(text)
    ran = build(skillgen, tmp_path, "base: omc\n", "--templates", tmp_path / "templates")
    assert ran.code == 2
    told = [line for line in ran.err.splitlines() if line.startswith(f"{template}:")]
    assert told and first <= int(told[0].removeprefix(f"{template}:").split(":")[0]) <= last
    assert not (tmp_path / "out" / "mine").exists()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the sources, with a program of its own."""
    for name in ("generator", "templates", "flavors"):
        shutil.copytree(ROOT / name, tmp_path / "clone" / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "clone"


def in_clone(clone: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(clone / "generator"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "skillgen", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=clone, env=environment, check=False)


def tree(top: Path) -> dict[str, bytes]:
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_no_output_goes_onto_the_sources_of_a_clone(clone: Path) -> None:
    before = tree(clone)
    for place in (
        ".",
        "templates",
        "flavors",
        "generator",
        "generator/skillgen",
        "templates/cancel",
        "flavors/x",
        "./",
    ):
        for command in (
            ["build", "--flavor", "omc", "--out", place],
            ["build", "--flavor", "omc", "--into", place],
            ["pack", "--flavor", "omc", "--out", place],
        ):
            ran = in_clone(clone, *command)
            assert ran.returncode == 2 and ran.stderr.count("\n") == 1, (command, ran.stderr)
            assert tree(clone) == before
    assert in_clone(clone, "build", "--flavor", "omc").returncode == 0


@pytest.mark.parametrize("where", ["/", "~", "~/..", "link"])
@pytest.mark.parametrize("option", ["--out", "--into"])
def test_the_root_and_a_home_are_no_output(
    tmp_path: Path, skillgen: Run, monkeypatch: pytest.MonkeyPatch, where: str, option: str
) -> None:
    home = tmp_path / "above" / "home"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "link").symlink_to("/")
    place = {"/": "/", "~": home, "~/..": home.parent, "link": tmp_path / "link" / str(home)[1:]}[where]
    ran = skillgen("build", "--flavor", "omc", option, place)
    assert ran.code == 2 and ran.err.count("\n") == 1
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("place", ["flavors", "templates"])
def test_no_output_goes_onto_a_users_own_sources(tmp_path: Path, skillgen: Run, place: str) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "flavors").mkdir()
    (tmp_path / "flavors" / "mine.yaml").write_text("base: omc\n")
    own = ["--flavors", tmp_path / "flavors", "--templates", tmp_path / "templates"]
    ran = skillgen("build", "--flavor", "mine", *own, "--out", tmp_path / place)
    assert ran.code == 2 and "what bundles are built from" in ran.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["flavors", "mine.yaml", "templates"]


@pytest.mark.slow
def test_two_builds_into_one_directory_at_once_leave_what_one_leaves(tmp_path: Path) -> None:
    for option, expected, place in (("--out", "a", "b"), ("--into", "c", "d")):
        command = [sys.executable, "-m", "skillgen", "build", "--flavor", "omc", option]
        subprocess.run([*command, tmp_path / expected], check=True, capture_output=True)
        running = [
            subprocess.Popen([*command, tmp_path / place], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for _ in range(4)
        ]
        for process in running:
            said, _ = process.communicate(timeout=120)
            assert process.returncode == 0, said
        assert tree(tmp_path / place) == tree(tmp_path / expected)
