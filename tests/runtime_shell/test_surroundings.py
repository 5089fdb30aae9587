"""What the environment brings along changes nothing: options, functions, globs, python's own variables."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .shell_world import Shell

OURS = ("--session-id", "s1")
OPTIONS = [
    "failglob",
    "nocasematch",
    "nullglob",
    "dotglob",
    "nocaseglob",
    "extglob",
    "globstar",
    "xpg_echo",
    "execfail",
    "extdebug",
    "lastpipe",
    "inherit_errexit",
    "localvar_inherit",
    "localvar_unset",
    "compat31",
    "compat32",
    "compat40",
    "compat41",
    "compat42",
    "compat43",
    "compat44",
]
SET = [
    "errexit",
    "nounset",
    "noglob",
    "noclobber",
    "keyword",
    "pipefail",
    "allexport",
    "errtrace",
    "functrace",
    "physical",
    "posix",
    "privileged",
    "verbose",
    "xtrace",
]


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_the_environment_changes_nothing(option: str, one_shell: Shell) -> None:
    record = one_shell.record("omc", "ralph")
    done = one_shell.run("omc", *OURS, "--json", BASHOPTS=option)
    assert (done.exit, record.exists()) == (0, False), done
    assert done.outcomes() == {"ralph": "done"}


@pytest.mark.parametrize("option", SET)
def test_a_setting_of_the_environment_changes_nothing(option: str, one_shell: Shell) -> None:
    record = one_shell.record("omc", "ralph")
    done = one_shell.run("omc", *OURS, "--json", SHELLOPTS=option)
    assert (done.exit, record.exists()) == (0, False), done
    assert done.outcomes() == {"ralph": "done"}


@pytest.mark.parametrize("option", ["failglob", "nocasematch"])
def test_a_word_is_still_compared_exactly_and_a_glob_that_finds_nothing_is_no_end(
    option: str, one_shell: Shell
) -> None:
    for text in ('{"active": TRUE}', '{"Active": true}'):
        record = one_shell.record("pep", "ralph", text)
        done = one_shell.run("pep", *OURS, BASHOPTS=option)
        assert record.read_text() == text, done
    record = one_shell.record("rcs", "ultraqa")
    assert one_shell.run("rcs", "--SESSION-ID", "s1", BASHOPTS=option).exit == 2
    assert one_shell.run("rcs", *OURS, BASHOPTS=option).exit == 0
    assert not record.exists()


def test_a_lock_that_the_environment_hides_from_globs_is_seen(one_shell: Shell) -> None:
    record = one_shell.record("omc", "ralph")
    Path(f"{record}.mutation.lock").write_text("{}")
    for hidden in ("*.lock", "*", "./*.lock", "*/*.*.*"):
        done = one_shell.run("omc", *OURS, GLOBIGNORE=hidden)
        assert (done.exit, record.exists()) == (2, True), done


@pytest.mark.parametrize("name", ["rm", "mv", "cd", "printf", "read", "local", "command", "kill", "shopt", "[", "git"])
def test_a_function_of_the_environment_takes_the_place_of_no_command(name: str, one_shell: Shell) -> None:
    record = one_shell.record("omc", "ralph")
    done = one_shell.run("omc", *OURS, "--json", **{f"BASH_FUNC_{name}%%": "() { return 0; }"})
    assert (done.exit, record.exists()) == (0, False), done
    assert done.outcomes() == {"ralph": "done"}


@pytest.fixture
def real_python(one_shell: Shell) -> Shell:
    one_shell.provide("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    return one_shell


@pytest.mark.parametrize("path", ["", ":", "/nowhere:", ":/nowhere", "."])
@pytest.mark.parametrize("name", ["re", "json", "sqlite3", "contextlib", "select", "datetime", "cancel_runtime"])
def test_no_module_of_the_project_is_imported(path: str, name: str, real_python: Shell) -> None:
    seen = real_python.home / "seen"
    (real_python.project / f"{name}.py").write_text(f"open({str(seen)!r}, 'w').close()\nraise SystemExit(0)\n")
    record = real_python.record("omc", "team", {"active": True, "team_name": "t", "members": ["a"]})
    done = real_python.run("omc", *OURS, "--json", "--force", PYTHONPATH=path)
    assert not seen.exists(), "a file of the project ran"
    assert (done.exit, record.exists()) == (0, False), done


def test_cancel_py_itself_imports_nothing_of_the_project(real_python: Shell) -> None:
    """Without -I the interpreter has the project's directory on its path where PYTHONPATH has an empty part."""
    seen = real_python.home / "seen"
    for name in ("select", "datetime", "hashlib", "re", "sqlite3", "records"):
        (real_python.project / f"{name}.py").write_text(f"open({str(seen)!r}, 'w').close()\nraise SystemExit(0)\n")
    record = real_python.record("omc", "team", {"active": True, "team_name": "t", "members": ["a"]})
    command = [sys.executable, "-S", str(real_python.script("omc").with_name("cancel.py")), *OURS, "--force", "--json"]
    environ = real_python.environ(PYTHONPATH=":")
    done = subprocess.run(
        command, cwd=real_python.project, env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert not seen.exists(), "a file of the project ran"
    assert (done.returncode, record.exists()) == (0, False), done


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTHONHOME", "/nowhere"),
        ("PYTHONSTARTUP", "/nowhere"),
        ("PYTHONWARNINGS", "error"),
        ("PYTHONOPTIMIZE", "2"),
        ("PYTHONSAFEPATH", "1"),
        ("PYTHONPLATLIBDIR", "nowhere"),
    ],
)
def test_what_the_trial_ignores_the_run_ignores_too(name: str, value: str, real_python: Shell) -> None:
    record = real_python.record("omc", "ralph")
    done = real_python.run("omc", *OURS, "--json", **{name: value})
    assert (done.exit, done.stderr, record.exists()) == (0, "", False)
    assert done.outcomes() == {"ralph": "done"}
    assert "expires_at" in json.loads((real_python.session("omc") / "cancel-signal-state.json").read_text())


def test_the_run_gets_the_same_options_as_the_trial(one_shell: Shell) -> None:
    one_shell.provide("python3", f'#!/bin/sh\necho "$@" >>"{one_shell.home}/calls"\n')
    one_shell.run("omc", *OURS)
    trial, run = (one_shell.home / "calls").read_text().splitlines()[:2]
    options = trial.partition(" -c ")[0]
    assert options.split()[0] == "-I"
    assert run.startswith(f"{options} {os.fspath(one_shell.script('omc').with_name('cancel.py'))}")


@pytest.mark.parametrize("flavor", ["omc", "omni"])
@pytest.mark.parametrize("other", ["dash", "zsh", "busybox sh", "ksh", "mksh"])
def test_another_shell_is_refused_in_one_line_and_changes_nothing(other: str, flavor: str, one_shell: Shell) -> None:
    program, *rest = other.split()
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    if flavor == "omc":
        one_shell.record("omc", "ralph")
    before = one_shell.tree()
    script = str(one_shell.script(flavor))
    done = subprocess.run(
        [found, *rest, script, "--session-id", "s1"],
        cwd=one_shell.project,
        env=one_shell.environ(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr == f"cancel: this script is for bash; run it as: bash {script}\n"
    assert one_shell.tree() == before
