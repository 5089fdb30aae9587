"""A stand-in of copilot-omni's state server, built from what the real one was seen to do (facts O1, O4, O17): no registry has it.

Rows of one SQLite table; a write replaces the body and ignores what it does not know; a clear says how many rows it deleted.
"""

import json
import os
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

DATABASE = Path(os.environ.get("OMNI_HOME") or Path.home() / ".omni") / "omni.db"
TABLE = (
    "CREATE TABLE IF NOT EXISTS state (mode TEXT NOT NULL, body TEXT NOT NULL, session_id TEXT NOT NULL DEFAULT '',"
    " updated_at REAL NOT NULL, PRIMARY KEY (mode, session_id))"
)


def connected():
    DATABASE.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(DATABASE, timeout=2, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    return db


def create():
    with closing(connected()) as db:
        db.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        if not db.execute("SELECT 1 FROM schema_version").fetchone():
            db.execute("INSERT INTO schema_version VALUES (6)")
        db.execute(TABLE)


def state_write(arguments):
    body = arguments.get("body", {})
    if not isinstance(body, dict):
        raise ValueError("/body expected 'object'")
    row = arguments["mode"], json.dumps(body), arguments.get("session_id") or "", time.time()
    with closing(connected()) as db:
        db.execute("INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?)", row)
    return {"ok": True}


def state_read(arguments):
    with closing(connected()) as db:
        if arguments.get("list"):
            rows = db.execute("SELECT mode, session_id, updated_at FROM state").fetchall()
            return {"rows": [dict(zip(("mode", "session_id", "updated_at"), row, strict=True)) for row in rows]}
        if "mode" not in arguments:
            return {"modes": [row[0] for row in db.execute("SELECT mode FROM state WHERE session_id = ''")]}
        key = arguments["mode"], arguments.get("session_id") or ""
        row = db.execute("SELECT body FROM state WHERE mode = ? AND session_id = ?", key).fetchone()
    return {"mode": key[0], "session_id": key[1], "body": json.loads(row[0]) if row else None}


def state_clear(arguments):
    mode, session = arguments.get("mode"), arguments.get("session_id")
    with closing(connected()) as db:
        if arguments.get("all"):
            done = db.execute("DELETE FROM state")
        elif mode:
            done = db.execute("DELETE FROM state WHERE mode = ? AND session_id = ?", (mode, session or ""))
        elif session:
            done = db.execute("DELETE FROM state WHERE session_id = ?", (session,))
        else:
            raise ValueError("mode, session_id, or all=true required")
        return {"deleted": done.rowcount}


TOOLS = {"state_write": state_write, "state_read": state_read, "state_clear": state_clear}


def answer(message):
    if message["method"] == "initialize":
        server = {"name": "copilot-omni stand-in", "version": "0"}
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": server}}
    name, arguments = message["params"]["name"], message["params"]["arguments"]
    if name not in TOOLS:
        return {"error": {"code": -32601, "message": f"unknown tool {name}"}}
    try:
        return {"result": {"content": [{"type": "text", "text": json.dumps(TOOLS[name](arguments))}]}}
    except sqlite3.OperationalError as error:
        return {"error": {"code": -32000, "message": f"{name}: {error}"}}
    except (ValueError, KeyError) as error:
        return {"error": {"code": -32602, "message": str(error)}}


if __name__ == "__main__":
    create()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message)}), flush=True)
