"""Try the lock from both sides: what one side holds, the other does not write."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread

from skillgen.conform.mcp import NoAnswer
from skillgen.conform.processes import Lines
from skillgen.conform.product import SESSION, Product, fill, seed_of
from skillgen.conform.trial import Bench, Trial
from skillgen.conform.trying import Said, each, first, seen
from skillgen.conform.verdict import Verdict

_HELD_S = 2.0
"""How long our script holds the lock while the product tries to write: some hundred of the product's own attempts."""

_HOLDER = """
import importlib.util, sys
path = sys.argv[1]
spec = importlib.util.spec_from_file_location("cancel", path)
cancel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cancel)
from cancel_runtime import ops
def stop(when, name, target):
    if (when, name) == ("after", "lock"):
        ops.hook = None
        print("held", flush=True)
        sys.stdin.read()
ops.hook = stop
sys.exit(cancel.main(sys.argv[2:], cancel.os.path.dirname(cancel._here)))
"""
"""Runs our script as it is, and lets it wait once it has taken its first lock."""


def lock(trial: Trial) -> Iterator[Verdict]:
    """The product holds the lock of the record while we cancel; we hold it while the product writes."""
    mode, record = first(trial)

    def theirs(bench: Bench) -> Said:
        hold = trial.driving.hold
        if hold is None:
            raise NoAnswer("the conform file names no command that takes the product's lock")
        with bench.started() as product:
            product.seed(mode, record, SESSION)
            seen(product, mode, record, SESSION)
            path = bench.record(record) if trial.contract.store.kind == "files" else None
            before = path.read_bytes() if path else b""
            values = product.values({"path": str(path or ""), "record": record, "mode": mode, "session": SESSION})
            command = [fill(part, values) for part in hold.command]
            held = bench.world.processes.start(command, product.cwd, product.environment(), quiet=True)
            if Lines(held).next(trial.driving.timeout_s) != "held\n":
                raise NoAnswer("the command that takes the lock did not print `held`")
            run = bench.cancel(*bench.confirmed(mode))
            same = path is None or (path.exists() and path.read_bytes() == before)
            assert held.stdin
            held.stdin.close()
            with suppress(Exception):
                held.wait(timeout=10)
            # A product of rows is asked once its lock is free.
            same = same and (path is not None or product.ask(product.driving.list, mode, record, SESSION))
            bad = run.complete or not same
            why = "the record was changed under the product's lock" if bad else "held by the product"
            yield "lock", "broken" if bad else "proven", why

    def ours(bench: Bench) -> Said:
        with bench.started() as product:
            _writes(product, mode, record)
            seen(product, mode, record, SESSION)
            path = bench.record(record)
            before = path.read_bytes()
            _writes(product, mode, record)
            if path.read_bytes() == before:
                raise NoAnswer(
                    "a second write of the product leaves the record as it was, so nothing can be seen of a lock"
                )
            before = path.read_bytes()
            command = [sys.executable, "-c", _HOLDER, str(trial.skill / "scripts" / "cancel.py"), "--json"]
            command += ["--session-id", SESSION, *bench.confirmed(mode)]
            holder = bench.world.processes.start(command, bench.cwd, bench.world.environment(), quiet=True)
            if Lines(holder).next(30) != "held\n":
                raise NoAnswer("our script takes no lock for this mode")
            writing = Thread(target=_tries, args=(product, mode, record))
            writing.start()
            writing.join(_HELD_S)
            same = path.read_bytes() == before
            assert holder.stdin
            holder.stdin.close()
            writing.join(trial.driving.timeout_s)
            store = trial.contract.store
            if not same and store.kind == "files" and store.lock.kind == "directory":
                raise NoAnswer("the flavor knows no lock of the product's own, and the product takes none of ours")
            why = "held by ours" if same else "the product wrote while our script held its lock"
            yield "lock", "proven" if same else "broken", why

    yield from each(trial, "lock", mode, ("lock",), theirs)
    yield from each(trial, "lock", mode, ("lock",), ours)


def _writes(product: Product, mode: str, record: str) -> None:
    seed = seed_of(product.driving, mode, product.parts)
    if seed is None or seed.by.kind == "file":
        raise NoAnswer("the conform file names no write of the product's own")
    time.sleep(0.01)
    product.seed(mode, record, SESSION)


def _tries(product: Product, mode: str, record: str) -> None:
    with suppress(NoAnswer, OSError):
        product.seed(mode, record, SESSION)
