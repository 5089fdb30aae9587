"""Try what the text says of the state tools, and the calls that SKILL.md prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from skillgen.conform.mcp import NoAnswer
from skillgen.conform.printed import PrintedCall, filled_in, printed_calls
from skillgen.conform.product import OTHER, SESSION, Product
from skillgen.conform.trial import Bench, Trial
from skillgen.conform.trying import Said, each, fields, first, holds, seen, two
from skillgen.conform.verdict import Verdict

_FINISHED = {"finish", "finished", "complete", "completed", "complete-with-skipped-gates"}


def printed(trial: Trial) -> Iterator[Verdict]:
    """Each mode, ended by the calls that SKILL.md prints and by nothing else."""
    if trial.contract.tools is None:
        yield Verdict("printed-calls", "", "calls", "not proven", "the product has no state tools")
        return
    calls = printed_calls((trial.skill / "SKILL.md").read_text(encoding="utf-8"), trial.contract)
    for mode, record in trial.records():
        yield from each(
            trial, "printed-calls", mode, ("calls",), partial(_printed, calls=calls, mode=mode, record=record)
        )


def _printed(bench: Bench, calls: list[PrintedCall], mode: str, record: str) -> Said:
    contract, hook = bench.trial.contract, bench.trial.driving.hook
    tools = contract.tools
    assert tools is not None
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        seen(product, mode, record, SESSION)
        held = holds(product, hook, mode, record)
        before = _read_record(product, trial=bench.trial, record=record)
        last = getattr(contract.last, "record", "")
        deed = tools.names.write if contract.modes[mode].action in ("deactivate", "terminalize") else tools.names.clear
        # Of two writes the one that names the last phase ends a mode, the other pauses it.
        ends = contract.modes[mode].action == "terminalize"
        calls = sorted(calls, key=lambda call: ("current_phase" in call.arguments) != ends)
        made = _make(product, bench, calls, record, deed) or _make(product, bench, calls, record, tools.names.clear)
        if not made:
            raise NoAnswer("SKILL.md prints no call for it that can be filled in; it is the script's to end")
        # The last record is a mode of nobody: only a call that names it is meant for it.
        _make(
            product,
            bench,
            [call for call in calls if call.arguments.get(tools.arguments.mode) == last],
            last,
            tools.names.clear,
        )
        left = product.ask(product.driving.list, mode, record, SESSION)
        if left:
            yield "calls", "broken", "the product still lists it as active after the printed calls"
            return
        if held and hook is not None and product.ask(hook, mode, record, SESSION):
            yield "calls", "broken", "the hook still holds the session after the printed calls"
            return
        if contract.modes[mode].action == "deactivate":
            now = _read_record(product, trial=bench.trial, record=record)
            wrong = sorted(
                key
                for key, value in now.items()
                if isinstance(value, str) and value in _FINISHED and before.get(key) != value
            )
            lost = sorted(key for key in before if key not in now and not key.startswith("_"))
            if wrong or lost:
                what = [f"{key} became {now[key]!r}" for key in wrong] + [f"{key} is gone" for key in lost]
                yield "calls", "broken", "the pause does not preserve: " + ", ".join(what)[:200]
                return
        yield "calls", "proven", ""


def _make(product: Product, bench: Bench, calls: list[PrintedCall], record: str, tool: str) -> bool:
    """Make the first printed call of the tool for the record whose open values are known."""
    arguments = bench.trial.contract.tools.arguments  # type: ignore[union-attr]
    values = {"session_id": SESSION, "workspace": str(product.cwd), "mode": record, "record": record}
    values["ISO 8601 time"] = product.values({})["now"]
    for call in calls:
        if call.tool != tool or call.arguments.get(arguments.mode) not in (record, "<mode>", "<record>"):
            continue
        if arguments.session not in call.arguments:
            continue
        made = filled_in(call, values)
        if made is None and arguments.payload and isinstance(call.arguments.get(arguments.payload), dict):
            rest = filled_in(
                PrintedCall(tool, {k: v for k, v in call.arguments.items() if k != arguments.payload}), values
            )
            payload = call.arguments[arguments.payload]
            if rest is None or any(isinstance(value, str) and value.startswith("<") for value in payload.values()):
                continue
            made = {**rest, arguments.payload: {**_read_record(product, trial=bench.trial, record=record), **payload}}
        if made is not None:
            product.tool(tool, made)
            return True
    return False


def _read_record(product: Product, trial: Trial, record: str) -> dict[str, Any]:
    return _body(trial, product.tool(trial.contract.tools.names.read, _call(product, trial, record, SESSION)).stdout)  # type: ignore[union-attr]


def _body(trial: Trial, text: str) -> dict[str, Any]:
    found = fields(text)
    payload = trial.contract.tools.arguments.payload  # type: ignore[union-attr]
    inner = found.get(payload) if payload else None
    return inner if isinstance(inner, dict) and trial.contract.tools.arguments.payload_whole else found  # type: ignore[union-attr]


def _call(product: Product, trial: Trial, record: str, session: str | None) -> dict[str, Any]:
    arguments = trial.contract.tools.arguments  # type: ignore[union-attr]
    found: dict[str, Any] = {arguments.mode: record}
    if session is not None:
        found[arguments.session] = session
    if arguments.workspace:
        found[arguments.workspace] = str(product.cwd)
    return found


def claims(trial: Trial) -> Iterator[Verdict]:
    """What the contract, and so the text, says of writes and clears."""
    if trial.contract.tools is None:
        yield Verdict("tools", "", "tool", "not proven", "the product has no state tools")
        return
    for act in (_empty_clear, _without_session, _without_mode, _writes):
        yield from each(trial, f"tools: {act.__name__[1:].replace('_', ' ')}", "", ("tool",), act)


def _writes(bench: Bench) -> Said:
    """A second write keeps what the first one wrote, or drops it, as the contract says."""
    trial = bench.trial
    tools = trial.contract.tools
    assert tools is not None
    mode, record = first(trial)
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        for name in ("probe_a", "probe_b"):
            call = _call(product, trial, record, SESSION)
            payload = {name: 1, "active": True}
            call |= {tools.arguments.payload: payload} if tools.arguments.payload else payload
            if not tools.arguments.payload_whole:
                call["active"] = True
            answer = product.tool(tools.names.write, call)
            if answer.code:
                raise NoAnswer(f"the write was refused: {answer.stdout[:120]}")
        text = product.tool(tools.names.read, _call(product, trial, record, SESSION)).stdout
        if "probe_b" not in text:
            raise NoAnswer("a read does not show what was written")
        merges = "probe_a" in text
        said = tools.write == "merge" or record in tools.write_merges
        yield (
            "tool",
            "proven" if merges == said else "broken",
            f"a write {'merges' if merges else 'replaces'} ({record})",
        )


def _without_session(bench: Bench) -> Said:
    trial = bench.trial
    tools = trial.contract.tools
    assert tools is not None
    mode, record = first(trial)
    with bench.started() as product:
        for session in (SESSION, OTHER):
            product.seed(mode, record, session)
            seen(product, mode, record, session)
        answer = product.tool(tools.names.clear, _call(product, trial, record, None))
        left = [session for session in (SESSION, OTHER) if product.ask(product.driving.list, mode, record, session)]
        expected = {"everything": not left, "root-slot": len(left) == 2, "invalid": len(left) == 2 and answer.code == 1}
        if tools.clear_without_session not in expected:
            raise NoAnswer("what counts as the current session of a server is not known here")
        fine = expected[tools.clear_without_session]
        yield "tool", "proven" if fine else "broken", f"a clear without a session leaves {len(left)} of 2 sessions"


def _without_mode(bench: Bench) -> Said:
    trial = bench.trial
    tools = trial.contract.tools
    assert tools is not None
    mode, record = first(trial)
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        seen(product, mode, record, SESSION)
        call = _call(product, trial, record, SESSION)
        del call[tools.arguments.mode]
        answer = product.tool(tools.names.clear, call)
        left = product.ask(product.driving.list, mode, record, SESSION)
        fine = not left if tools.clear_without_mode == "session" else left and answer.code == 1
        yield "tool", "proven" if fine else "broken", f"a clear without a mode: {_first_line(answer.stdout)}"


def _empty_clear(bench: Bench) -> Said:
    """An honest tool answers a clear of nothing otherwise than one that removed something."""
    trial = bench.trial
    tools = trial.contract.tools
    assert tools is not None
    mode, record = two(trial)[0]
    with bench.started() as product:
        product.seed(mode, record, SESSION)
        seen(product, mode, record, SESSION)
        full, empty = (product.tool(tools.names.clear, _call(product, trial, record, SESSION)) for _ in range(2))
        same = full.code == empty.code and _without_paths(full.stdout) == _without_paths(empty.stdout)
        fine = same == (tools.empty_clear == "always-ok")
        yield "tool", "proven" if fine else "broken", f"a clear of nothing answers: {_first_line(empty.stdout)}"


def _without_paths(text: str) -> str:
    return re.sub(r"/\S+", "/…", text).strip()


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["nothing"])[0][:120]
