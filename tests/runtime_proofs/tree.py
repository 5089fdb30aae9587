"""Build a tree of files from data, and hold two states of it against each other."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

Snapshot = dict[str, tuple[str, int, bytes]]
"""Path to kind, mode bits and bytes (a link's target)."""


def build(base: Path, files: dict[str, Any]) -> None:
    """Write every path; a mapping or list is JSON, `{$text: …}` and the other `$` forms are what they say."""
    for name, body in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, body)


def write(path: Path, body: Any) -> None:
    special = next(iter(body)) if isinstance(body, dict) and len(body) == 1 else ""
    value = body[special] if special else None
    match special:
        case "$text":
            path.write_text(value, encoding="utf-8")
        case "$hex":
            path.write_bytes(bytes.fromhex(value))
        case "$dir":
            path.mkdir(exist_ok=True)
        case "$link":
            path.symlink_to(value)
        case "$fifo":
            os.mkfifo(path)
        case _:
            path.write_text(json.dumps(body, indent=2, ensure_ascii=False), encoding="utf-8")


def snapshot(base: Path) -> Snapshot:
    found: Snapshot = {}
    for directory, names, files in os.walk(base):
        for name in [*names, *files]:
            path = Path(directory) / name
            status = path.lstat()
            mode = stat.S_IMODE(status.st_mode)
            key = path.relative_to(base).as_posix()
            if stat.S_ISLNK(status.st_mode):
                found[key] = ("link", 0, bytes(path.readlink()))
            elif stat.S_ISDIR(status.st_mode):
                found[key] = ("directory", mode, b"")
            elif stat.S_ISREG(status.st_mode):
                found[key] = ("file", mode, path.read_bytes())
            else:
                found[key] = ("special", mode, b"")
    return found


def differences(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """Say per path what became of it: `gone`, `created` or `changed`; equal paths are left out."""
    said = {}
    for key in sorted({*before, *after}):
        if key not in after:
            said[key] = "gone"
        elif key not in before:
            said[key] = "created"
        elif before[key] != after[key]:
            said[key] = "changed"
    return said
