"""Guess what a mistyped name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable

_SHOWN = 12


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a repair: the nearest known name, else all of them."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    if not names:
        return "nothing is known here"
    listed = ", ".join(f"`{known}`" for known in names[:_SHOWN])
    return f"known are {listed}" + (" …" if len(names) > _SHOWN else "")
