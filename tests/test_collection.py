"""No test is passed over: what is named as a test is collected, and what holds a test is named as one."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def collected_files() -> set[str]:
    """Return the files, relative to `tests`, that a bare `pytest` takes tests from."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert listed.returncode == 0, listed.stdout + listed.stderr
    lines = [line.rpartition(": ")[0] for line in listed.stdout.splitlines() if line.startswith("tests/")]
    return {line.removeprefix("tests/") for line in lines}


def holds_tests(path: Path) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for node in ast.walk(ast.parse(path.read_text()))
    )


def test_every_test_file_on_disk_is_collected() -> None:
    on_disk = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    assert on_disk - collected_files() == set()


def test_every_file_that_holds_tests_is_named_as_one() -> None:
    named_otherwise = [
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if not path.name.startswith("test_") and holds_tests(path)
    ]
    assert named_otherwise == []
