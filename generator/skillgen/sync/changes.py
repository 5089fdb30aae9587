"""Say in words what a sync changes: the contract's differences, and a commit message from them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from skillgen.drift.change import Change
from skillgen.drift.meaning import json_changes
from skillgen.errors import UsageError, to_write
from skillgen.model.fork import State
from skillgen.model.json_text import parse_json
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import Fork


def changes_of(fork: Fork, examiner: Examiner) -> list[Change] | None:
    """Return what the current contract says differently from the recorded one, what changes behaviour first.

    None if the recorded contract can neither be rendered again nor found in a history.
    """
    old, new = fork.recorded, fork.target
    if old.contract == new.contract or new.origin.upstream:
        return []
    key = (old.contract, new.contract)
    if key not in examiner.changes:
        examiner.changes[key] = _compare(fork, examiner)
    return examiner.changes[key]


def _compare(fork: Fork, examiner: Examiner) -> list[Change] | None:
    path = next(
        (path for path in fork.recorded.files if path.endswith("/contract.json")), "skills/cancel/contract.json"
    )
    before = examiner.bases.find(fork.recorded.contract, path, fork.recorded, fork.root)
    if before is None:
        return None
    files = examiner.targets.render(fork.target.id)[1]
    after = next(file.data for name, file in files.items() if name.endswith("/contract.json"))
    try:
        found = json_changes(parse_json(before), parse_json(after))
    except (KeyError, TypeError, ValueError):
        # A contract of another schema: it cannot be told from data that are gone.
        return None
    return sorted(found, key=lambda change: not change.behaviour)


def commit_message(forks: Iterable[tuple[Fork, Examiner]]) -> str:
    """Return subject and body for what was written into the forks; empty if nothing was."""
    pairs = [(fork, examiner) for fork, examiner in forks if fork.write or fork.remove or fork.lock_outdated]
    touched = [fork for fork, _ in pairs]
    if not touched:
        return ""
    targets = sorted({f"{fork.target.flavor} {fork.target.revision}" for fork in touched})
    found = _transitions(pairs)
    named = targets[0] if len(targets) == 1 else f"its current revision in {len(touched)} forks"
    followed = all(fork.target.origin.upstream for fork in touched)
    text = (
        f"Follow {named.replace('-', ' ').replace('its current', 'the current')}\n"
        if followed
        else f"Bring the cancel skill to {named}\n"
    )
    if moved := [f"from {before} to {after}" for before, after in found if before != after]:
        text += f"\nF{', '.join(moved)[1:]}.\n"
    changes = [change for one in found.values() for change in one or ()]
    text += _list("Changes in behaviour", [change.text for change in changes if change.behaviour])
    text += _list("Changes in words", [change.text for change in changes if not change.behaviour])
    if None in found.values():
        text += "\nAn earlier contract is not known here any more; see the text.\n"
    lone = len(touched) == 1
    for title, paths in (
        (
            "Local edits kept in",
            [_path_of(fork, path, lone) for fork in touched for path in sorted(_list_merged(fork))],
        ),
        ("Conflicts left in", [_path_of(fork, path, lone) for fork in touched for path in sorted(_conflicts(fork))]),
    ):
        text += _list(title, paths)
    return text


def write_message(path: str, text: str) -> None:
    """Write the message, or empty the file if there is nothing to say. Raises UsageError where the disk refuses."""
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})", to_write(error)) from None


def _transitions(forks: Iterable[tuple[Fork, Examiner]]) -> dict[tuple[str, str], list[Change] | None]:
    found: dict[tuple[str, str], list[Change] | None] = {}
    for fork, examiner in forks:
        before, after = (f"{entry.flavor} {entry.revision}" for entry in (fork.recorded, fork.target))
        found.setdefault((before, after), changes_of(fork, examiner))
    return found


def _list(title: str, items: list[str]) -> str:
    if not items:
        return ""
    wrapped = [
        textwrap.fill(item, 72, initial_indent="- ", subsequent_indent="  ", break_long_words=False)
        for item in dict.fromkeys(items)
    ]
    return f"\n{title}:\n" + "\n".join(wrapped) + "\n"


def _conflicts(fork: Fork) -> set[str]:
    return {file.path for file in fork.files if file.state is State.CONFLICT}


def _list_merged(fork: Fork) -> set[str]:
    return set(fork.merged) - _conflicts(fork)


def _path_of(fork: Fork, path: str, lone: bool) -> str:
    return path if lone else f"{fork.root}/{path}"
