"""See how the files are called in which a product keeps its modes."""

from __future__ import annotations

import re
from collections import defaultdict

from skillgen.adopt.wanted import Target

_FILE = re.compile(r"[\w.<>{}$*-]+\.json\b", re.A)
#: What stands for a mode's name in the name of a file.
_PLACE = re.compile(r"^[\w.-]*(?:\{\w+\}|<\w+>|\$\{?\w+\}?|\*)[\w.-]*\.json$", re.A)
_OF_STATE = re.compile(r"state|active|mode|status", re.I)


def take_records(target: Target) -> None:
    """Take the pattern of the records' names from the files that the text names for its modes."""
    store = target.data["store"]
    if target.kin or store["kind"] != "files" or names_record(target, store["record"]):
        return
    found: dict[str, set[str]] = defaultdict(set)
    for file in _files(target):
        for name in _records(target):
            if match := re.fullmatch(rf"((?:[\w.-]*[-_.])?){re.escape(name)}((?:[-_.][\w.-]*)?\.json)", file):
                found[f"{match[1]}{{mode}}{match[2]}"].add(name)
    if found:
        target.lines[("store", "record")] = 0
        store["record"] = max(found, key=lambda pattern: len(found[pattern]))


def shared_record(target: Target) -> str:
    """Return the one file in which a text without state tools keeps all of its modes, '' where each has its own."""
    data = target.data
    if target.kin or data["store"]["kind"] != "files" or data["tools"] or names_record(target, data["store"]["record"]):
        return ""
    files = [file for file in _files(target) if not file.startswith("*")]
    if any(_PLACE.match(file) for file in files):
        return ""
    return next((file for file in files if _OF_STATE.search(file)), "")


def _files(target: Target) -> list[str]:
    return list(dict.fromkeys(target.evidence.all(_FILE)))


def _records(target: Target) -> list[str]:
    return [name for mode in target.data["modes"].values() for name in mode["records"]]


def names_record(target: Target, pattern: str) -> bool:
    """Whether the text names a file of that pattern, for a mode or for any."""
    before, _, after = pattern.partition("{mode}")
    names = [re.escape(name) for name in _records(target)]
    wanted = re.compile(
        rf"{re.escape(before)}(?:{'|'.join(names)}|\{{\w+\}}|<\w+>|\$\{{?\w+\}}?|\*){re.escape(after)}", re.A
    )
    return any(wanted.fullmatch(file) for file in _files(target))
