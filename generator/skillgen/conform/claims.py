"""Hold what the product says of its own deeds, such as its own cancel, against what it answers afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from skillgen.conform.mcp import last_line
from skillgen.conform.product import SESSION, Product
from skillgen.conform.trial import Bench, Trial
from skillgen.conform.trying import Said, each, holds, seen
from skillgen.conform.verdict import Verdict
from skillgen.conform.workers import begin, live
from skillgen.model.driving import Claim, Command


def claims(trial: Trial) -> Iterator[Verdict]:
    """Each claim of the conform file, with each of its modes active."""
    for claim in trial.driving.claims:
        sub = "a/b" if claim.subdirectory else ""
        for mode, record in _modes(trial, claim):
            act = partial(_claimed, claim=claim, mode=mode, record=record)
            name = f"claims: {claim.name}" + (f", {claim.verdict}" if claim.verdict else "")
            missing = [part for part in claim.needs if part not in trial.parts]
            if missing:
                yield Verdict(name, mode, "claim", "not proven", f"{', '.join(missing)} is not there")
            else:
                yield from each(trial, name, mode, ("claim",), act, sub, seeded=claim.active and not claim.workers)


def _modes(trial: Trial, claim: Claim) -> list[tuple[str, str]]:
    if claim.workers:
        workers = trial.driving.workers
        named = [workers.mode] if workers else [""]
    elif not claim.active:
        return [("", "")]
    else:
        named = list(claim.modes)
    return [pair for pair in trial.records() if not named or pair[0] in named]


def _claimed(bench: Bench, claim: Claim, mode: str, record: str) -> Said:
    hook = bench.trial.driving.hook
    names = {"mode": mode, "record": record, "session": SESSION}
    with bench.started() as product:
        if claim.workers:
            begin(product)
        elif claim.active:
            product.seed(mode, record, SESSION)
            seen(product, mode, record, SESSION)
        for deed in claim.given:
            product.do(deed, names)
        held = claim.active and claim.ended and holds(product, hook, mode, record)
        if isinstance(claim.by, Command):
            answer = Product(bench.trial.driving, bench.world, bench.trial.parts, bench.cwd).command(claim.by, names)
        else:
            answer = product.call(claim.by, names)
        said = bench.trial.placeless(last_line(answer.stdout or answer.stderr))
        if not product.says(answer, claim.says, names):
            yield "claim", "not proven", f"it claims no success: {said}"
            return
        what = [
            contrary.what
            for contrary in claim.contrary
            if product.says(product.call(contrary.by, names), contrary.yes, names)
        ]
        if claim.workers and live(product):
            what.append("its workers live on")
        elif claim.active and claim.ended and product.ask(product.driving.list, mode, record, SESSION):
            what.append("the product still lists the mode")
        if held and hook is not None and product.ask(hook, mode, record, SESSION):
            what.append("its hook still holds the session")
        yield "claim", "broken" if what else "proven", f"it says `{said}`, and {' and '.join(what)}" if what else said
