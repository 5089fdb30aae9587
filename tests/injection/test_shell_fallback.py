"""Where no python3 works, the shell script takes every string of the contract as data too."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hostile import Case, case, contracts
from hostile import Path as Place
from pieces import CANARY, PIECES
from test_generated_flavors import every_field
from test_scripts import unpack

NEEDED = ("bash", "date", "mv", "rm", "cp", "git", "readlink", "touch", "cat")
#: One key of each flavor whose records are cleared.
CLEARED = {"rcs": "ultraqa", "pep": "ultraqa", "omd": "ralplan"}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return a directory of programs without python3."""
    directory = tmp_path / "programs"
    directory.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found, name
        (directory / name).symlink_to(found)
    return directory


def run(case: Case, tmp_path: Path, programs: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    scripts = tmp_path / "bundle" / case.skill / "scripts"
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return subprocess.run(
        ["bash", str(scripts / "cancel.sh"), *arguments],
        cwd=tmp_path / "project",
        env={"PATH": str(programs), "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def record_of(case: Case, tmp_path: Path, key: str) -> Path:
    """Write an active record of a mode and return its path."""
    root, store = case.contract.root, case.contract.store
    assert root.kind == "workspace" and store.kind == "files"
    directory = tmp_path / "project" / root.directory / root.state / store.sessions / "s1"
    directory.mkdir(parents=True, exist_ok=True)
    record = directory / store.record.replace("{mode}", case.contract.modes[key].records[0], 1)
    record.write_text('{"active": true}')
    return record


@pytest.mark.parametrize("flavor", sorted(contracts()))
@pytest.mark.parametrize("shift", [5, 40])
def test_a_hostile_contract_runs_nothing_without_python(
    flavor: str, shift: int, tmp_path: Path, programs: Path
) -> None:
    found = every_field(flavor, shift)
    unpack(found, tmp_path / "bundle")
    (tmp_path / "project").mkdir()
    helped = run(found, tmp_path, programs, "--help")
    assert helped.returncode == 0, helped
    key = next(iter(found.contract.modes))
    for arguments in (["--forc"], ["--session-id", "s1", "--mode", key, "--dry-run"], ["--session-id", "s1", "--json"]):
        done = run(found, tmp_path, programs, *arguments)
        assert done.returncode in (0, 2), done
        assert "syntax error" not in done.stderr and "command not found" not in done.stderr, done
        if done.returncode == 0 and "--json" in arguments:
            assert json.loads(done.stdout)["flavor"] == flavor
    assert list(tmp_path.rglob(f"*{CANARY}*")) == []
    assert list((tmp_path / "project").iterdir()) == []


def names(piece: str) -> str:
    kept = "".join(char for char in piece if char not in "/\\" and char.isprintable())[:60]
    return "x" + kept + "y"


@pytest.mark.parametrize("flavor", sorted(CLEARED))
@pytest.mark.parametrize("piece", range(0, len(PIECES), 9))
def test_a_record_under_a_hostile_name_is_the_one_that_goes(
    flavor: str, piece: int, tmp_path: Path, programs: Path
) -> None:
    key = CLEARED[flavor]
    values: dict[Place, str] = {
        ("root", "directory"): names(PIECES[piece]),
        ("modes", key, "records", 0): names(PIECES[(piece + 1) % len(PIECES)]),
        ("modes", key, "title"): PIECES[(piece + 2) % len(PIECES)].strip() or "x",
        ("modes", key, "message"): "said " + " ".join(PIECES[(piece + 3) % len(PIECES)].split()),
    }
    found = case(flavor, values)
    assert found
    unpack(found, tmp_path / "bundle")
    record = record_of(found, tmp_path, key)
    (record.parent / "beside.json").write_text("{}")
    done = run(found, tmp_path, programs, "--session-id", "s1", "--mode", key)
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[0] == found.contract.modes[key].message
    assert [path.name for path in record.parent.iterdir()] == ["beside.json"]
    assert list(tmp_path.rglob(f"{CANARY}")) == []
