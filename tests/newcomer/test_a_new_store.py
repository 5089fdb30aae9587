"""A store costs its module, its model, its line in the table of modules and what a text says of it; no other file asks for its kind."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NEW = Path(__file__).parent / "lines"
MODEL = '''
class LineStore(Model):
    """Lines of one file in the state directory, each with its mode, its session and its body."""

    kept: ClassVar[Kept] = Kept("lines", "lines of one file", False, "it knows no such file")
    kind: Annotated[Literal["lines"], _KIND, Told(values=(("lines", "in lines of one file"),))]
    file: FileName


Store = Annotated[FileStore | RowStore | LineStore, Field(discriminator="kind")]
'''


def _added(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{file}: {old}"
    file.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with a third store, by the files that CONTRIBUTING names and a flavor."""
    top = tmp_path_factory.mktemp("clone")
    for name in ("generator", "templates", "flavors"):
        shutil.copytree(ROOT / name, top / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", top)
    cancel = top / "templates/cancel"
    shutil.copy(NEW / "store_lines.py", cancel / "bundle/scripts/cancel_runtime")
    shutil.copy(NEW / "store_lines.md.j2", cancel / "partials")
    _added(
        cancel / "modules.yaml",
        "store_rows: [{store.kind: rows}]\n",
        "store_lines: [{store.kind: lines}]\nstore_rows: [{store.kind: rows}]\n",
    )
    union = 'Store = Annotated[FileStore | RowStore, Field(discriminator="kind")]\n'
    _added(top / "generator/skillgen/model/store.py", union, MODEL.lstrip("\n"))
    shutil.copy(NEW / "flavor.yaml", top / "flavors/lined.yaml")
    return top


def skillgen(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(clone / "generator")}
    command = [sys.executable, "-m", "skillgen", *arguments]
    return subprocess.run(command, cwd=clone, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def skill(clone: Path) -> Path:
    built = skillgen(clone, "build", "--flavor", "lined")
    assert built.returncode == 0, built.stderr
    return clone / "dist/lined/skills/cancel"


RECORDS = [
    {"mode": "ralph", "session": "s1", "body": {"active": True, "current_phase": "execution", "iteration": 3}},
    {"mode": "ultrawork", "session": "s1", "body": {"active": True, "linked_to_ralph": True}},
    {"mode": "ralph", "session": "s2", "body": {"active": True}},
]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    file = tmp_path / ".pep/state/records.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in RECORDS))
    return file


def cancel(skill: Path, at: Path, *arguments: str, program: str = "cancel.py") -> subprocess.CompletedProcess[str]:
    shell = ["bash"] if program.endswith(".sh") else [sys.executable]
    environ = {
        "HOME": str(at),
        "PATH": "/usr/bin:/bin" if program.endswith(".py") else str(at / "bin"),
        "LC_ALL": "C.UTF-8",
    }
    command = [shutil.which(shell[0]) or shell[0], *shell[1:], str(skill / "scripts" / program), *arguments]
    return subprocess.run(command, cwd=at, env=environ, capture_output=True, text=True, check=False)


def lines(state: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in state.read_text().splitlines()]


def test_no_template_and_no_module_asks_which_store_it_is() -> None:
    asks = re.compile(r"""store(?:\.|"\]\[")kind(?:"\])? *(?:==|!=|in)""")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "templates/cancel").rglob("*"))
        if path.suffix in (".py", ".j2")
        for number, line in enumerate(path.read_text().split("\n"), 1)
        if asks.search(line)
    ]
    assert found == [], "say it in `Kept` of the store's model, or let the store's module do it"


def test_its_bundle_is_built_and_clean(clone: Path, skill: Path) -> None:
    modules = {path.stem for path in (skill / "scripts/cancel_runtime").glob("store_*.py")}
    assert modules == {"store_lines"}
    assert skillgen(clone, "build", "--flavor", "lined", "--check").returncode == 0
    audited = skillgen(clone, "audit", "dist/lined", "--no-shellcheck")
    assert audited.returncode == 0, audited.stdout
    told = skillgen(clone, "diff", "pep", "lined").stdout
    assert "in JSON files to in lines of one file" in told.replace("`", ""), told


def test_no_text_of_it_speaks_of_another_store(skill: Path) -> None:
    text = "".join(path.read_text() for path in (skill / "SKILL.md", *(skill / "references").iterdir()))
    assert "Records are lines of `.pep/state/records.jsonl`" in text
    assert "Only state lines prove that one runs" in text
    for foreign in ("rows", "<mode>-state.json", "database", "state files prove", "root slot `"):
        assert foreign not in text, next(line for line in text.split("\n") if foreign in line)


def test_a_cancel_ends_the_session_s_own_records_and_no_others(skill: Path, state: Path) -> None:
    top = state.parents[2]
    dry = cancel(skill, top, "--session-id", "s1", "--dry-run")
    assert dry.returncode == 0 and lines(state) == RECORDS, dry.stderr
    done = cancel(skill, top, "--session-id", "s1")
    assert done.returncode == 0, (done.stdout, done.stderr)
    left = {(line["session"], line["mode"]): line["body"] for line in lines(state)}
    assert left.get(("s2", "ralph")) == {"active": True}
    assert not any(body.get("active") for (session, _), body in left.items() if session == "s1"), left


def test_status_and_explain_say_why(skill: Path, state: Path) -> None:
    top = state.parents[2]
    shown = cancel(skill, top, "status", "--json")
    assert shown.returncode == 0, shown.stderr
    assert '"ralph"' in shown.stdout
    why = cancel(skill, top, "explain", "--session-id", "s1", "--json")
    assert why.returncode == 0, why.stderr
    assert str(state) in why.stdout
    assert lines(state) == RECORDS


def test_every_session_is_ended_when_that_was_asked_for(skill: Path, state: Path) -> None:
    done = cancel(skill, state.parents[2], "--all", "--force")
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert not any(line["body"].get("active") for line in lines(state)), lines(state)


def test_a_line_that_is_no_record_refuses_the_run(skill: Path, state: Path) -> None:
    state.write_text(state.read_text() + "{broken\n")
    before = state.read_bytes()
    done = cancel(skill, state.parents[2], "--session-id", "s1")
    assert done.returncode == 2, done.stdout
    assert "records.jsonl cannot be read" in done.stderr
    assert state.read_bytes() == before


def test_the_shell_without_python_leaves_it_alone(skill: Path, state: Path) -> None:
    (state.parents[2] / "bin").mkdir()
    done = cancel(skill, state.parents[2], "--session-id", "s1", program="cancel.sh")
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "the state, which is lines of one file, is left alone" in done.stderr
    assert lines(state) == RECORDS
