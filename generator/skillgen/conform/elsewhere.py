"""Try the laws about where and as whom our script is started: identity, a subdirectory, a linked worktree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from skillgen.conform.product import SESSION, Product
from skillgen.conform.trial import Bench, Trial, changed
from skillgen.conform.trying import Said, each, first, seen
from skillgen.conform.verdict import Verdict


def identity(trial: Trial) -> Iterator[Verdict]:
    """The id by each variable that the contract names, and no id at all."""
    known = trial.contract.identity
    mode, record = first(trial)
    variables = getattr(known, "variables", ())
    for variable in variables:
        yield from each(
            trial, "identity", mode, ("identity",), partial(_by_variable, mode=mode, record=record, variable=variable)
        )
    if known.kind != "none":
        yield from each(trial, "identity", mode, ("identity",), partial(_without, mode=mode, record=record))


def _by_variable(bench: Bench, mode: str, record: str, variable: str) -> Said:
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        seen(product, mode, record, SESSION)
        run = bench.cancel(*bench.confirmed(mode), session=None, variables={variable: SESSION})
        left = product.ask(product.driving.list, mode, record, SESSION)
        if run.complete:
            yield "identity", "broken" if left else "proven", f"{variable}: still active" if left else ""
        else:
            yield "identity", "not proven", f"{variable}: {run.why()}"


def _without(bench: Bench, mode: str, record: str) -> Said:
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        seen(product, mode, record, SESSION)
        before = bench.snapshot()
        run = bench.cancel(*bench.confirmed(mode), session=None)
        left = product.ask(product.driving.list, mode, record, SESSION)
        # What the product wrote of its session, such as a file beside the records, may tell which one is meant.
        bad = run.complete and not run.names(SESSION) if left else not run.complete
        if left and changed(before, bench.snapshot(), []):
            yield "identity", "broken", f"without an id the run ended with {run.code} and changed something"
        else:
            yield (
                "identity",
                "broken" if bad else "proven",
                f"without an id the run ended with {run.code}" if bad else "",
            )


def subdirectory(trial: Trial) -> Iterator[Verdict]:
    """Our script is started in a directory below the project's root, with the session's id and without."""
    mode, record = first(trial)
    for session in (SESSION, None):
        act = partial(_cancel_elsewhere, mode=mode, record=record, law="subdirectory", session=session)
        yield from each(trial, "subdirectory", mode, ("subdirectory",), act, "a/b")


def worktree(trial: Trial) -> Iterator[Verdict]:
    """Product and script are started in a linked worktree of the project's repository."""
    mode, record = first(trial)
    if trial.driving.workspace != "git":
        yield Verdict("worktree", mode, "worktree", "not proven", "the workspace is no git repository")
        return

    def act(bench: Bench) -> Said:
        linked = bench.world.workspace / "linked"
        bench.world.git("-C", str(bench.world.workspace), "worktree", "add", "-q", "--detach", str(linked))
        bench.product = Product(trial.driving, bench.world, trial.parts, linked)
        bench.cwd = linked
        return _cancel_elsewhere(bench, mode, record, "worktree", SESSION)

    yield from each(trial, "worktree", mode, ("worktree",), act)


def _cancel_elsewhere(bench: Bench, mode: str, record: str, law: str, session: str | None) -> Said:
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        seen(product, mode, record, SESSION)
        run = bench.cancel(*bench.confirmed(mode), session=session)
        left = product.ask(product.driving.list, mode, record, SESSION)
        how = "" if session else "without an id "
        if run.complete and left and not (session is None and run.names(SESSION)):
            yield law, "broken", f"{how}the run says that it is complete, and the product lists the mode as active"
        else:
            yield law, "proven", how.strip() if not left else f"{how}{run.why()}"
