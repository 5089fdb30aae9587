"""Guess what a mistyped name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable

_SHOWN = 12


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known name that is meant, or "": the same but for case, else with its letters in another order, else the likest."""
    from difflib import get_close_matches

    names = list(known)
    for fold in (str.casefold, lambda text: "".join(sorted(text.casefold()))):
        if same := [one for one in names if fold(one) == fold(name)]:
            return same[0]
    return next(iter(get_close_matches(name, names, n=1, cutoff=cutoff)), "")


def hint(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a repair for a command line, without quotes: the nearest known name, else what is said `otherwise`."""
    near = nearest(name, known)
    return f"did you mean {near}?" if near else otherwise


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a repair for a file: the nearest known name, else what is said `otherwise`, else all of them."""
    names = list(known)
    if near := nearest(name, names):
        return f"did you mean `{near}`?"
    if otherwise:
        return otherwise
    if not names:
        return "nothing is known here"
    listed = ", ".join(f"`{known}`" for known in names[:_SHOWN])
    return f"known are {listed}" + (" …" if len(names) > _SHOWN else "")
