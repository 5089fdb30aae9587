"""A build that is killed leaves nothing half-written, and the next one completes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from skillgen.model.lock import UNFINISHED

KILLER = Path(__file__).with_name("killed_build.py")
CALLS_OF_A_BUILD = 3 * 62 + 6
"""Write, mode and rename of each file, and of both locks."""


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def build(tmp_path: Path, out: Path, *more: str, kill_at: int | None = None) -> int:
    program = [str(KILLER), str(kill_at)] if kill_at is not None else ["-m", "skillgen"]
    arguments = ["build", "--flavor", "mine", "--flavors", str(tmp_path / "flavors"), "--out", str(out), *more]
    return subprocess.run([sys.executable, *program, *arguments], capture_output=True, check=False).returncode


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("killed")


def check_kill(tmp_path: Path, kill_at: int, *, change: bool) -> bool:
    """Kill a build at one call and hold the rest against whole builds; return whether it was killed at all."""
    flavor = tmp_path / "flavors/mine.yaml"
    flavor.parent.mkdir(exist_ok=True)
    out = tmp_path / f"out{kill_at}{change}"
    whole: list[dict[str, bytes]] = []
    for number, text in enumerate(["base: pep\nfront: {name: halt}\n", "base: pep\nproduct: {name: New}\n"]):
        flavor.write_text(text)
        if not (tmp_path / f"whole{number}").exists():
            assert build(tmp_path, tmp_path / f"whole{number}") == 0
        whole.append(files(tmp_path / f"whole{number}"))
        if number == 0 and change:
            assert build(tmp_path, out) == 0
    code = build(tmp_path, out, kill_at=kill_at)
    assert code in (0, 137)
    for path, data in files(out).items() if out.exists() else ():
        if UNFINISHED not in path and not path.endswith(".lock"):
            assert data in (whole[0].get(path), whole[1].get(path)), f"{path} is half-written"
    if build(tmp_path, out, "--check") == 0:
        assert {path: data for path, data in files(out).items() if path.startswith("mine/")} == {
            path: data for path, data in whole[1].items() if path.startswith("mine/")
        }
    # What the killed build was about is no longer wanted: nothing of it may stay behind.
    if kill_at % 2 and change:
        flavor.write_text("base: pep\nfront: {name: halt}\n")
        whole.reverse()
    assert build(tmp_path, out) == 0
    assert files(out) == whole[1]
    assert build(tmp_path, out, "--check") == 0
    return code == 137


@pytest.mark.parametrize(("kill_at", "change"), [(7, False), (1, True), (140, True)])
def test_a_killed_build_is_completed_or_undone_by_the_next(place: Path, kill_at: int, change: bool) -> None:
    assert check_kill(place, kill_at, change=change)


@pytest.mark.slow
@pytest.mark.parametrize("change", [False, True])
def test_a_build_may_be_killed_anywhere(place: Path, change: bool) -> None:
    killed = [check_kill(place, at, change=change) for at in [0, 2, 3, *range(20, CALLS_OF_A_BUILD + 90, 19), 999]]
    assert killed[0]
    assert not killed[-1], "the last point must lie past the end of the build"
