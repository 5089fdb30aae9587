"""Try the laws: each scenario seeds by the product's means, cancels, and asks the product what is so."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from skillgen.conform.mcp import NoAnswer
from skillgen.conform.product import OTHER, SESSION, Product
from skillgen.conform.trial import Bench, Run, Trial, changed
from skillgen.conform.trying import Said, each, first, holds, seen, two
from skillgen.conform.verdict import Verdict
from skillgen.model.driving import Ask


def one_mode(trial: Trial) -> Iterator[Verdict]:
    """Each mode alone, with the same mode active in another session."""
    for mode, record in trial.records():
        laws = ("gone", "hook", "untouched", "again")
        yield from each(trial, "one-mode", mode, laws, partial(_one_mode, mode=mode, record=record))


def _one_mode(bench: Bench, mode: str, record: str) -> Said:
    hook = bench.trial.driving.hook
    with bench.started() as product:
        raw = not product.seed(mode, record, SESSION)
        product.seed(mode, record, OTHER)
        seen(product, mode, record, SESSION)
        held = holds(product, hook, mode, record)
        before = bench.snapshot()
        run = bench.cancel(*bench.confirmed(mode))
        more = changed(before, bench.snapshot(), bench.allowed(run))
        yield "untouched", "broken" if more else "proven", ", ".join(more[:3])
        if not run.complete:
            yield "gone", "not proven", run.why()
            return
        note = "seeded by a raw file" if raw else ""
        left = product.ask(product.driving.list, mode, record, SESSION)
        yield "gone", "broken" if left else "proven", "the product still lists it as active" if left else note
        if not product.ask(product.driving.list, mode, record, OTHER):
            yield "untouched", "broken", f"the product no longer lists it in session {OTHER}"
        if held and hook is not None:
            yield from _let_go(bench, product, hook, mode, record)
        else:
            yield "hook", "not proven", "the hook did not hold the session before"
        # The questions in between may have made the product write.
        rested = bench.snapshot()
        second = bench.cancel(*bench.confirmed(mode))
        rest = changed(rested, bench.snapshot(), [])
        bad = second.code != 0 or bool(rest)
        yield "again", "broken" if bad else "proven", (", ".join(rest[:3]) or second.why()) if bad else ""


def _let_go(bench: Bench, product: Product, hook: Ask, mode: str, record: str) -> Said:
    if product.ask(hook, mode, record, SESSION):
        yield "hook", "broken", "the hook still holds the session"
        return
    signal = bench.trial.contract.signal
    if signal.kind == "session-file" and bench.trial.contract.store.kind == "files":
        # It has to let go for the state, too, and not for a signal that lives for seconds.
        (bench.state() / bench.trial.contract.store.sessions / SESSION / signal.file).unlink(missing_ok=True)
        if product.ask(hook, mode, record, SESSION):
            yield "hook", "broken", "the hook let go for the signal alone"
            return
    yield "hook", "proven", ""


def links(trial: Trial) -> Iterator[Verdict]:
    """An owner with the field that ties a dependant to it, both active."""
    for owner, mode in trial.contract.modes.items():
        for link in mode.links:
            if link.flag is None or mode.shared:
                continue
            dependant = trial.contract.modes[link.to]
            pair = (owner, mode.records[0]), (link.to, dependant.records[0])
            yield from each(
                trial, "links", owner, ("link",), partial(_linked, owner=pair[0], dependant=pair[1], flag=link.flag)
            )


def _linked(bench: Bench, owner: tuple[str, str], dependant: tuple[str, str], flag: str) -> Said:
    with bench.started() as product:
        product.seed(*dependant, SESSION)
        product.seed(*owner, SESSION, {flag: True})
        seen(product, *owner, SESSION)
        seen(product, *dependant, SESSION)
        team = [*bench.confirmed(owner[0]), *bench.confirmed(dependant[0])][:1]
        run = bench.cancel("--mode", owner[0], *team)
        if not run.complete:
            yield "link", "not proven", run.why()
            return
        left = [mode for mode, record in (owner, dependant) if product.ask(product.driving.list, mode, record, SESSION)]
        yield "link", "broken" if left else "proven", f"{flag}: still active: {', '.join(left)}" if left else flag


def corrupt(trial: Trial) -> Iterator[Verdict]:
    """One record of the session is cut off in the middle."""
    (mode, record), (other, broken) = two(trial)

    def cut_off(bench: Bench, path: Path, gone: str) -> tuple[Run, list[str]]:
        """Cancel beside a record that is cut off; return the run, and what became wrong whatever the run says."""
        with bench.started() as product:
            product.seed(mode, record, SESSION)
            seen(product, mode, record, SESSION)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b'{"active": tru')
            run = bench.cancel(*bench.confirmed(mode))
            kept = path.exists() and path.read_bytes() == b'{"active": tru'
            left = product.ask(product.driving.list, mode, record, SESSION)
            return run, [*([] if kept else [gone]), *([f"{mode} is still active"] if left else [])]

    def act(bench: Bench) -> Said:
        run, problems = cut_off(bench, bench.record(broken), "the unreadable record is gone")
        problems = [*(["the run calls itself complete"] if run.complete else []), *problems]
        yield "corrupt", "broken" if problems else "proven", "; ".join(problems)

    def neighbour(bench: Bench) -> Said:
        gone = f"the unreadable record of session {OTHER} is gone"
        run, problems = cut_off(bench, bench.record(record, OTHER), gone)
        problems = [*([] if run.complete else [run.why()]), *problems]
        yield "corrupt", "broken" if problems else "proven", "; ".join(problems)

    yield from each(trial, "corrupt", other, ("corrupt",), act)
    yield from each(trial, "corrupt", mode, ("corrupt",), neighbour)


def foreign(trial: Trial) -> Iterator[Verdict]:
    """A record that names another session as its owner lies in this session's directory."""
    mode, record = first(trial)

    def act(bench: Bench) -> Said:
        store = bench.trial.contract.store
        if store.kind != "files" or not store.owner:
            raise NoAnswer("the product names no owner in its records")
        with bench.started() as product:
            product.seed(mode, record, OTHER)
            mine, theirs = bench.record(record), bench.record(record, OTHER)
            if not theirs.exists():
                raise NoAnswer(f"the product wrote no {theirs.name} for session {OTHER}")
            mine.parent.mkdir(parents=True, exist_ok=True)
            mine.write_bytes(theirs.read_bytes())
            before = mine.read_bytes(), theirs.read_bytes()
            bench.cancel(*bench.confirmed(mode))
            same = mine.exists() and theirs.exists() and (mine.read_bytes(), theirs.read_bytes()) == before
            yield "foreign", "proven" if same else "broken", "" if same else "a record of another session was changed"

    yield from each(trial, "foreign", mode, ("foreign",), act)


def every_session(trial: Trial) -> Iterator[Verdict]:
    """Two sessions, two modes, and the form that selects every session."""
    flags = trial.contract.flags
    form = ["--all"] if flags.all.scope == "all" else ["--force"] if flags.force.scope == "all" else []
    (mode, record), (other, second) = two(trial)
    if not form:
        yield Verdict("every-session", "", "all", "not proven", "no form of the command selects every session")
        return

    def act(bench: Bench) -> Said:
        with bench.started() as product:
            product.seed(mode, record, SESSION)
            product.seed(other, second, OTHER)
            seen(product, mode, record, SESSION)
            seen(product, other, second, OTHER)
            run = bench.cancel(*form, session=None)
            if not run.complete:
                yield "all", "not proven", run.why()
                return
            left = [
                name
                for name, args in ((SESSION, (mode, record)), (OTHER, (other, second)))
                if product.ask(product.driving.list, *args, name)
            ]
            yield "all", "broken" if left else "proven", f"still active: {', '.join(left)}" if left else ""

    yield from each(trial, "every-session", "", ("all",), act)
