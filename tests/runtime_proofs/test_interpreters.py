"""Run the scripts on every Python that is here, and hold their modules to the standard library."""

from __future__ import annotations

import ast
import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runtime_proofs.bundle import environment, python, skill
from runtime_proofs.runtime import SCRIPTS
from runtime_proofs.test_kill_every_step import CASES, again, ending, put

VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13")


@functools.cache
def interpreter(version: str) -> str:
    """Path of the real interpreter, or "" where `pythonX.Y -c pass` does not work; pyenv is told of all its versions."""
    env = dict(os.environ)
    if shutil.which("pyenv"):
        known = subprocess.run(
            ["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False
        ).stdout.split()
        env["PYENV_VERSION"] = ":".join(known)
    if not shutil.which(f"python{version}", path=env["PATH"]):
        return ""
    probe = subprocess.run(
        [f"python{version}", "-c", "import sys; print(sys.executable)"],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    return probe.stdout.strip() if probe.returncode == 0 else ""


@functools.cache
def needed(version: str) -> str:
    return interpreter(version) or pytest.skip(f"python{version} is not here")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", CASES)
def test_every_interpreter_ends_the_same_without_a_warning(case: str, version: str, tmp_path: Path) -> None:
    flavor, given, arguments = CASES[case]
    executable = needed(version)
    original = put(flavor, given, tmp_path / "given")
    endings = []
    for index, program in enumerate((python(), executable)):
        here = again(original, tmp_path / str(index))
        done = subprocess.run(
            [program, "-X", "dev", "-W", "error", str(skill(flavor) / "scripts/cancel.py"), *arguments, "--json"],
            cwd=here.cwd,
            env=environment(here.home, here.env),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), (program, done)
        endings.append((ending(here), json.loads(done.stdout.replace(str(here.base), "BASE"))))
    assert endings[0][0] == endings[1][0]
    assert endings[0][1] == endings[1][1]


def test_the_oldest_and_the_newest_python_were_found() -> None:
    """A machine of this project has all five; elsewhere at least the one that runs the tests."""
    assert interpreter(f"{sys.version_info[0]}.{sys.version_info[1]}"), "the interpreter of this test run was not found"


@pytest.mark.parametrize("version", ["3.6", "3.7", "3.8", "2.7"])
def test_an_older_python_is_refused_in_words(version: str, tmp_path: Path) -> None:
    executable = needed(version)
    done = subprocess.run(
        [executable, str(skill("pep") / "scripts/cancel.py"), "--session-id", "s1"],
        cwd=tmp_path,
        env=environment(tmp_path, {"PYTHONDONTWRITEBYTECODE": "1"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "3.9" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("version", ["3.8", "2.7"])
def test_cancel_sh_passes_over_an_older_python(version: str, tmp_path: Path) -> None:
    from runtime_proofs.bundle import tools
    from runtime_proofs.scenario import place

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(needed(version))
    here = place("pep", tmp_path / "b", {"@s1/ultraqa": "active"})
    done = subprocess.run(
        ["bash", str(skill("pep") / "scripts/cancel.sh"), "--session-id", "s1", "--mode", "ultraqa"],
        cwd=here.cwd,
        env={**environment(here.home, {}), "PATH": f"{tmp_path / 'bin'}:{tools()}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert not (here.base / "ws/.pep/state/sessions/s1/ultraqa-state.json").exists()


def modules() -> list[Path]:
    return [SCRIPTS / "cancel.py", *sorted((SCRIPTS / "cancel_runtime").rglob("*.py"))]


def test_vermin_finds_nothing_newer_than_3_9() -> None:
    vermin = Path(sys.executable).with_name("vermin")
    if not vermin.exists():
        pytest.skip("vermin is not installed (a development dependency)")
    done = subprocess.run(
        [str(vermin), "--processes=1", "--target=3.9-", "--violations", "--no-tips", *map(str, modules())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_module_parses_as_python_3_9_and_imports_the_standard_library_only() -> None:
    foreign = []
    for path in modules():
        parsed = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
        for node in ast.walk(parsed):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""] if not node.level else ["cancel_runtime"]
            for name in names:
                top = name.partition(".")[0]
                if top != "cancel_runtime" and top not in sys.stdlib_module_names:
                    foreign.append(f"{path.name}:{node.lineno}: {name}")
    assert foreign == []


def loaded(arguments: list[str], cwd: Path, home: Path) -> set[str]:
    """Names of the modules that a program imports."""
    done = subprocess.run(
        [python(), "-X", "importtime", *arguments],
        cwd=cwd,
        env=environment(home, {}),
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("flavor", ["rcs", "pep", "omc", "omd"])
def test_a_run_on_one_session_loads_nothing_that_it_does_not_need(flavor: str, tmp_path: Path) -> None:
    from runtime_proofs.scenario import place

    mode = "ralplan" if flavor == "omd" else "pipeline"
    here = place(flavor, tmp_path / "b", {f"@s1/{mode}": "active"})
    script = str(skill(flavor) / "scripts" / "cancel.py")
    names = loaded([script, "--session-id", "s1"], here.cwd, here.home) - loaded(["-c", "pass"], here.cwd, here.home)
    assert "cancel_runtime.act" in names
    assert not names & {"sqlite3", "_sqlite3", "subprocess", "typing", "argparse", "pathlib", "dataclasses", "asyncio"}
    assert not {name for name in names if name.startswith(("skillgen", "cancel_runtime.team", "cancel_runtime.tmux"))}
