"""No character of a stranger's file moves a terminal, turns a text round, or becomes a line that a workflow obeys."""

from __future__ import annotations

import ast
import json
import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillgen.model.visible import annotation, escaped, unseen

CLI = Path(__file__).parents[2] / "generator" / "skillgen" / "cli"
HOSTILE = "a\x1b]0;T\x07\n::error::x\u202e\u200b\U000e0041\x85b"
SKILL = (
    "---\nname: cancel\ndescription: Cancels a mode. Use when a mode must stop.\n---\n# Cancel\n\n```bash\nfi\n```\n"
)


def seen(text: str) -> bool:
    """Whether every character is one that a person sees, and no line is a workflow command but those of ours."""
    unseen_kinds = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
    return all(char == "\n" or unicodedata.category(char) not in unseen_kinds for char in text)


def commanded(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("::error::x")]


@pytest.mark.parametrize("path", sorted(CLI.glob("*.py")), ids=lambda path: path.name)
def test_only_one_function_prints(path: Path) -> None:
    if path.name == "say.py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("echo", "secho", "echo_via_pager", "style"), f"{path}:{node.lineno}"
        if isinstance(node, ast.Name):
            assert node.id != "print", f"{path}:{node.lineno}"


@pytest.mark.parametrize(
    "char", ["\x1b", "\x00", "\x07", "\x7f", "\x9b", "\u202e", "\u2028", "\ufeff", "\ue000", "\U000e0041"]
)
def test_an_unseen_character_is_written_as_an_escape(char: str) -> None:
    assert unseen(f"a{char}b") == char
    assert seen(escaped(f"a{char}b"))
    assert escaped(f"a{char}b").startswith("a\\")
    if char >= "\x7f":
        assert json.loads(f'"{escaped(char)}"') == char


def test_plain_text_of_any_script_comes_back_as_it_is() -> None:
    text = "naïve 取消 모드 e\u0301 👍 «quoted»"
    assert escaped(text) == text


def test_a_path_with_a_colon_is_escaped_once() -> None:
    assert annotation("error", "what: 1, 2%", file="a:b,c%.md", line=3, col=0) == (
        "::error file=a%3Ab%2Cc%25.md,line=3::what: 1, 2%25"
    )
    assert annotation("error", "a\n::error::x") == "::error::a\\n::error::x"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A skill in a directory, with a file, of a hostile name."""
    directory = tmp_path / HOSTILE.replace("/", "") / "cancel"
    directory.mkdir(parents=True)
    (directory / "SKILL.md").write_text(SKILL + f"\n`{{{{x\u202e}}}}` {HOSTILE}\n")
    (directory / f"{HOSTILE}.md").write_text("x")
    return tmp_path


@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
def test_an_audit_tells_hostile_names_as_escapes(hostile: Path, skillgen: Callable[..., Any], form: str) -> None:
    ran = skillgen("audit", "--format", form, hostile)
    assert ran.code == 1
    assert seen(ran.out + ran.err) and commanded(ran.out + ran.err) == []
    if form in ("json", "sarif"):
        assert json.loads(ran.out)
    if form == "github":
        assert all(
            line.startswith(("::error file=", "::warning file=", "::notice file="))
            for line in ran.out.split("\n")
            if line
        )


def test_a_file_name_that_is_no_text_is_told_too(tmp_path: Path, skillgen: Callable[..., Any]) -> None:
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe/cancel"))
    directory.mkdir(parents=True)
    (directory / "SKILL.md").write_text(SKILL)
    for form in ("text", "github", "json", "sarif"):
        ran = skillgen("audit", "--format", form, tmp_path)
        assert ran.code == 1 and seen(ran.out)


@pytest.mark.parametrize("form", [[], ["--format", "github"], ["--json"]], ids=["text", "github", "json"])
def test_a_sync_tells_hostile_names_as_escapes(tmp_path: Path, skillgen: Callable[..., Any], form: list[str]) -> None:
    fork = tmp_path / HOSTILE.replace("/", "")
    assert skillgen("build", "--flavor", "omc", "--into", fork).code == 0
    (fork / "skills/cancel/SKILL.md").write_text(f"other {HOSTILE}\n")
    (fork / f"skills/cancel/{HOSTILE}.md").write_text("x")
    ran = skillgen("sync", "--check", *form, tmp_path)
    assert ran.code == 0 and "error" in (ran.out if form else "error")
    assert seen(ran.out + ran.err) and commanded(ran.out + ran.err) == []


def test_a_verify_tells_hostile_names_as_escapes(tmp_path: Path, skillgen: Callable[..., Any]) -> None:
    assert skillgen("pack", "--flavor", "omc", "--out", tmp_path / "out", "--dist", tmp_path / "none").code == 0
    tree = next(path for path in (tmp_path / "out" / "omc").iterdir() if path.is_dir())
    copy = shutil.copytree(tree, tmp_path / "copy")
    (copy / HOSTILE.replace("/", "")).write_text("x")
    ran = skillgen("verify", copy, "--against", tmp_path / "out" / "omc")
    assert ran.code == 2 and seen(ran.out + ran.err) and commanded(ran.out + ran.err) == []


@pytest.mark.parametrize(
    "arguments",
    [["build", "--flavor", HOSTILE], ["explain", "omc", HOSTILE], [HOSTILE], ["audit", HOSTILE], ["sync", HOSTILE]],
    ids=str,
)
def test_a_wrong_argument_is_told_as_an_escape(skillgen: Callable[..., Any], arguments: list[str]) -> None:
    ran = skillgen(*arguments)
    assert ran.code == 2 and seen(ran.out + ran.err) and unseen(ran.err.replace("\n", "")) == ""


def test_a_page_shows_no_character_that_turns_the_text_around_it(tmp_path: Path, skillgen: Callable[..., Any]) -> None:
    fork = tmp_path / "forks" / HOSTILE.replace("/", "")
    assert skillgen("build", "--flavor", "omc", "--into", fork).code == 0
    (fork / f"skills/cancel/{HOSTILE}.md").write_text("x")
    ran = skillgen("report", "--flavor", "omc", "--out", tmp_path / "page.html", tmp_path / "forks")
    assert ran.code == 0, ran.err
    page = (tmp_path / "page.html").read_text()
    assert "\\u202e" in page
    assert not {"\x1b", "\u202e", "\u200b", "\U000e0041", "\x85"} & set(page)
