"""Build and read the database of the flavor that keeps rows."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

Rows = dict[tuple[str, str], tuple[Any, float]]
"""(session, mode) to body and time."""

OLD = 1_700_000_000.0
"""Time of every row that a test sets up."""


def create(path: Path, rows: dict[str, dict[str, Any]], *, version: int = 6) -> None:
    """Make the table as the product's sixth version does; a text body is stored as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        db.execute("INSERT INTO schema_version VALUES (?)", (version,))
        db.execute(
            "CREATE TABLE state (mode TEXT NOT NULL, body TEXT NOT NULL, session_id TEXT NOT NULL DEFAULT '',"
            " updated_at REAL NOT NULL, PRIMARY KEY (mode, session_id))"
        )
        db.execute("CREATE UNIQUE INDEX idx_state_mode_session ON state (mode, session_id)")
        db.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, body TEXT)")
        db.execute("INSERT INTO events (body) VALUES ('kept')")
        for session, modes in rows.items():
            for mode, body in modes.items():
                text = body if isinstance(body, str) else json.dumps(body)
                db.execute("INSERT INTO state VALUES (?, ?, ?, ?)", (mode, text, session, OLD))
        db.commit()


def read(path: Path) -> Rows:
    if not path.exists():
        return {}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT body FROM events").fetchall() == [("kept",)]
        found = db.execute("SELECT session_id, mode, body, updated_at FROM state ORDER BY 1, 2").fetchall()
    return {(session, mode): (_parsed(body), updated) for session, mode, body, updated in found}


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body
