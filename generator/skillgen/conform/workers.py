"""Try the law about workers: what is called stopped has no process left."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from functools import partial

from skillgen.conform.mcp import NoAnswer
from skillgen.conform.product import SESSION, Product
from skillgen.conform.trial import Bench, Trial
from skillgen.conform.trying import Said, each
from skillgen.conform.verdict import Verdict

_AGAIN_S = 0.2


def workers(trial: Trial) -> Iterator[Verdict]:
    """A team of the product's own with live workers, cancelled gently and by force."""
    said = trial.driving.workers
    teams = [mode for mode, record in trial.records() if trial.contract.modes[mode].action == "shutdown"]
    if said is None:
        for mode in teams:
            yield Verdict(
                "workers", mode, "workers", "not proven", "the conform file does not say how workers are begun"
            )
        return
    forms = [()] + [("--force",)] * (trial.contract.flags.force.urgency == "forced")
    for form in forms:
        yield from each(trial, "workers", said.mode, ("workers",), partial(_stopped, form=form), seeded=False)


def _stopped(bench: Bench, form: tuple[str, ...]) -> Said:
    said = bench.trial.driving.workers
    assert said is not None
    how = " ".join(["cancel", *form])
    with bench.started() as product:
        begin(product)
        run = bench.cancel(*form, *bench.confirmed(said.mode))
        left = live(product)
        if run.complete:
            yield "workers", "broken" if left else "proven", f"{how}: the workers live on" if left else how
        elif left:
            # It says that it did not stop them, which is so; whether it can is not shown by that.
            yield "workers", "not proven", f"{how}: {run.why()}"
        else:
            yield "workers", "proven", f"{how}: the workers are gone; {run.why()}"


def begin(product: Product) -> None:
    """Begin a team and wait until its workers live; raise NoAnswer where they do not."""
    said = product.driving.workers
    if said is None:
        raise NoAnswer("the conform file does not say how workers are begun")
    missing = [name for name in said.needs if shutil.which(name) is None]
    if missing:
        raise NoAnswer(f"{', '.join(missing)} is not on PATH")
    for deed in said.begin:
        product.do(deed, _names(product))
    until = time.monotonic() + said.within_s
    while not (_workers_began(product) and live(product)):
        if time.monotonic() > until:
            raise NoAnswer(f"no worker lives {said.within_s} s after the team was begun")
        time.sleep(_AGAIN_S)


def _workers_began(product: Product) -> bool:
    said = product.driving.workers
    assert said is not None
    if said.begun is None:
        return True
    names = _names(product)
    return product.says(product.call(said.begun.by, names), said.begun.yes, names)


def live(product: Product) -> bool:
    """Return whether a worker of the team lives."""
    said = product.driving.workers
    assert said is not None
    names = _names(product)
    return product.says(product.call(said.alive.by, names), said.alive.yes, names)


def _names(product: Product) -> dict[str, str]:
    said = product.driving.workers
    assert said is not None
    return {"mode": said.mode, "record": said.mode, "session": SESSION}
