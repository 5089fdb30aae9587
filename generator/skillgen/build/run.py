"""Bring the bundles of an output directory up to date, or say what differs there from what would be rendered now."""

from __future__ import annotations

from collections.abc import Sequence

from skillgen.build.inputs import Inputs
from skillgen.build.locks import is_current, read_lock
from skillgen.build.outcome import Bundle
from skillgen.pack.output import check_output, tidy


def build(inputs: Inputs, ids: Sequence[str], out: str, *, check: bool) -> list[Bundle]:
    """Return what was done with each bundle, in the order of `ids`; with `check` nothing is written.

    Only what digests do not prove to be current is resolved and rendered. Raises UsageError for an output that may not
    be written, InputError with every problem of all files.
    """
    check_output(out, ids, inputs.places)
    if not check:
        tidy(out)
    lock = read_lock(out)
    stale = [id_ for id_ in ids if not is_current(id_, inputs, lock, out)]
    bundles = {id_: Bundle(id_) for id_ in ids}
    if stale:
        # A check of current bundles needs no renderer, whose import takes longer than the check.
        from skillgen.build.rebuild import rebuild

        bundles |= rebuild(inputs, stale, out, check=check)
    return [bundles[id_] for id_ in ids]
