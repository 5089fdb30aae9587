"""Choose rules by their codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillgen.errors import UsageError
from skillgen.model.guess import hint


def choose_codes(codes: Sequence[str], select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the codes that start with a selected prefix and with no ignored one.

    Raises `UsageError` for a prefix that names no rule.
    """
    select, ignore = tuple(select), tuple(ignore)
    for prefix in (*select, *ignore):
        if not any(code.startswith(prefix) for code in codes):
            raise UsageError(f"{prefix}: no rule has this code; {hint(prefix, codes, '`skillgen rules` lists them')}")
    return tuple(
        code for code in codes if (not select or code.startswith(select)) and not (ignore and code.startswith(ignore))
    )
