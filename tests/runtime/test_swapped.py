"""A directory that becomes a link after it was looked at leads nowhere: all is opened name by name from the named root."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import SCRIPTS, World

if str(SCRIPTS) not in sys.path:
    sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import disk, notices, roots
from cancel_runtime.run import main

MODE = {"omc": "ralph", "pep": "ralph", "rcs": "ultraqa", "omd": "ralplan"}


@pytest.fixture(autouse=True)
def no_named_root_stays() -> Iterator[None]:
    yield
    disk._named.clear()


def victim(w: World) -> Path:
    """State of another project, as the link would lead to it."""
    path = w.workspace.parent / "victim/state/sessions/s1" / f"{MODE[w.flavor]}-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true, "session_id": "s1"}')
    return path


def swap(directory: Path, target: Path) -> None:
    directory.rename(directory.with_name("aside"))
    directory.symlink_to(target)


@pytest.mark.parametrize("which", ["state", "base"])
@pytest.mark.parametrize("flavor", sorted(MODE))
def test_a_link_that_takes_the_place_of_the_root_after_the_check_is_not_followed(
    world: Worlds, flavor: str, which: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    w = world(flavor)
    if flavor in ("omc", "pep"):
        w.repository()
    w.record("s1", MODE[flavor], {"active": True})
    path = victim(w)
    before = path.read_bytes()
    place = roots.place

    def then_swap(*arguments: object) -> roots.Place:
        found = place(*arguments)
        swap(w.state if which == "state" else w.state.parent, path.parents[2] if which == "state" else path.parents[3])
        return found

    monkeypatch.setattr(roots, "place", then_swap)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1"], str(w.skill)) == 2
    said = capfd.readouterr()
    assert said.out == "" and "symlink" in said.err
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]


def test_the_settings_of_a_mode_are_not_written_through_a_link(
    world: Worlds, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    w = world("omc")
    w.repository()
    w.record("s1", "self-improve", {"active": True})
    settings = w.workspace / ".omc/self-improve/state/agent-settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"status": "running"}')
    other = w.workspace.parent / "victim/agent-settings.json"
    other.parent.mkdir()
    other.write_text('{"status": "running"}')
    stop: Callable[..., tuple[str, str]] = notices.stop_settings

    def swap_first(*arguments: object) -> tuple[str, str]:
        swap(settings.parent, other.parent)
        return stop(*arguments)

    monkeypatch.setattr(notices, "stop_settings", swap_first)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1"], str(w.skill)) == 1
    assert other.read_text() == '{"status": "running"}' and list(other.parent.iterdir()) == [other]
    assert "symlink" in capfd.readouterr().out


def test_the_trees_of_a_team_are_not_reached_through_a_link(tmp_path: Path) -> None:
    state, other = tmp_path / "ws/.rcs/state", tmp_path / "victim"
    (state / "team/t").mkdir(parents=True)
    (other / "team/t").mkdir(parents=True)
    (other / "team/t/config.json").write_text("{}")
    disk.name_root(str(tmp_path / "ws"))
    swap(state, other)
    for act in (
        lambda: disk.listed(str(state), "team"),
        lambda: disk.read(str(state), "team", "t", "config.json"),
        lambda: disk.write(b"x", str(state), "team", "t", "config.json"),
        lambda: disk.rename(str(state), ["team"], "t", "u"),
        lambda: disk.remove(str(state), ["team"], "t"),
    ):
        with pytest.raises(OSError, match="link"):
            act()
    assert (other / "team/t/config.json").read_text() == "{}"


def test_a_root_that_the_user_named_may_itself_be_a_link(world: Worlds) -> None:
    w = world("rcs")
    path = w.record("s1", "ultraqa", {"active": True})
    link = w.workspace.parent / "link"
    link.symlink_to(w.workspace)
    assert w.run("--session-id", "s1", "--workspace", str(link)).code == 0
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("flavor", ["omc", "rcs"])
def test_in_a_loop_of_swaps_the_other_projects_record_is_never_touched(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    if flavor == "omc":
        w.repository()
    path = victim(w)
    before = path.read_bytes()
    over = threading.Event()
    aside, link = w.state.with_name("aside"), w.state.with_name("link")
    w.state.mkdir(parents=True)
    link.symlink_to(path.parents[2])

    def swapping() -> None:
        while not over.is_set():
            w.state.rename(aside)
            link.rename(w.state)
            w.state.rename(link)
            aside.rename(w.state)

    thread = threading.Thread(target=swapping)
    thread.start()
    try:
        for _ in range(60):
            command = [sys.executable, str(w.skill / "scripts/cancel.py"), "--session-id", "s1"]
            subprocess.run(command, cwd=w.workspace, env=w.env, capture_output=True, check=False)
            assert path.read_bytes() == before
    finally:
        over.set()
        thread.join()
