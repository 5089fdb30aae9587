"""Try the laws: each scenario seeds by the product's means, cancels, and asks the product what is so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from skillgen.conform.mcp import NoAnswer, last_line
from skillgen.conform.product import Product, seed_of
from skillgen.conform.trial import OTHER, SESSION, Bench, Trial, changed
from skillgen.conform.verdict import Verdict
from skillgen.model.driving import Ask, OwnCancel

Scenario = Callable[[Trial], Iterator[Verdict]]


def one_mode(trial: Trial) -> Iterator[Verdict]:
    """Each mode alone, with the same mode active in another session."""
    for mode, record in trial.records():
        laws = ("gone", "hook", "untouched", "again")
        yield from _each(trial, "one-mode", mode, laws, partial(_one_mode, mode=mode, record=record))


def _one_mode(bench: Bench, mode: str, record: str) -> Iterator[tuple[str, str, str]]:
    hook = bench.trial.driving.hook
    with bench.started() as product:
        raw = not product.seed(mode, record, SESSION)
        product.seed(mode, record, OTHER)
        _seen(product, mode, record, SESSION)
        held = _holds(product, hook, mode, record)
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


def _let_go(bench: Bench, product: Product, hook: Ask, mode: str, record: str) -> Iterator[tuple[str, str, str]]:
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


def identity(trial: Trial) -> Iterator[Verdict]:
    """The id by each variable that the contract names, and no id at all."""
    known = trial.contract.identity
    mode, record = _first(trial)
    variables = getattr(known, "variables", ())
    for variable in variables:
        yield from _each(
            trial, "identity", mode, ("identity",), partial(_by_variable, mode=mode, record=record, variable=variable)
        )
    if known.kind != "none":
        yield from _each(trial, "identity", mode, ("identity",), partial(_without, mode=mode, record=record))


def _by_variable(bench: Bench, mode: str, record: str, variable: str) -> Iterator[tuple[str, str, str]]:
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        _seen(product, mode, record, SESSION)
        run = bench.cancel(*bench.confirmed(mode), session=None, variables={variable: SESSION})
        left = product.ask(product.driving.list, mode, record, SESSION)
        if run.complete:
            yield "identity", "broken" if left else "proven", f"{variable}: still active" if left else ""
        else:
            yield "identity", "not proven", f"{variable}: {run.why()}"


def _without(bench: Bench, mode: str, record: str) -> Iterator[tuple[str, str, str]]:
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        _seen(product, mode, record, SESSION)
        before = bench.snapshot()
        run = bench.cancel(*bench.confirmed(mode), session=None)
        left = product.ask(product.driving.list, mode, record, SESSION)
        # What the product wrote of its session, such as a file beside the records, may tell which one is meant.
        bad = run.complete if left else not run.complete
        if left and changed(before, bench.snapshot(), []):
            yield "identity", "broken", f"without an id the run ended with {run.code} and changed something"
        else:
            yield (
                "identity",
                "broken" if bad else "proven",
                f"without an id the run ended with {run.code}" if bad else "",
            )


def subdirectory(trial: Trial) -> Iterator[Verdict]:
    """Our script is started in a directory below the project's root."""
    mode, record = _first(trial)
    yield from _each(
        trial,
        "subdirectory",
        mode,
        ("subdirectory",),
        partial(_elsewhere, mode=mode, record=record, law="subdirectory"),
        "a/b",
    )


def worktree(trial: Trial) -> Iterator[Verdict]:
    """Product and script are started in a linked worktree of the project's repository."""
    mode, record = _first(trial)
    if trial.driving.workspace != "git":
        yield Verdict("worktree", mode, "worktree", "not proven", "the workspace is no git repository")
        return

    def act(bench: Bench) -> Iterator[tuple[str, str, str]]:
        linked = bench.world.workspace / "linked"
        bench.world.git("-C", str(bench.world.workspace), "worktree", "add", "-q", "--detach", str(linked))
        bench.product = Product(trial.driving, bench.world, linked)
        bench.cwd = linked
        return _elsewhere(bench, mode, record, "worktree")

    yield from _each(trial, "worktree", mode, ("worktree",), act)


def _elsewhere(bench: Bench, mode: str, record: str, law: str) -> Iterator[tuple[str, str, str]]:
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        _seen(product, mode, record, SESSION)
        run = bench.cancel(*bench.confirmed(mode))
        left = product.ask(product.driving.list, mode, record, SESSION)
        if run.complete and left:
            yield law, "broken", "the run says that it is complete, and the product lists the mode as active"
        else:
            yield law, "proven", "" if not left else run.why()


def links(trial: Trial) -> Iterator[Verdict]:
    """An owner with the field that ties a dependant to it, both active."""
    for owner, mode in trial.contract.modes.items():
        for link in mode.links:
            if link.flag is None or mode.shared:
                continue
            dependant = trial.contract.modes[link.to]
            pair = (owner, mode.records[0]), (link.to, dependant.records[0])
            yield from _each(
                trial, "links", owner, ("link",), partial(_linked, owner=pair[0], dependant=pair[1], flag=link.flag)
            )


def _linked(
    bench: Bench, owner: tuple[str, str], dependant: tuple[str, str], flag: str
) -> Iterator[tuple[str, str, str]]:
    with bench.started() as product:
        product.seed(*dependant, SESSION)
        product.seed(*owner, SESSION, {flag: True})
        _seen(product, *owner, SESSION)
        _seen(product, *dependant, SESSION)
        team = [*bench.confirmed(owner[0]), *bench.confirmed(dependant[0])][:1]
        run = bench.cancel("--mode", owner[0], *team)
        if not run.complete:
            yield "link", "not proven", run.why()
            return
        left = [mode for mode, record in (owner, dependant) if product.ask(product.driving.list, mode, record, SESSION)]
        yield "link", "broken" if left else "proven", f"{flag}: still active: {', '.join(left)}" if left else flag


def corrupt(trial: Trial) -> Iterator[Verdict]:
    """One record of the session is cut off in the middle."""
    (mode, record), (other, broken) = _two(trial)

    def act(bench: Bench) -> Iterator[tuple[str, str, str]]:
        path = bench.record(broken)
        with bench.started() as product:
            product.seed(mode, record, SESSION)
            _seen(product, mode, record, SESSION)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b'{"active": tru')
            run = bench.cancel(*bench.confirmed(mode))
            kept = path.exists() and path.read_bytes() == b'{"active": tru'
            left = product.ask(product.driving.list, mode, record, SESSION)
            problems = [
                *(["the run calls itself complete"] if run.complete else []),
                *([] if kept else ["the unreadable record is gone"]),
                *([f"{mode} is still active"] if left else []),
            ]
            yield "corrupt", "broken" if problems else "proven", "; ".join(problems)

    yield from _each(trial, "corrupt", other, ("corrupt",), act)


def foreign(trial: Trial) -> Iterator[Verdict]:
    """A record that names another session as its owner lies in this session's directory."""
    mode, record = _first(trial)

    def act(bench: Bench) -> Iterator[tuple[str, str, str]]:
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

    yield from _each(trial, "foreign", mode, ("foreign",), act)


def lock(trial: Trial) -> Iterator[Verdict]:
    """The product holds the lock of the record while we cancel."""
    mode, record = _first(trial)

    def act(bench: Bench) -> Iterator[tuple[str, str, str]]:
        from skillgen.conform.processes import Lines
        from skillgen.conform.product import fill

        hold = trial.driving.hold
        if hold is None:
            raise NoAnswer("the conform file names no command that takes the product's lock")
        with bench.started() as product:
            product.seed(mode, record, SESSION)
            path = bench.record(record)
            before = path.read_bytes()
            values = product.values({"path": str(path)})
            command = [fill(part, values) for part in hold.command]
            held = bench.world.processes.start(command, product.cwd, product.environment())
            if Lines(held).next(trial.driving.timeout_s) != "held\n":
                raise NoAnswer("the command that takes the lock did not print `held`")
            run = bench.cancel(*bench.confirmed(mode))
            same = path.exists() and path.read_bytes() == before
            assert held.stdin
            held.stdin.close()
            held.wait(timeout=10)
            bad = run.complete or not same
            yield (
                "lock",
                "broken" if bad else "proven",
                "the record was changed under the product's lock" if bad else "",
            )

    yield from _each(trial, "lock", mode, ("lock",), act)


def every_session(trial: Trial) -> Iterator[Verdict]:
    """Two sessions, two modes, and the form that selects every session."""
    flags = trial.contract.flags
    form = ["--all"] if flags.all.scope == "all" else ["--force"] if flags.force.scope == "all" else []
    (mode, record), (other, second) = _two(trial)
    if not form:
        yield Verdict("every-session", "", "all", "not proven", "no form of the command selects every session")
        return

    def act(bench: Bench) -> Iterator[tuple[str, str, str]]:
        with bench.started() as product:
            product.seed(mode, record, SESSION)
            product.seed(other, second, OTHER)
            _seen(product, mode, record, SESSION)
            _seen(product, other, second, OTHER)
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

    yield from _each(trial, "every-session", "", ("all",), act)


def own_cancel(trial: Trial) -> Iterator[Verdict]:
    """The product's own ways to cancel; what each claims is held against the product's own judges."""
    for own in trial.driving.own_cancel:
        for mode, record in trial.records():
            sub = "a/b" if own.subdirectory else ""
            act = partial(_own, own=own, mode=mode, record=record)
            yield from _each(trial, f"own-cancel: {own.name}", mode, ("own",), act, sub)


def _own(bench: Bench, own: OwnCancel, mode: str, record: str) -> Iterator[tuple[str, str, str]]:
    hook = bench.trial.driving.hook
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        _seen(product, mode, record, SESSION)
        held = _holds(product, hook, mode, record)
        names = {"mode": mode, "record": record, "session": SESSION}
        if own.by.kind == "command":
            answer = Product(bench.trial.driving, bench.world, bench.cwd).command(own.by, names)
        else:
            answer = product.call(own.by, names)
        said = last_line(answer.stdout or answer.stderr)
        if not product.says(answer, own.says, names):
            yield "own", "not proven", f"it claims no success: {said}"
            return
        left = product.ask(product.driving.list, mode, record, SESSION)
        holds = held and hook is not None and product.ask(hook, mode, record, SESSION)
        what = ["the product still lists the mode"] * left + ["its hook still holds the session"] * holds
        yield "own", "broken" if what else "proven", f"it says `{said}`, and {' and '.join(what)}" if what else said


def _each(
    trial: Trial,
    scenario: str,
    mode: str,
    laws: tuple[str, ...],
    act: Callable[[Bench], Iterator[tuple[str, str, str]]],
    sub: str = "",
) -> Iterator[Verdict]:
    """Run one place of a scenario; a law that it says nothing of is not proven, for the reason that ended it."""
    found: dict[str, tuple[str, str]] = {}
    why = "the product does not answer for it"
    if mode and seed_of(trial.driving, mode) is None:
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
        yield Verdict(scenario, mode, law, state, said)  # type: ignore[arg-type]


def _seen(product: Product, mode: str, record: str, session: str) -> None:
    ask = product.driving.list
    if ask.modes and mode not in ask.modes:
        raise NoAnswer("the product's listing does not cover this mode")
    if not product.ask(ask, mode, record, session):
        raise NoAnswer("seeded, but the product does not list it as active")


def _holds(product: Product, hook: Ask | None, mode: str, record: str) -> bool:
    if hook is None or (hook.modes and mode not in hook.modes):
        return False
    return product.ask(hook, mode, record, SESSION)


def _first(trial: Trial) -> tuple[str, str]:
    return _two(trial)[0]


def _two(trial: Trial) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return two plain modes that can be seeded by the product's means: no team, no owner of links, not retired."""
    modes = trial.contract.modes
    covered = trial.driving.list.modes
    plain = [
        (key, modes[key].records[0])
        for key, _ in trial.records()
        if modes[key].action in ("clear", "terminalize", "deactivate")
        and not modes[key].retired
        and (not covered or key in covered)
        and seed_of(trial.driving, key) is not None
    ]

    def last(pair: tuple[str, str]) -> tuple[bool, bool, bool]:
        seed = seed_of(trial.driving, pair[0])
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
