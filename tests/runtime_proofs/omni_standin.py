"""A stand-in of copilot-omni, built from what its programs were seen to do (facts O1, O8, O17, O22, O24): no registry has the real one.

Its state tools work on its database as the real ones do, its skills keep a mode going while its row does not say that it is over, and
`holds` is what a user of it would still find at work.
"""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

MODES = ("autopilot", "ralph", "ultrawork", "ultraqa", "ultrapilot", "pipeline", "plan", "ralplan", "self-improve")
NESTED = ("autopilot.ralph", "autopilot.ralplan", "ralplan.critic")
OVER = ("done", "failed", "cancelled", "cleaned")


class Standin:
    def __init__(self, home: Path) -> None:
        self.path = home / ".omni/omni.db"
        self.path.parent.mkdir(parents=True)
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
            db.execute("INSERT INTO schema_version VALUES (6)")
            db.execute(
                "CREATE TABLE state (mode TEXT NOT NULL, body TEXT NOT NULL, session_id TEXT NOT NULL DEFAULT '',"
                " updated_at REAL NOT NULL, PRIMARY KEY (mode, session_id))"
            )
            db.commit()

    # Its tools

    def state_write(self, mode: str, session_id: str | None = None, **arguments: Any) -> None:
        """Replace `body`; an unknown argument is ignored, and then the body becomes `{}`."""
        body = json.dumps(arguments.get("body", {}))
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?)", (mode, body, session_id or "", time.time()))
            db.commit()

    def state_read(self) -> list[dict[str, Any]]:
        """What `list=true` answers, with the bodies that a skill reads one by one."""
        with closing(sqlite3.connect(self.path)) as db:
            rows = db.execute("SELECT mode, session_id, body FROM state ORDER BY 2, 1").fetchall()
        return [{"mode": mode, "session_id": session, "body": json.loads(body)} for mode, session, body in rows]

    def state_clear(self) -> None:
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("DELETE FROM state")
            db.commit()

    # Its skills

    def holds(self, session: str) -> set[str]:
        """Modes that go on in a session: a row is enough, whatever else it says, unless it says that it is over."""
        return {
            row["mode"]
            for row in self.state_read()
            if row["session_id"] == session and ":" not in row["mode"] and not over(row["mode"], row["body"])
        }


def over(mode: str, body: dict[str, Any]) -> bool:
    if "active" in body and body["active"] in (False, None, 0, "false"):
        return True
    return mode.split(".")[0] == "team" and body.get("state") in OVER
