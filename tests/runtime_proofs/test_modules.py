"""A bundle holds the modules that its contract can reach, no other, and a module is the same in all of them."""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime_proofs.bundle import FLAVORS, contract, environment, python, skill
from runtime_proofs.runtime import SCRIPTS
from runtime_proofs.scenario import Place, place

RUNTIME = SCRIPTS / "cancel_runtime"
NAMES = sorted(path.stem for path in RUNTIME.glob("*.py"))

MET: dict[str, dict[str, Any]] = {
    "rcs": {
        "tree": {
            "@s1/team": {"active": True, "team_name": "blue"},
            "@/team/blue/config.json": {"workers": [{"name": "w1", "pane_id": "%999999"}]},
        }
    },
    "omx": {
        "tree": {
            "@s1/ralph": {"active": True},
            ".omx-state-locks/kept": "",
            "@s1/team": {"active": True, "team_name": "blue"},
            "@/team/blue/config.json": {"workers": [{"name": "w1", "pane_id": "%999999"}]},
        }
    },
    "pep": {"tree": {"@s1/team": {"active": True, "team_name": "blue"}}},
    "omc": {
        "tree": {
            "@s1/team": {"active": True, "team_name": "blue"},
            "@s1/omc-teams": {"active": True, "tmux_session": "nobody-has-this"},
        }
    },
    "omd": {"tree": {"@s1/team": {"active": True}}},
    "omni": {"rows": {"s1": {"team": {"run_id": "team-0123456789ab"}, "ralph": {"active": True}}}},
}
"""What a workspace holds in which one cancel of everything and one look at it meet every part of the flavor's contract."""
RUNS = (["--all", "--force"], ["status"], ["explain"])


def shipped(flavor: str) -> set[str]:
    return {path.stem for path in (skill(flavor) / "scripts/cancel_runtime").glob("*.py")}


def imports(name: str) -> Iterator[tuple[str, bool]]:
    """Modules of the runtime that one of them imports, and whether only inside a function."""
    parsed = ast.parse((RUNTIME / f"{name}.py").read_text(encoding="utf-8"))
    top = set(map(id, parsed.body))
    # What only a type checker reads is imported by nobody.
    unread = [node for node in parsed.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    parsed.body = [node for node in parsed.body if node not in unread]
    for node in ast.walk(parsed):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "cancel_runtime":
            _, _, inner = str(node.module).partition(".")
            for found in [inner] if inner else [alias.name for alias in node.names]:
                yield found, id(node) not in top


def world(flavor: str, base: Path) -> Place:
    given = MET[flavor]
    return place(flavor, base, given.get("tree"), **{key: value for key, value in given.items() if key != "tree"})


def run(program: Path, arguments: list[str], here: Place) -> subprocess.CompletedProcess[str]:
    command = [python(), "-X", "importtime", str(program / "scripts/cancel.py"), *arguments]
    environ = environment(here.home, {"PYTHONDONTWRITEBYTECODE": "1", **here.env})
    return subprocess.run(command, cwd=here.cwd, env=environ, capture_output=True, text=True, check=False)


def loaded(done: subprocess.CompletedProcess[str]) -> set[str]:
    lines = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.partition(".")[2] for line in lines if line.startswith("cancel_runtime.")}


def test_a_module_is_the_same_in_every_bundle_that_has_it() -> None:
    for flavor in FLAVORS:
        for path in (skill(flavor) / "scripts/cancel_runtime").iterdir():
            if path.name != "__pycache__":
                assert path.read_bytes() == (RUNTIME / path.name).read_bytes(), path
        assert (skill(flavor) / "scripts/cancel.py").read_bytes() == (SCRIPTS / "cancel.py").read_bytes()


def test_every_module_is_in_some_bundle_and_no_bundle_has_them_all() -> None:
    assert set().union(*map(shipped, FLAVORS)) == set(NAMES)
    assert all(shipped(flavor) < set(NAMES) for flavor in FLAVORS)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_what_a_module_imports_at_its_top_comes_with_it(flavor: str) -> None:
    there = shipped(flavor)
    missing = {(name, other) for name in there for other, lazy in imports(name) if not lazy and other not in there}
    assert missing == set()


def test_no_import_circle_is_left_not_even_a_lazy_one() -> None:
    known = {name: {other for other, _ in imports(name)} for name in NAMES}
    while known:
        free = {name for name, others in known.items() if not others & known.keys()}
        assert free, f"these import each other: {sorted(known)}"
        known = {name: others for name, others in known.items() if name not in free}


@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_bundle_holds_exactly_what_its_contract_can_reach(flavor: str, tmp_path: Path) -> None:
    """Each module is loaded by a run, and without any one of them that run cannot be made."""
    reached: dict[str, list[str]] = {}
    # Where no form selects every session, one of them is all that a run can take.
    widest = ["--force", "--session-id", "s1"] if flavor == "omx" else RUNS[0]
    for number, arguments in enumerate((widest, *RUNS[1:])):
        for name in loaded(run(skill(flavor), arguments, world(flavor, tmp_path / str(number)))):
            reached.setdefault(name, arguments)
    assert set(reached) == shipped(flavor)
    for name, arguments in sorted(reached.items()):
        copy = tmp_path / name / "skill"
        shutil.copytree(skill(flavor), copy, ignore=shutil.ignore_patterns("__pycache__", "references"))
        (copy / f"scripts/cancel_runtime/{name}.py").unlink()
        done = run(copy, arguments, world(flavor, tmp_path / name / "world"))
        assert done.returncode in (1, 2), (name, done.stderr)
        assert "Error: cannot import name" in done.stderr or "ModuleNotFoundError: No module named" in done.stderr, name


def test_kinds_of_one_contract_bring_their_modules(tmp_path: Path) -> None:
    """The table says it of kinds, not of flavors: another store or another team brings another set."""
    from skillgen.build.inputs import Inputs
    from skillgen.render.modules import RUNTIME as PREFIX
    from skillgen.render.modules import Modules

    modules = Modules(Inputs((), ()).templates)

    def needed(**changes: Any) -> set[str]:
        return {name[len(PREFIX) : -3] for name in modules.needed({**contract("omd"), **changes})}

    plain = needed()
    assert plain == shipped("omd")
    assert needed(store=contract("omni")["store"]) == plain - {"store_files", "changes"} | {"store_rows"}
    assert needed(team={"kind": "none"}) == plain - {"teams", "team_asked"}
    assert needed(signal=contract("omc")["signal"]) == plain | {"notices"}
    assert needed(root=contract("omc")["root"]) == plain | {"git", "layers"}
    lock = contract("omc")["store"]["lock"]
    assert needed(store={**contract("omd")["store"], "lock": lock}) == plain | {"lock_files"}
    improve = {**contract("omd")["modes"], "self-improve": contract("omc")["modes"]["self-improve"]}
    assert needed(modes=improve) == plain | {"notices", "git"}
