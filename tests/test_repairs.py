"""Every error says what helps: no problem and no refusal is raised without a repair."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillgen
from skillgen.errors import Problem, UsageError, to_read, to_write

SOURCES = sorted(Path(skillgen.__file__).parent.rglob("*.py"))
RAISED = {"UsageError", "SkillgenError", "ClickException", "BadParameter", "fail"}
CHECKED = {"base.py", "semver.py"}
"""Files of the model whose `ValueError` is a user's to read, as `what; repair`."""


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _literal(part: ast.expr) -> str:
    """Return a text as it is written, with `{}` for what is filled in."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    if isinstance(part, ast.JoinedStr):
        return "".join(value.value if isinstance(value, ast.Constant) else "{}" for value in part.values)  # type: ignore[misc]
    if isinstance(part, ast.BinOp):
        return _literal(part.left) + _literal(part.right)
    return "{}"


def _says_repair(call: ast.Call, place: int) -> bool:
    """Whether the argument at a place gives a repair that is not empty by itself."""
    given = call.args[place] if len(call.args) > place else None
    for keyword in call.keywords:
        given = keyword.value if keyword.arg == "repair" else given
    return given is not None and bool(_literal(given).strip())


def _calls(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node) in names)


def _without(path: Path, text: str) -> list[str]:
    tree, found = ast.parse(text), []
    for call in _calls(tree, {"Problem", "problem"}):
        # `place.problem(what, repair)` builds a Problem whose place it knows.
        if not _says_repair(call, 4 if _name(call) == "Problem" else 1) and not any(
            isinstance(argument, ast.Starred) for argument in call.args
        ):
            found.append(f"{path}:{call.lineno}: {ast.unparse(call)}")
    names = RAISED | ({"ValueError"} if path.parent.name == "model" and path.name in CHECKED else set())
    for call in _calls(tree, names):
        what, _, repair = _literal(call.args[0]).partition("; ") if call.args else ("", "", "")
        if not (what and repair.strip()) and not _says_repair(call, 1):
            found.append(f"{path}:{call.lineno}: {ast.unparse(call)}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_no_error_is_raised_without_a_repair(path: Path) -> None:
    assert _without(path, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        'Problem(path, 0, 0, "is no file")',
        'Problem(path, 0, 0, "is no file", "")',
        'Problem(path, 0, 0, "is no file", repair="")',
        'node.place.problem("is no file")',
        'raise UsageError(f"{path}: is no directory")',
        'raise UsageError(f"{path}: {what}")',
        'raise UsageError(f"{path}: is no directory", "")',
        'raise click.UsageError("--a excludes --b; ")',
        "raise SkillgenError(said)",
    ],
)
def test_the_walk_sees_an_error_that_says_no_repair(text: str) -> None:
    assert _without(Path("some.py"), text)


def test_the_walk_sees_the_errors_of_the_generator() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES]
    assert sum(1 for tree in trees for _ in _calls(tree, {"Problem", "problem", *RAISED})) > 250


def test_a_problem_is_one_line_of_place_mistake_and_repair() -> None:
    assert str(Problem("a.yaml", 2, 3, "is empty", "write a name")) == "a.yaml:2:3: is empty, write a name"
    assert str(UsageError("a: is empty", "write a name")) == "a: is empty; write a name"


@pytest.mark.parametrize("number", [1, 2, 13, 17, 20, 21, 27, 28, 30, 36, 40, 122, 999, None])
def test_whatever_the_system_says_there_is_something_to_do(number: int | None) -> None:
    error = OSError(number, "x") if number else OSError()
    assert to_read(error) and to_write(error)
