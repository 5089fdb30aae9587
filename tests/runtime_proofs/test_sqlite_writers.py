"""Cancel rows of a real SQLite database while others read, write and hold its lock."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from runtime_proofs import rows
from runtime_proofs.bundle import run
from runtime_proofs.scenario import Place, place

ROWS = {
    "s1": {"autopilot": {"phase": "build", "plan": ["ä", 1]}, "ralph": {"linked_ultrawork": True}, "ultrawork": {}},
    "s2": {"ralph": {"keep": 1}},
}


@pytest.fixture
def here(tmp_path: Path) -> Place:
    return place("omni", tmp_path / "b", rows=ROWS)


def database(here: Place) -> Path:
    assert here.database
    return here.database


@contextmanager
def lock(path: Path, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as other:
        other.execute(f"BEGIN {kind}")
        try:
            yield other
        finally:
            if other.in_transaction:
                other.execute("ROLLBACK")


def test_a_writer_that_lets_go_in_time_is_waited_for(here: Place) -> None:
    held = threading.Event()

    def hold() -> None:
        with lock(database(here)) as other:
            other.execute("INSERT INTO state VALUES ('ultraqa', '{\"late\": 1}', 's2', 1.0)")
            held.set()
            time.sleep(1.0)
            other.execute("COMMIT")

    writer = threading.Thread(target=hold)
    writer.start()
    held.wait()
    done = run("omni", ["--session-id", "s1", "--json"], cwd=here.cwd, home=here.home)
    writer.join()
    assert done.exit == 0, done
    left = {key: body for key, (body, _) in rows.read(database(here)).items()}
    assert left == {
        ("s1", "autopilot"): {"phase": "build", "plan": ["ä", 1], "active": False},
        ("s2", "ralph"): {"keep": 1},
        ("s2", "ultraqa"): {"late": 1},
    }


@pytest.mark.slow
def test_a_writer_that_never_lets_go_leaves_every_row_and_is_named(here: Place) -> None:
    before = rows.read(database(here))
    started = time.monotonic()
    with lock(database(here)):
        done = run("omni", ["--session-id", "s1", "--json"], cwd=here.cwd, home=here.home, timeout=90)
    took = time.monotonic() - started
    assert done.exit == 1 and "Traceback" not in done.stderr, done
    assert rows.read(database(here)) == before
    assert "lock" in (done.stdout + done.stderr).lower(), done
    assert took < 60, f"it waited {took:.0f} s"


def test_a_reader_with_an_open_snapshot_does_not_hinder(here: Place) -> None:
    with closing(sqlite3.connect(database(here), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM state").fetchone() == (4,)
        done = run("omni", ["--session-id", "s1"], cwd=here.cwd, home=here.home)
        assert done.exit == 0, done
        assert reader.execute("SELECT count(*) FROM state").fetchone() == (4,), "the snapshot changed under the reader"
        reader.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM state").fetchone() == (2,)


def test_a_field_that_a_live_server_writes_meanwhile_is_not_lost(here: Place) -> None:
    """Other rows, and other fields of the row that is marked, survive a writer that never rests."""
    stop = threading.Event()
    written: list[int] = []

    def write() -> None:
        with closing(sqlite3.connect(database(here), isolation_level=None, timeout=30)) as other:
            count = 0
            while not stop.is_set():
                count += 1
                other.execute("BEGIN IMMEDIATE")
                body = json.loads(
                    other.execute("SELECT body FROM state WHERE mode='autopilot' AND session_id='s1'").fetchone()[0]
                )
                body["count"] = count
                other.execute(
                    "UPDATE state SET body=?, updated_at=? WHERE mode='autopilot' AND session_id='s1'",
                    (json.dumps(body), time.time()),
                )
                other.execute("UPDATE state SET body=? WHERE session_id='s2'", (json.dumps({"keep": count}),))
                other.execute("COMMIT")
                written.append(count)
                time.sleep(0.002)

    writer = threading.Thread(target=write)
    writer.start()
    done = run("omni", ["--session-id", "s1", "--json"], cwd=here.cwd, home=here.home, timeout=60)
    stop.set()
    writer.join()
    assert done.exit == 0, done
    left = {key: body for key, (body, _) in rows.read(database(here)).items()}
    assert left["s1", "autopilot"] == {"phase": "build", "plan": ["ä", 1], "count": written[-1], "active": False}
    assert left["s2", "ralph"] == {"keep": written[-1]}


def test_a_row_that_a_server_puts_back_is_not_called_done(here: Place) -> None:
    with closing(sqlite3.connect(database(here))) as other:
        other.execute(
            "CREATE TRIGGER back AFTER DELETE ON state WHEN OLD.mode = 'ralph' BEGIN"
            " INSERT INTO state VALUES (OLD.mode, OLD.body, OLD.session_id, 2.0); END"
        )
        other.commit()
    done = run("omni", ["--session-id", "s1", "--json"], cwd=here.cwd, home=here.home)
    assert done.exit == 1 and done.report, done
    outcomes = {mode["mode"]: mode["outcome"] for session in done.report["sessions"] for mode in session["modes"]}
    assert outcomes["ralph"] == "failed", done


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "no-table", "a-directory"])
def test_what_is_no_database_of_omni_is_left_alone(damage: str, here: Place) -> None:
    path = database(here)
    for other in path.parent.glob("omni.db-*"):
        other.unlink()
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:3000])
    elif damage == "no-table":
        path.unlink()
        with closing(sqlite3.connect(path)) as made:
            made.execute("CREATE TABLE other (x)")
    elif damage == "a-directory":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(b"" if damage == "empty" else b"this is no database, but it is long enough to be read as one")
    before = path.read_bytes() if path.is_file() else b""
    done = run("omni", ["--session-id", "s1"], cwd=here.cwd, home=here.home)
    assert "Traceback" not in done.stderr, done
    assert done.exit in ((0, 1, 2) if damage in ("empty", "no-table") else (1, 2)), done
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert sorted(each.name for each in path.parent.iterdir()) == ["omni.db"]


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_an_older_table_is_read_as_it_is(version: int, tmp_path: Path) -> None:
    """Versions 1 to 5 have `mode` as sole key and maybe no session (facts, omni's table)."""
    here = place("omni", tmp_path / "b")
    path = here.home / ".omni/omni.db"
    path.parent.mkdir()
    session = "" if version < 4 else ", session_id TEXT"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        db.execute("INSERT INTO schema_version VALUES (?)", (version,))
        db.execute(f"CREATE TABLE state (mode TEXT PRIMARY KEY, body TEXT NOT NULL{session}, updated_at REAL NOT NULL)")
        values = ("ralph", '{"active": true}', 1.0) if not session else ("ralph", '{"active": true}', None, 1.0)
        db.execute(f"INSERT INTO state VALUES ({', '.join('?' * len(values))})", values)
        db.commit()
    done = run("omni", ["--session-id", "s1"], cwd=here.cwd, home=here.home)
    assert done.exit in (0, 1, 2) and "Traceback" not in done.stderr, done
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM state").fetchone() == (1,), (
            "a row of no session was taken for this one's"
        )
    done = run("omni", [], cwd=here.cwd, home=here.home)
    assert "Traceback" not in done.stderr, done
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM state").fetchone() == ((0,) if done.exit == 0 else (1,)), done


def test_no_database_is_ever_created(tmp_path: Path) -> None:
    here = place("omni", tmp_path / "b")
    for arguments in (["--session-id", "s1"], ["--all"], ["--all", "--dry-run"], ["status"], []):
        run("omni", arguments, cwd=here.cwd, home=here.home)
    assert list(here.home.iterdir()) == []


def test_looking_alone_never_writes_to_the_database(here: Place) -> None:
    path = database(here)
    before = path.read_bytes(), path.stat().st_mtime_ns
    for arguments in (["status", "--session-id", "s1"], ["--session-id", "s1", "--dry-run"], ["--all", "--dry-run"]):
        assert run("omni", arguments, cwd=here.cwd, home=here.home).exit == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
