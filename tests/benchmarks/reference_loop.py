"""Clear every session by the same calls as the runtime, with none of its thought: what its speed is held against."""

from __future__ import annotations

import json
import os
import sys
import uuid
from pathlib import Path

MODE = {"omx": "ralph", "rcs": "ultraqa", "pep": "ultraqa", "omc": "ralph", "omd": "ralph"}


def synced(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(descriptor)
    os.close(descriptor)


def published(path: Path, data: bytes, *, link: bool) -> None:
    """Write a temporary file, sync it, and give it its name by link(2) (a lock) or rename (a signal)."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    if link:
        os.link(temporary, path)
        temporary.unlink()
    else:
        temporary.rename(path)
        synced(path.parent)


def reference(flavor: str, sessions: str) -> None:
    """The same reads, locks, signals, removals and syncs, with none of the thought."""
    for where in sorted(Path(sessions).iterdir()):
        record = where / f"{MODE[flavor]}-state.json"
        if json.loads(record.read_bytes())["active"] is not True:
            continue
        if flavor == "omc":
            published(where / "cancel-signal-state.json", b"x" * 180, link=False)
            lock = record.with_name(record.name + ".mutation.lock")
            published(lock, b"x" * 150, link=True)
            json.loads(record.read_bytes())
            record.unlink()
            synced(where)
            lock.unlink()
        else:
            json.loads(record.read_bytes())
            record.unlink()
            synced(where)
            where.rmdir()


if __name__ == "__main__":
    reference(*sys.argv[1:])
