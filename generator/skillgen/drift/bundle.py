"""Hold a bundle's directory against what was written and what would be written now."""

from __future__ import annotations

from dataclasses import dataclass

from skillgen.model.lock import Entry, Mark, Marks

NO_FILE = Mark("", False)


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One file that is not as it would be written now."""

    path: str
    """Relative to the bundle's root; `skillgen.lock` for the lock's own entry."""
    state: str
    """`missing`, `outdated`, `edited`, `retired` (no longer rendered), `unexpected` (no build wrote it), `lock`."""
    detail: str = ""


def compare(recorded: Marks, expected: Marks, actual: Marks) -> list[Difference]:
    """Return every file whose state is not that of `expected`, sorted by path."""
    found = []
    for path in sorted({*expected, *actual}):
        old, new, now = (marks.get(path, NO_FILE) for marks in (recorded, expected, actual))
        if new == now:
            continue
        if path not in actual:
            found.append(Difference(path, "missing"))
        elif path not in expected:
            found.append(Difference(path, "retired" if old == now else "unexpected"))
        elif old == now:
            found.append(Difference(path, "outdated"))
        else:
            found.append(Difference(path, "edited", mode_detail(new, now)))
    return found


def mode_detail(new: Mark, now: Mark) -> str:
    """Say what differs where it is not the text: the mode, or that it is no file."""
    if now.digest == "link":
        return "is a symbolic link"
    if now.digest == new.digest:
        return "is executable" if now.executable else "is not executable"
    return ""


def compare_entries(recorded: Entry | None, expected: Entry) -> list[Difference]:
    """Return what is wrong with the lock's entry of a bundle."""
    if recorded is None:
        return [Difference("skillgen.lock", "lock", f"has no entry for {expected.id}")]
    if not recorded.sealed:
        return [Difference("skillgen.lock", "lock", f"the entry of {expected.id} was merged or edited by hand")]
    if not recorded.same_result(expected):
        return [Difference("skillgen.lock", "lock", f"the entry of {expected.id} describes another rendering")]
    return []


def in_words(expected: bytes, actual: bytes) -> str:
    """Name a difference that is only one of line ends or of the final newline; empty for any other."""
    folded = actual.replace(b"\r\n", b"\n")
    if folded == expected:
        return "only the line ends differ (CRLF)"
    if folded.rstrip(b"\n") == expected.rstrip(b"\n"):
        return "only the final newline differs"
    return ""
