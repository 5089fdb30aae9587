"""Say how near a fork's files are to a rendering."""

from __future__ import annotations

from collections.abc import Mapping

from skillgen.drift.fold import fold


def nearness(rendered: Mapping[str, bytes], actual: Mapping[str, bytes]) -> float:
    """Return 0 to 1: the share of the rendered lines, over all files, that stand in the fork's files, in order."""
    # Only a fork without a lock is measured; a check of many need not import it.
    from difflib import SequenceMatcher

    same = total = 0
    for path, data in rendered.items():
        wanted = data.split(b"\n")
        total += len(wanted)
        there = actual.get(path)
        if there is None:
            continue
        folded = fold(there).data
        if folded == data:
            same += len(wanted)
        else:
            matcher = SequenceMatcher(None, wanted, folded.split(b"\n"), autojunk=False)
            same += sum(block.size for block in matcher.get_matching_blocks())
    return same / total if total else 0.0


def has_become_own(path: str, base: bytes, ours: bytes) -> bool:
    """Tell whether a README or license says so little of what was rendered that it is the fork's own by now."""
    return path in ("README.md", "LICENSE") and nearness({path: base}, {path: ours}) < 0.3
