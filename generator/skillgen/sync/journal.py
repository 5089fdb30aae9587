"""Change many files of a directory as one: what was begun is finished by the next run, wherever the first was killed."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from skillgen.errors import UsageError
from skillgen.load.files import read
from skillgen.load.fork import behind_link
from skillgen.model.json_text import parse_json
from skillgen.model.lock import UNFINISHED
from skillgen.pack.write import Writer, remove

NAME = ".skillgen-adopting"
"""Lies in the directory from the moment on at which all is decided until all is done."""
_LARGEST = 64 << 20


def change(root: str, files: Mapping[str, tuple[bytes, int]], removed: list[str]) -> None:
    """Write and remove all of it, in this run or in the next; raises UsageError where nothing was done.

    The last of `files` goes into place after all others.
    """
    for path in (*files, *removed):
        if behind_link(root, path):
            raise UsageError(f"{root}/{path}: lies behind a symbolic link; nothing is written through it, remove it")
    steps = [
        {"path": path, "mode": mode, "old": _digest(root, path), "data": base64.b64encode(data).decode()}
        for path, (data, mode) in files.items()
    ]
    steps += [{"path": path, "old": _digest(root, path)} for path in removed]
    with Writer(root) as writer:
        writer.stage(NAME, json.dumps({"steps": steps}).encode(), 0o600)
        writer.commit()
    finish(root)


def finish(root: str) -> bool:
    """Do what is left of a change that was decided, and tell whether there was one."""
    place = os.path.join(root, NAME)
    if not os.path.lexists(place):
        return False
    steps = _read_steps(root, place)
    for step in steps:
        now = _digest(root, step["path"])
        if now not in (step["old"], _result_digest(step)):
            raise UsageError(
                f"{root}/{step['path']}: was changed while an adoption was under way; take the change back, or "
                f"remove {place} and look at git status"
            )
    with Writer(root) as writer:
        for step in steps:
            if "data" in step and _digest(root, step["path"]) != _result_digest(step):
                writer.stage(step["path"], base64.b64decode(step["data"]), step["mode"])
        writer.commit()
    for step in steps:
        if "data" not in step:
            remove(root, step["path"])
    for directory in {os.path.dirname(step["path"]) for step in steps}:
        _sweep(root, directory)
    _sweep(root, "")
    remove(root, NAME)
    return True


def _sweep(root: str, directory: str) -> None:
    top = os.path.join(root, directory)
    if os.path.isdir(top) and not os.path.islink(top):
        for name in os.listdir(top):
            if name.startswith(UNFINISHED):
                remove(root, f"{directory}/{name}".lstrip("/"))


def _read_steps(root: str, place: str) -> list[dict[str, Any]]:
    """Return the steps; raise UsageError for a file that no skillgen wrote there."""
    wrong = UsageError(f"{place}: is damaged; remove it and run skillgen adopt again")
    if os.path.islink(place) or not os.path.isfile(place) or os.path.getsize(place) > _LARGEST:
        raise wrong
    try:
        steps: list[dict[str, Any]] = parse_json(read(place))["steps"]
        for step in steps:
            parts = str(step["path"]).lower().split("/")
            bad = {"", ".", "..", ".git"} & set(parts) or any("\\" in part or ":" in part for part in parts)
            if bad or behind_link(root, step["path"]) or not isinstance(step["old"], str):
                raise wrong
            if "data" in step:
                base64.b64decode(step["data"], validate=True)
                if step["mode"] not in (0o644, 0o755):
                    raise wrong
    except (ValueError, KeyError, TypeError):
        raise wrong from None
    return steps


def _digest(root: str, path: str) -> str:
    target = os.path.join(root, path)
    return hashlib.sha256(read(target)).hexdigest() if os.path.isfile(target) else ""


def _result_digest(step: dict[str, Any]) -> str:
    return hashlib.sha256(base64.b64decode(step["data"])).hexdigest() if "data" in step else ""
