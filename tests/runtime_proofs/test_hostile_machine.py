"""Run the scripts where files cannot be read or written, disks are full and clocks are wrong."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime_proofs import tree
from runtime_proofs.bundle import Result, environment, python, run, skill
from runtime_proofs.scenario import Place, place

FILES = ("rcs", "pep", "omc", "omd")
WRITES = {"rcs": "autopilot", "pep": "autopilot", "omc": "autopilot"}
MODE = {"rcs": "pipeline", "pep": "pipeline", "omc": "pipeline", "omd": "ralplan"}


def state(here: Place) -> Path:
    return next(path for path in (here.base / "ws").glob(".*/state") if path.parent.name != ".git")


@pytest.fixture(scope="module")
def plain_user() -> tuple[str, ...]:
    """A prefix under which permission bits count, as they do for everybody but root."""
    if os.geteuid() != 0:
        return ()
    if not shutil.which("setpriv"):
        pytest.skip("running as root without setpriv: permission bits do not count")
    prefix = (
        "setpriv",
        "--bounding-set",
        "-dac_override,-dac_read_search",
        "--inh-caps",
        "-dac_override,-dac_read_search",
    )
    probe = subprocess.run([*prefix, "cat", "/proc/self/status"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip(f"setpriv does not work here: {probe.stderr.decode().strip()}")
    return prefix


def bits(path: Path) -> dict[str, int]:
    return {str(each): each.lstat().st_mode for each in [path, *path.rglob("*")]}


@pytest.mark.parametrize("how", ["py", "bare"])
@pytest.mark.parametrize("flavor", FILES)
@pytest.mark.parametrize("what", ["record", "session", "sessions", "state"])
def test_what_cannot_be_read_is_unresolved(
    flavor: str, what: str, how: str, tmp_path: Path, plain_user: tuple[str, ...]
) -> None:
    here = place(flavor, tmp_path / "b", {f"@s1/{MODE[flavor]}": "active"})
    path = {
        "record": state(here) / f"sessions/s1/{MODE[flavor]}-state.json",
        "session": state(here) / "sessions/s1",
        "sessions": state(here) / "sessions",
        "state": state(here),
    }[what]
    before = tree.snapshot(here.base)
    path.chmod(0)
    arguments = ["--session-id", "s1", *(["--mode", MODE[flavor]] if how == "bare" else [])]
    done = run(flavor, arguments, cwd=here.cwd, home=here.home, how=how, prefix=plain_user)
    path.chmod(before[path.relative_to(here.base).as_posix()][1])
    assert tree.differences(before, tree.snapshot(here.base)) == {}, done
    assert done.exit in (1, 2) and "Traceback" not in done.stderr, done
    assert done.stderr.strip() + done.stdout.strip()


@pytest.mark.parametrize("how", ["py", "bare"])
@pytest.mark.parametrize("flavor", FILES)
def test_a_read_only_session_stays_whole(flavor: str, how: str, tmp_path: Path, plain_user: tuple[str, ...]) -> None:
    here = place(flavor, tmp_path / "b", {f"@s1/{MODE[flavor]}": "active"})
    directory = state(here) / "sessions/s1"
    before = tree.snapshot(directory)
    directory.chmod(0o555)
    arguments = ["--session-id", "s1", *(["--mode", MODE[flavor]] if how == "bare" else [])]
    done = run(flavor, arguments, cwd=here.cwd, home=here.home, how=how, prefix=plain_user)
    directory.chmod(0o755)
    assert tree.snapshot(directory) == before, done
    assert done.exit in (1, 2) and "Traceback" not in done.stderr, done


@pytest.mark.parametrize("flavor", FILES)
def test_one_unreadable_session_does_not_stop_the_others(
    flavor: str, tmp_path: Path, plain_user: tuple[str, ...]
) -> None:
    here = place(flavor, tmp_path / "b", {f"@s1/{MODE[flavor]}": "active", f"@s2/{MODE[flavor]}": "active"})
    locked = state(here) / "sessions/s1"
    locked.chmod(0)
    done = run(flavor, ["--all", "--json"], cwd=here.cwd, home=here.home, prefix=plain_user)
    locked.chmod(0o755)
    assert done.exit == 1 and done.report, done
    assert (locked / f"{MODE[flavor]}-state.json").exists()
    assert not (state(here) / f"sessions/s2/{MODE[flavor]}-state.json").exists(), done


def limited(flavor: str, here: Place, limit: int) -> Result:
    """Run with a limit on the size of a written file: what a full disk does, at the first byte too many."""
    full = [python(), str(skill(flavor) / "scripts" / "cancel.py"), "--session-id", "s1", "--json"]
    done = subprocess.run(
        full,
        cwd=here.cwd,
        env={**environment(here.home, {}), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("limit", [0, 1, 100, 4000])
@pytest.mark.parametrize("flavor", sorted(WRITES))
def test_a_write_that_is_cut_short_leaves_the_record_as_it_was(flavor: str, limit: int, tmp_path: Path) -> None:
    here = place(flavor, tmp_path / "b", {"@s1/autopilot": {"active": True, "plan": "x" * 8000}})
    before = tree.snapshot(here.base)
    done = limited(flavor, here, limit)
    after = {name: value for name, value in tree.snapshot(here.base).items() if "cancel-signal" not in name}
    assert tree.differences(before, after) == {}, done
    assert done.exit == 1 and "Traceback" not in done.stderr, done


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    where = tmp_path / "disk"
    where.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(where)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield where
    subprocess.run(["umount", "-l", str(where)], check=True)


@pytest.mark.parametrize("flavor", sorted(WRITES))
def test_a_full_disk_leaves_the_record_as_it_was(flavor: str, small_disk: Path) -> None:
    here = place(
        flavor, small_disk / "b", {"@s1/autopilot": {"active": True, "plan": "x" * 8000}, "@s1/pipeline": "active"}
    )
    with pytest.raises(OSError, match="No space"), (small_disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 512)
    path = state(here) / "sessions/s1/autopilot-state.json"
    before = path.read_bytes()
    done = run(flavor, ["--session-id", "s1", "--json"], cwd=here.cwd, home=here.home)
    assert done.exit == 1 and "Traceback" not in done.stderr, done
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir() if "tmp" in each.name or "lock" in each.name] == []
    (small_disk / "filler").unlink()
    assert run(flavor, ["--session-id", "s1"], cwd=here.cwd, home=here.home).exit == 0
    assert json.loads(path.read_bytes())["active"] is False


CLOCK = """
import runpy, sys
sys.path.insert(0, {scripts!r})
from cancel_runtime import ops
ops.now_ms = lambda: {now}
sys.argv = ["cancel.py", "--session-id", "s1", "--json"]
runpy.run_path({script!r}, run_name="__main__")
"""


@pytest.mark.parametrize("now", [0, 1, 951_782_400_000, 4_102_444_800_000, 253_402_300_799_999])
@pytest.mark.parametrize("flavor", ["rcs", "omc"])
def test_a_wrong_clock_cancels_all_the_same(flavor: str, now: int, tmp_path: Path) -> None:
    files: dict[str, Any] = {"@s1/autopilot": {"active": True}, "@s1/pipeline": "active", "@s1/forge": "active"}
    here = place(flavor, tmp_path / "b", files if flavor == "rcs" else {**files, "@s1/ralph": "active"})
    scripts = skill(flavor) / "scripts"
    code = CLOCK.format(scripts=str(scripts), script=str(scripts / "cancel.py"), now=now)
    done = subprocess.run(
        [python(), "-c", code],
        cwd=here.cwd,
        env=environment(here.home, {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    left = {path.name for path in (state(here) / "sessions/s1").iterdir()}
    assert "pipeline-state.json" not in left and "autopilot-state.json" in left


def test_a_report_that_cannot_be_printed_does_not_undo_the_cancel(tmp_path: Path) -> None:
    here = place("pep", tmp_path / "b", {"@s1/pipeline": "active"})
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [python(), str(skill("pep") / "scripts/cancel.py"), "--session-id", "s1"],
            cwd=here.cwd,
            env=environment(here.home, {}),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert not (state(here) / "sessions/s1/pipeline-state.json").exists()
    assert "Traceback" not in done.stderr and done.returncode != 0, done


def test_a_closed_output_does_not_undo_the_cancel(tmp_path: Path) -> None:
    here = place("pep", tmp_path / "b", {"@s1/pipeline": "active"})
    command = f"exec {python()} {skill('pep') / 'scripts/cancel.py'} --session-id s1 >&- 2>&- <&-"
    subprocess.run(["bash", "-c", command], cwd=here.cwd, env=environment(here.home, {}), check=False)
    assert not (state(here) / "sessions/s1/pipeline-state.json").exists()


@pytest.mark.parametrize("flavor", ["rcs", "omd"])
def test_a_workspace_inside_the_skill_is_refused(flavor: str, tmp_path: Path) -> None:
    copy = tmp_path / "skill"
    shutil.copytree(skill(flavor), copy)
    done = subprocess.run(
        [python(), str(copy / "scripts/cancel.py"), "--session-id", "s1"],
        cwd=copy / "scripts",
        env=environment(tmp_path, {"PYTHONDONTWRITEBYTECODE": "1"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "--workspace" in done.stderr
