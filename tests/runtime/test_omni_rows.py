"""copilot-omni: rows that are none, and a database that is locked when a run looks again."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.test_omni import Omni
from tests.runtime.world import Ran

LOOSE = "CREATE TABLE state(mode, body, session_id, updated_at, PRIMARY KEY(mode, session_id))"


@pytest.fixture
def omni(world: Worlds) -> Omni:
    """A database whose columns take anything, as those of versions before the sixth do."""
    return Omni(world("omni")).create(LOOSE, 5)


def insert(omni: Omni, mode: str, body: str, session: str) -> None:
    """A row of SQL literals."""
    db = sqlite3.connect(omni.path)
    with db:
        db.execute(f"INSERT INTO state VALUES ({mode}, {body}, {session}, 1.0)")
    db.close()


def count(omni: Omni) -> int:
    db = sqlite3.connect(omni.path)
    (found,) = db.execute("SELECT count(*) FROM state").fetchone()
    db.close()
    return found


ODD = {
    "a mode that is NULL": ("NULL", "'{}'", "'s9'"),
    "a mode that is a BLOB": ("x'72616c7068'", "'{}'", "'s9'"),
    "a mode that is a number": ("7", "'{}'", "'s9'"),
    "a mode that is no UTF-8": ("CAST(x'72ff' AS TEXT)", "'{}'", "'s9'"),
    "an id that is a BLOB": ("'ralph'", "'{}'", "x'733920ff'"),
    "an id that is a number": ("'ralph'", "'{}'", "9.5"),
    "an id that is no UTF-8": ("'ralph'", "'{}'", "CAST(x'73ff' AS TEXT)"),
    "an id that holds a NUL": ("'ralph'", "'{}'", "CAST(x'730039' AS TEXT)"),
    "a root row of no mode": ("NULL", "'{}'", "''"),
    "a root row of NULL session and mode": ("NULL", "'{}'", "NULL"),
}
KNOWN = [name for name in ODD if name != "an id that holds a NUL"]


@pytest.mark.parametrize("what", KNOWN)
def test_all_leaves_a_row_that_is_none_unresolved_and_goes_on(what: str, omni: Omni) -> None:
    insert(omni, *ODD[what])
    omni.put("ralph", {}, "s1")
    omni.put("ultraqa", {}, "zz")
    ran = omni.cancel("--all")
    assert (ran.code, ran.err) == (1, "")
    assert count(omni) == 1, "the odd row is not the only one left"
    assert ran.report["complete"] is False
    said = json.dumps(ran.report)
    assert str(omni.path) in said and "row" in said
    assert omni.world.run("--all").code == 1


@pytest.mark.parametrize("what", sorted(ODD))
def test_a_dry_run_of_all_foresees_it(what: str, omni: Omni) -> None:
    insert(omni, *ODD[what])
    foreseen = omni.cancel("--all", "--dry-run")
    done = omni.cancel("--all")
    assert (foreseen.code, foreseen.err) == (done.code, "")
    assert count(omni) == (0 if what not in KNOWN else 1)


@pytest.mark.parametrize("what", KNOWN)
def test_status_names_the_row_and_every_other(what: str, omni: Omni) -> None:
    insert(omni, *ODD[what])
    omni.put("ralph", {}, "s1")
    for form in (["--json"], []):
        ran = omni.world.run("status", *form)
        assert (ran.code, ran.err) == (1, ""), ran
        assert "ralph" in ran.out
    modes = [mode for entry in omni.world.run("status", "--json").report["sessions"] for mode in entry["modes"]]
    assert [mode["active"] for mode in modes if not mode["error"]] == [True]
    assert len([mode for mode in modes if mode["error"]]) == 1


def test_a_session_is_cancelled_beside_the_odd_rows_of_others(omni: Omni) -> None:
    for what in KNOWN:
        insert(omni, *ODD[what])
    omni.put("ralph", {}, "s1")
    before = count(omni)
    ran = omni.cancel(session="s1")
    assert (ran.code, ran.err) == (0, "")
    assert count(omni) == before - 1


@pytest.mark.parametrize("mode", ["NULL", "x'72616c7068'", "CAST(x'72ff' AS TEXT)"])
def test_a_row_of_the_session_itself_that_is_none_is_unresolved(mode: str, omni: Omni) -> None:
    insert(omni, mode, "'{}'", "'s1'")
    omni.put("ultraqa", {}, "s1")
    ran = omni.cancel(session="s1")
    assert (ran.code, ran.err) == (1, "")
    assert ran.mode("ultraqa")["outcome"] == "done"
    assert count(omni) == 1


@pytest.mark.parametrize("body", ["NULL", "7", "x'ff'", "CAST(x'7bff7d' AS TEXT)", "'[1]'", "1.5"])
@pytest.mark.parametrize("scope", [["--all"], []])
def test_a_body_that_is_no_object_is_unresolved_and_the_rest_goes_on(body: str, scope: list[str], omni: Omni) -> None:
    insert(omni, "'ralph'", body, "'s1'")
    omni.put("ultraqa", {}, "s1")
    ran = omni.cancel(*scope)
    assert (ran.code, ran.err) == (1, "")
    assert (ran.mode("ralph")["outcome"], ran.mode("ultraqa")["outcome"]) == ("failed", "done")
    assert count(omni) == 1


LOCKED = """
import os, runpy, sqlite3, sys
sys.path.insert(0, {scripts!r})
from cancel_runtime import ops
real, seen, holders = ops.do, [], []
def hook(when, name, target):
    if when == {moment!r} and (name, target.partition(" ")[0]) == ({operation!r}, {word!r}):
        seen.append(target)
        if len(seen) == {count}:
            holder = sqlite3.connect({path!r}, isolation_level=None)
            holder.execute("PRAGMA locking_mode = EXCLUSIVE")
            holder.execute("BEGIN EXCLUSIVE")
            holders.append(holder)
ops.hook = hook
sys.argv = ["cancel.py", *{arguments!r}]
runpy.run_path({script!r}, run_name="__main__")
"""


def run_locked(omni: Omni, arguments: list[str], moment: str, operation: str, word: str, times: int) -> Ran:
    """Another program takes the whole database at the given operation, and lets go only when the run is over."""
    skill = omni.world.skill
    contract = json.loads((skill / "contract.json").read_text())
    quick = omni.world.home / "quick"
    quick.mkdir()
    (quick / "scripts").symlink_to(skill / "scripts")
    contract["store"]["busy_ms"] = 50
    (quick / "contract.json").write_text(json.dumps(contract))
    values: dict[str, Any] = {"scripts": str(quick / "scripts"), "script": str(quick / "scripts/cancel.py")}
    values |= {"moment": moment, "operation": operation, "word": word, "count": times}
    values |= {"path": str(omni.path), "arguments": ["--json", *arguments]}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LOCKED).format(**values)],
        cwd=omni.world.workspace,
        env=omni.world.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def plain(world: Worlds) -> Omni:
    omni = Omni(world("omni")).create()
    db = sqlite3.connect(omni.path)
    db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    return omni


@pytest.mark.parametrize("arguments", [["--session-id", "s1"], ["--all"]])
@pytest.mark.parametrize("commits", [1, 2])
def test_locked_while_looking_again_is_unresolved_and_not_refused(
    arguments: list[str], commits: int, plain: Omni
) -> None:
    plain.put("ralph", {}, "s1")
    plain.put("ultraqa", {}, "s1")
    plain.put("ralph", {}, "s2")
    plain.put("swarm", {}, "")
    ran = run_locked(plain, arguments, "after", "commit", str(plain.path), commits)
    assert "Traceback" not in ran.err
    assert ran.code == 1, ran
    assert ran.report["complete"] is False
    assert "locked" in ran.out, "the report does not say why"
    assert len(plain.rows()) < 4, "nothing was deleted, so the test shows nothing"


def test_locked_before_anything_was_written_is_refused(plain: Omni) -> None:
    plain.put("ralph", {}, "s1")
    ran = run_locked(plain, ["--session-id", "s1"], "before", "sql", "SELECT", 1)
    assert (ran.code, ran.out) == (2, ""), ran
    assert len(plain.rows()) == 1


def test_a_python_without_sqlite_refuses_in_one_line(plain: Omni) -> None:
    plain.put("ralph", {}, "s1")
    script = plain.world.skill / "scripts/cancel.py"
    code = (
        "import sys; sys.modules['sqlite3'] = None; import runpy; "
        f"sys.argv = ['cancel.py', '--session-id', 's1']; runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=plain.world.workspace,
        env=plain.world.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "sqlite3" in done.stderr
