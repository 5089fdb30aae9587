"""A flavor without a team driver tells the fate of the record, and that nobody stopped workers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .scripts import REPOSITORY, Ran, plain_environ, run

ACTIONS = {"clear": "removed", "deactivate": "set to rest", "terminalize": "ended in place"}


@pytest.fixture(scope="module")
def solo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Flavors that know of a team and of nothing that stops it, one an action."""
    flavors, out = tmp_path_factory.mktemp("flavors"), tmp_path_factory.mktemp("solo")
    for action in ACTIONS:
        keeps = "" if action == "clear" else ", keeps: its record"
        (flavors / f"{action}.yaml").write_text(
            f'base: pep\nteam: {{kind: none}}\nbridge: null\nmodes: {{team: {{action: {action}, label: ""{keeps}}}}}\n'
        )
    (flavors / "graceful.yaml").write_text(
        "base: omc\nteam: {kind: none}\nbridge: null\nglobal_pass: {captured_teams: false}\n"
        'modes: {team: {action: clear, label: ""}, omc-teams: {only_when_gone: false}}\n'
    )
    command = [sys.executable, "-m", "skillgen", "build", "--out", str(out), "--flavors", str(flavors)]
    for name in (*ACTIONS, "graceful"):
        command += ["--flavor", name]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


class Place:
    def __init__(self, flavor: str, base: Path, bundles: Path) -> None:
        self.scripts = bundles / flavor / "skills/cancel/scripts"
        self.workspace = base / "project"
        for name in ("objects", "refs/heads"):
            (self.workspace / ".git" / name).mkdir(parents=True)
        (self.workspace / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.workspace / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
        self.environ = plain_environ(base)
        directory = self.workspace / (".omc" if flavor == "graceful" else ".pep") / "state/sessions/s1"
        directory.mkdir(parents=True)
        self.record = directory / "team-state.json"
        self.record.write_text(json.dumps({"active": True, "team_name": "blue"}))
        self.ralph = directory / "ralph-state.json"

    def cancel(self, *arguments: str, script: str = "cancel.py") -> Ran:
        command = ("bash",) if script.endswith("sh") else (sys.executable,)
        return run(
            self.scripts / script, self.workspace, self.environ, "--session-id", "s1", *arguments, command=command
        )


@pytest.mark.parametrize("flavor", [*ACTIONS, "graceful"])
def test_nobody_stopped_the_workers_so_the_record_stays(flavor: str, solo: Path, tmp_path: Path) -> None:
    place = Place(flavor, tmp_path, solo)
    place.ralph.write_text('{"active": true, "linked_team": true}')
    before = place.record.read_bytes(), place.ralph.read_bytes()
    for arguments in ((), ("--dry-run",), ("--mode", "team")):
        ran = place.cancel("--json", *arguments)
        assert (ran.code, ran.mode()["outcome"], ran.mode("ralph")["outcome"]) == (1, "refused", "refused"), ran.out
        assert "workers" in ran.mode()["detail"] and "--force" in ran.mode()["detail"]
        assert "Team cancelled" not in ran.out
        assert (place.record.read_bytes(), place.ralph.read_bytes()) == before
    words = place.cancel()
    assert "Team cancelled" not in words.out
    assert "nobody" in words.out


@pytest.mark.parametrize("flavor", [*ACTIONS, "graceful"])
def test_by_force_the_records_fate_is_told_and_that_nobody_stopped_workers(
    flavor: str, solo: Path, tmp_path: Path
) -> None:
    place = Place(flavor, tmp_path, solo)
    ran = place.cancel("--json", "--force")
    assert (ran.code, ran.mode()["outcome"]) == (0, "done"), ran.out
    assert ran.mode()["message"] == "Team: its record is removed; nobody stopped its workers."
    assert not place.record.exists()
    assert ran.warns("nobody stopped")
    assert "Teammates shut down" not in ran.out


def test_every_session_at_once_is_no_force(solo: Path, tmp_path: Path) -> None:
    place = Place("graceful", tmp_path, solo)
    ran = place.cancel("--json", "--all")
    assert (ran.code, ran.mode()["outcome"], place.record.exists()) == (1, "refused", True), ran.out


@pytest.mark.parametrize("flavor", ["clear", "graceful"])
def test_without_python_the_record_stays_too(flavor: str, solo: Path, tmp_path: Path) -> None:
    place = Place(flavor, tmp_path, solo)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "date", "mv", "rm", "cp", "git", "readlink", "cat"):
        for directory in ("/bin", "/usr/bin"):
            if (Path(directory) / name).exists():
                (tools / name).symlink_to(Path(directory) / name)
                break
    place.environ["PATH"] = str(tools)
    before = place.record.read_bytes()
    ran = run(
        place.scripts / "cancel.sh",
        place.workspace,
        place.environ,
        *["--session-id", "s1", "--mode", "team"],
        command=("/bin/bash",),
    )
    assert ran.code in (1, 2), ran.out
    assert place.record.read_bytes() == before
    assert "Team cancelled" not in ran.out


def test_an_inactive_record_needs_no_force(solo: Path, tmp_path: Path) -> None:
    place = Place("clear", tmp_path, solo)
    place.record.write_text('{"active": false}')
    ran = place.cancel("--json")
    assert (ran.code, ran.report["message"]) == (0, "No active PEP modes detected.")


def test_one_of_several_records_is_set_to_rest_where_the_contract_says_so(solo: Path, tmp_path: Path) -> None:
    """Scope all removes the record; a product whose force keeps to the session would leave it as its action says."""
    place = Place("deactivate", tmp_path, solo)
    path = place.scripts.parent / "contract.json"
    contract = json.loads(path.read_text())
    contract["flags"] = {
        name: flag | {"scope": "current", "urgency": "forced"} for name, flag in contract["flags"].items()
    }
    changed = tmp_path / "skill"
    import shutil

    shutil.copytree(place.scripts.parent, changed)
    (changed / "contract.json").write_text(json.dumps(contract))
    ran = run(changed / "scripts/cancel.py", place.workspace, place.environ, "--session-id", "s1", "--json", "--force")
    assert ran.code == 0, ran.out
    assert ran.mode()["message"] == "Team: its record is set to rest; nobody stopped its workers."
    assert json.loads(place.record.read_text())["active"] is False
