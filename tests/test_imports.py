"""The steps stay apart: each imports the model and the errors, never another step; only `cli` joins them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "generator/skillgen"
STEPS = ("load", "resolve", "render", "audit", "drift", "pack")
#: `pack` may apply what `drift` found.
ALLOWED = {"pack": {"drift"}, "model": set[str]()}
RUNTIME = Path(__file__).parents[1] / "templates/cancel/bundle/scripts"


def imported(path: Path) -> set[str]:
    """Return every module that a file imports, also inside functions and for type checks only."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide which step is meant"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("step", [*STEPS, "model"])
def test_a_step_imports_only_the_model_and_the_errors(step: str) -> None:
    allowed = {step, "model", "errors", "__version__", *ALLOWED.get(step, set())}
    files = sorted((PACKAGE / step).rglob("*.py"))
    assert files
    for path in files:
        parts = {name.split(".")[1] for name in imported(path) if name.startswith("skillgen.")}
        assert parts <= allowed, f"{path.relative_to(PACKAGE)} imports {sorted(parts - allowed)}"


def test_only_load_and_pack_touch_the_disk() -> None:
    for step in ("resolve", "render", "audit", "drift", "model"):
        for path in sorted((PACKAGE / step).rglob("*.py")):
            touching = imported(path) & {
                "os",
                "pathlib.Path",
                "shutil",
                "tempfile",
                "subprocess",
                "time",
                "datetime",
                "random",
            }
            assert not touching, f"{path.relative_to(PACKAGE)} imports {sorted(touching)}"


def test_the_runtime_needs_the_standard_library_only() -> None:
    for path in sorted(RUNTIME.rglob("*.py")):
        for name in imported(path):
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names or top == "cancel_runtime", f"{path.name} imports {name}"


def test_the_generator_never_imports_the_runtime() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        assert not any("cancel_runtime" in name for name in imported(path)), path


def test_every_module_says_its_job_in_one_line() -> None:
    for path in [*PACKAGE.rglob("*.py"), *RUNTIME.rglob("*.py")]:
        doc = ast.get_docstring(ast.parse(path.read_text()))
        assert doc, f"{path} has no docstring"
        if "/rules/" not in str(path):
            assert "\n" not in doc.split("\n\n")[0], f"{path}: the first paragraph is more than a line"
