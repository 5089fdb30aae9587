"""Run one place of a scenario, and choose what is seeded in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from skillgen.conform.mcp import NoAnswer
from skillgen.conform.product import SESSION, Product, seed_of
from skillgen.conform.trial import Bench, Trial
from skillgen.conform.verdict import Verdict
from skillgen.model.driving import Ask

Scenario = Callable[[Trial], Iterator[Verdict]]
Said = Iterator[tuple[str, str, str]]
"""Law, state, and why: what one place came to."""


def each(
    trial: Trial,
    scenario: str,
    mode: str,
    laws: tuple[str, ...],
    act: Callable[[Bench], Said],
    sub: str = "",
    *,
    seeded: bool = True,
) -> Iterator[Verdict]:
    """Run one place of a scenario; a law that it says nothing of is not proven, for the reason that ended it."""
    found: dict[str, tuple[str, str]] = {}
    why = "the product does not answer for it"
    if mode and seeded and seed_of(trial.driving, mode, trial.parts) is None:
        why = "no seed of the conform file makes this mode active"
    else:
        try:
            with trial.here(sub) as bench:
                for law, state, said in act(bench):
                    if found.get(law, ("", ""))[0] != "broken":
                        found[law] = state, said
        except NoAnswer as error:
            why = str(error)
        except OSError as error:
            why = f"{error.strerror}: {Path(str(error.filename)).name}"
    for law in laws:
        state, said = found.get(law, ("not proven", why))
        # Where the throw-away places lie says nothing.
        said = trial.placeless(said)
        yield Verdict(scenario, mode, law, state, said)  # type: ignore[arg-type]


def seen(product: Product, mode: str, record: str, session: str) -> None:
    ask = product.driving.list
    if ask.modes and mode not in ask.modes:
        raise NoAnswer("the product's listing does not cover this mode")
    if not product.ask(ask, mode, record, session):
        raise NoAnswer("seeded, but the product does not list it as active")


def holds(product: Product, hook: Ask | None, mode: str, record: str) -> bool:
    if hook is None or (hook.modes and mode not in hook.modes):
        return False
    return product.ask(hook, mode, record, SESSION)


def first(trial: Trial) -> tuple[str, str]:
    return two(trial)[0]


def two(trial: Trial) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return two plain modes that can be seeded by the product's means: no team, no owner of links, not retired."""
    modes = trial.contract.modes
    covered = trial.driving.list.modes
    plain = [
        (key, modes[key].records[0])
        for key, _ in trial.records()
        if modes[key].action in ("clear", "terminalize", "deactivate")
        and not modes[key].retired
        and (not covered or key in covered)
        and seed_of(trial.driving, key, trial.parts) is not None
    ]

    def last(pair: tuple[str, str]) -> tuple[bool, bool, bool]:
        seed = seed_of(trial.driving, pair[0], trial.parts)
        raw = seed is not None and seed.by.kind == "file"
        return raw, modes[pair[0]].action == "deactivate", modes[pair[0]].only_when_gone

    plain.sort(key=last)
    found = list(dict.fromkeys(plain)) or [next(iter(trial.records()))]
    return found[0], found[1 if len(found) > 1 else 0]


def fields(text: str) -> dict[str, Any]:
    """Return the object that a reply holds: the whole of it, or the JSON between its first and its last brace."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[begin : end + 1]) if begin >= 0 else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
