"""The scripts of a hostile bundle parse, answer, refuse, and run nothing that a flavor's string says."""

from __future__ import annotations

import json
import py_compile
import shutil
import subprocess
from pathlib import Path

import pytest
from hostile import Case, contracts
from pieces import CANARY, PIECES
from test_generated_flavors import every_field

BASH = (["bash"], ["bash", "--posix"])


def unpack(case: Case, directory: Path) -> Path:
    for name, file in case.bundle.items():
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)
        target.chmod(file.mode)
    return directory / case.skill / "scripts"


def run(command: list[str], where: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(where), "TMPDIR": str(where)}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, timeout=60, check=False)


def prove(case: Case, tmp_path: Path) -> None:
    scripts = unpack(case, tmp_path / "bundle")
    place = tmp_path / "project"
    place.mkdir()
    for script in sorted(scripts.rglob("*.py")):
        py_compile.compile(str(script), cfile=str(tmp_path / "compiled"), doraise=True)
    shell = str(scripts / "cancel.sh")
    for bash in BASH:
        assert run([*bash, "-n", shell], place).stderr == ""
        for arguments in (["--help"], ["--forc"], ["--session-id", "../x", "--dry-run"]):
            done = run([*bash, shell, *arguments], place)
            assert done.returncode == (0 if arguments == ["--help"] else 2), (arguments, done)
            assert (done.stdout != "") == (arguments == ["--help"]), (arguments, done)
    refused = run(["python3", str(scripts / "cancel.py"), "--forc"], place)
    assert (refused.returncode, refused.stdout) == (2, ""), refused
    assert list(tmp_path.rglob(f"*{CANARY}*")) == []
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("flavor", sorted(contracts()))
def test_a_hostile_bundle_runs_only_itself(flavor: str, tmp_path: Path) -> None:
    prove(every_field(flavor, 0), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("flavor", sorted(contracts()))
def test_no_piece_in_any_field_is_ever_run(flavor: str, tmp_path: Path) -> None:
    for shift in range(0, len(PIECES), 9):
        (tmp_path / str(shift)).mkdir()
        prove(every_field(flavor, shift), tmp_path / str(shift))


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
@pytest.mark.parametrize("shift", [0, 23, 46])
def test_the_module_for_dsh_holds_the_same_strings(shift: int, tmp_path: Path) -> None:
    found = every_field("omd", shift)
    unpack(found, tmp_path / "bundle")
    ask = "import('./lib/index.js').then(m => m.provider.list()).then(all => console.log(JSON.stringify(all)))"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", ask], cwd=tmp_path / "bundle", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    skill = json.loads(done.stdout)[0]
    assert skill["description"] == found.contract.front.description
    assert skill["name"] == found.contract.front.name
    assert list(tmp_path.rglob(f"*{CANARY}*")) == []
