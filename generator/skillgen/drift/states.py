"""Tell the state of one file from what was written, what would be written now and what is there."""

from __future__ import annotations

from collections.abc import Mapping

from skillgen.drift.bundle import mode_detail
from skillgen.model.fork import State
from skillgen.model.lock import Mark

Seen = tuple[State, bool, str]
"""State, edited, detail."""


def classify(old: Mark | None, new: Mark | None, now: Mark | None, forms: Mapping[str, str]) -> Seen | None:
    """Return the file's state; None where there is nothing to say of it.

    `forms`: digest -> words of all that the file is but for its form; needed only where `now` fits neither mark.
    A file that was changed on both sides is given as outdated and edited: whether it merges, only merging tells.
    """
    if now is None:
        if new is None:
            return None
        return State.MISSING, False, "" if old else "is new"
    like_new, said_new = _compare_marks(new, now, forms)
    like_old, said_old = _compare_marks(old, now, forms)
    if new is None:
        if old is None:
            return State.UNEXPECTED, False, ""
        return State.RETIRED, not like_old, said_old
    if like_new:
        if now.executable != new.executable and (old is None or old.executable == new.executable or not like_old):
            return State.EDITED, True, mode_detail(new, Mark(new.digest, now.executable))
        if now.executable != new.executable:
            return State.OUTDATED, False, "the mode changes"
        return State.CURRENT, False, said_new
    if len(now.digest) < 64:
        kind = "is a symbolic link" if now.digest == "link" else "is no regular file"
        same = old is not None and old.digest == new.digest
        return (State.EDITED if same else State.CONFLICT), True, kind
    if old is None:
        return State.CONFLICT, True, "stands where a new file would be written"
    if like_old:
        return State.OUTDATED, False, said_old
    if old.digest == new.digest:
        return State.EDITED, True, ""
    return State.OUTDATED, True, ""


def _compare_marks(mark: Mark | None, now: Mark, forms: Mapping[str, str]) -> tuple[bool, str]:
    if mark is None:
        return False, ""
    if mark.digest == now.digest:
        return True, ""
    return mark.digest in forms, forms.get(mark.digest, "")
