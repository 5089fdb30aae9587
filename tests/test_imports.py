"""The wings of the house: what each package may import, so that a change stays where it belongs."""

from __future__ import annotations

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "generator/skillgen"
#: Each step takes data and gives data; it imports the model and the errors, and no other step.
STEPS = {
    "model": set[str](),
    "load": {"resources"},
    "resolve": set[str](),
    "render": set[str](),
    "reader": set[str](),
    # Its rules ask what the reader read.
    "audit": {"reader"},
    "adopt": set[str](),
    "drift": set[str](),
    # It may apply what `drift` found.
    "pack": {"drift"},
}
#: What joins steps into an application: each may use those above it.
APPLICATIONS = {
    "build": {*STEPS, "resources"} - {"adopt"},
    "sync": {*STEPS, "build", "resources"},
    "report": {*STEPS, "build", "sync", "conform"},
    # It drives programs; what is rendered is handed to it.
    "conform": {"load", "resolve"},
    # It asks what a text would make of a flavor.
    "watch": {"load", "audit", "adopt", "build", "sync", "conform"},
}
ALLOWED = {**STEPS, **APPLICATIONS, "cli": {*STEPS, *APPLICATIONS, "resources"}}
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


def test_every_package_is_guarded() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(ALLOWED)


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    # What is known of hosts is every step's ground, and itself made of the model.
    ground = {"model", "errors", "__version__"} | ({"hosts"} if package != "model" else set())
    allowed = {package, *ground, *ALLOWED[package]}
    for path in sorted((PACKAGE / package).rglob("*.py")):
        parts = {name.split(".")[1] for name in imported(path) if name.startswith("skillgen.")}
        assert parts <= allowed, f"{path.relative_to(PACKAGE)} imports {sorted(parts - allowed)}"


def modules() -> dict[str, Path]:
    """Return every module of the generator by its name; a package by the name of its folder."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(name: str, known: dict[str, Path]) -> set[str]:
    """Return the modules of ours that one needs, also inside functions, for type checks only, or as its packages."""
    # `from package import name` gives `package.name`, which is a module or something inside one.
    named = {whole if whole in known else whole.rpartition(".")[0] for whole in imported(known[name])}
    around = {".".join(name.split(".")[:end]) for end in range(1, name.count(".") + 1)}
    return ((named | around) & known.keys()) - {name}


def test_no_module_needs_itself_by_way_of_others() -> None:
    known = modules()
    try:
        TopologicalSorter({name: imports_of(name, known) for name in known}).prepare()
    except CycleError as error:
        pytest.fail("a circle of imports: " + " -> ".join(error.args[1]))


def test_only_the_command_line_prints_and_exits() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        top = path.relative_to(PACKAGE).parts[0]
        if top in ("cli", "__main__.py"):
            continue
        called = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        loud = {name for name in imported(path) if name.split(".")[0] in ("click", "sys.exit")} | (
            called & {"print", "exit"}
        )
        assert not loud, f"{path.relative_to(PACKAGE)} uses {sorted(loud)}"


def test_only_load_and_pack_touch_the_disk() -> None:
    for step in ("resolve", "render", "audit", "adopt", "drift", "model"):
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
