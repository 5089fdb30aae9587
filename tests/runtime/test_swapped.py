"""A directory that becomes a link after it was looked at leads nowhere: all is opened name by name from the named root."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import SCRIPTS, World

if str(SCRIPTS) not in sys.path:
    sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import disk, notices, roots, store_rows
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


def rows(path: Path, *modes: str) -> Path:
    """A database of omni with these active rows of session s1."""
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE state (mode TEXT, body TEXT, session_id TEXT, updated_at REAL)")
        db.executemany("INSERT INTO state VALUES (?, '{\"active\": true}', 's1', 1)", [(mode,) for mode in modes])
    db.close()
    return path


def kept(path: Path) -> list[str]:
    with sqlite3.connect(path) as db:
        found = [mode for (mode,) in db.execute("SELECT mode FROM state ORDER BY mode")]
    db.close()
    return found


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("when", ["before it is opened", "while it is opened", "once it is open"])
def test_a_link_that_takes_the_place_of_the_databases_directory_is_not_followed(
    world: Worlds, when: str, listed: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    w = world("omni")
    own = rows(w.home / ".omni/omni.db", "ralph", "ultraqa")
    other = rows(w.workspace.parent / "victim/omni.db", "ralph", "ultraqa")
    before = other.read_bytes()
    connect = sqlite3.connect

    def swapped(*arguments: Any, **options: Any) -> sqlite3.Connection:
        if when != "once it is open":
            swap(own.parent, other.parent)
        made = connect(*arguments, **options)
        if when == "once it is open":
            swap(own.parent, other.parent)
        elif when == "while it is opened":
            own.parent.unlink()
            own.parent.with_name("aside").rename(own.parent)
        return made

    monkeypatch.setattr(sqlite3, "connect", swapped)
    if not listed:  # then only the path can tell
        if when == "while it is opened":
            pytest.skip("nothing shows what was opened")
        monkeypatch.setattr("cancel_runtime.store_rows._open_files", dict)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1"], str(w.skill)) == 2
    said = capfd.readouterr()
    assert said.out == "" and "exchanged" in said.err
    assert (other.read_bytes(), list(other.parent.iterdir())) == (before, [other])
    monkeypatch.undo()
    place = own.parent if when == "while it is opened" else own.parent.with_name("aside")
    assert kept(place / own.name) == ["ralph", "ultraqa"]


def test_a_journal_that_would_lie_elsewhere_ends_the_change(
    world: Worlds, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    w = world("omni")
    own = rows(w.home / ".omni/omni.db", "ralph", "ultraqa")
    with sqlite3.connect(own) as db:
        db.execute("PRAGMA journal_mode=DELETE")
    db.close()
    other = rows(w.workspace.parent / "victim/omni.db", "ralph")
    before = other.read_bytes()
    judge = store_rows.Store._decide

    def swap_first(self: store_rows.Store, *arguments: Any) -> Any:
        if not own.parent.is_symlink():
            swap(own.parent, other.parent)
        return judge(self, *arguments)

    monkeypatch.setattr(store_rows.Store, "_decide", swap_first)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1"], str(w.skill)) == 1
    assert "ralph (session s1): failed" in capfd.readouterr().out
    assert (other.read_bytes(), list(other.parent.iterdir())) == (before, [other])
    monkeypatch.undo()
    assert kept(own.parent.with_name("aside") / own.name) == ["ralph", "ultraqa"]


def test_a_home_that_is_a_link_and_one_that_a_variable_names_are_entered(world: Worlds) -> None:
    w = world("omni")
    own = rows(w.workspace.parent / "elsewhere/omni.db", "ralph")
    link = w.workspace.parent / "link"
    link.symlink_to(own.parent)
    assert w.run("--session-id", "s1", OMNI_HOME=str(link)).code == 0
    assert kept(own) == []
    own = rows(w.home / ".omni/omni.db", "ralph")
    home = w.workspace.parent / "home link"
    home.symlink_to(w.home)
    assert w.run("--session-id", "s1", HOME=str(home)).code == 0
    assert kept(own) == []


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


EXCHANGED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from cancel_runtime import store_rows
from cancel_runtime.run import end, main
own, aside, victim, when = sys.argv[3:7]
looked = []
same = store_rows.Store._check_opened

def swap():
    os.rename(own, aside)
    os.symlink(victim, own)

def swapped(self):
    looked.append(1)
    if when == "the log is opened elsewhere" and len(looked) == 2:
        os.unlink(own)
        os.rename(aside, own)
    same(self)
    if when == "the log is opened elsewhere" and len(looked) == 1:
        swap()

store_rows.Store._check_opened = swapped
if when == "at the end":
    work = store_rows.Store.close
    def close(self):
        swap()
        work(self)
    store_rows.Store.close = close
end(main(["--session-id", "s9"], sys.argv[2]))
"""


def crashed(path: Path, mode: str) -> None:
    """A database whose last row stands in its write-ahead log alone, since who wrote it ended without closing it."""
    script = (
        "import os, sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('PRAGMA journal_mode=WAL'); "
        "db.execute('INSERT INTO state VALUES (?, ?, ?, 1)', (sys.argv[2], '{}', 's1')); db.commit(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, path, mode], check=True)
    assert path.with_name(path.name + "-wal").stat().st_size


@pytest.mark.parametrize("when", ["the log is opened elsewhere", "at the end"])
def test_no_write_ahead_log_is_moved_or_deleted_where_the_directory_was_exchanged(world: Worlds, when: str) -> None:
    w = world("omni")
    own = rows(w.home / ".omni/omni.db", "ralph")
    other = rows(w.workspace.parent / "victim/omni.db", "ralph")
    crashed(own, "ultraqa")
    crashed(other, "pipeline")
    before = {path: path.read_bytes() for path in other.parent.iterdir() if not path.name.endswith("-shm")}
    places = [str(path) for path in (own.parent, own.parent.with_name("aside"), other.parent)]
    done = subprocess.run(
        [sys.executable, "-c", EXCHANGED, str(SCRIPTS), str(w.skill), *places, when],
        cwd=w.workspace,
        env=w.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (2 if when == "the log is opened elsewhere" else 0), done
    assert {path: path.read_bytes() for path in before} == before
    if own.parent.is_symlink():
        own.parent.unlink()
        own.parent.with_name("aside").rename(own.parent)
    assert kept(own) == ["ralph", "ultraqa"] and kept(other) == ["pipeline", "ralph"]
