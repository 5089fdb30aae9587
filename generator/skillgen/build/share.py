"""Share the rendering of many bundles among processes, one a core."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from skillgen.build.outcome import Bundle
from skillgen.build.produce import Producer
from skillgen.errors import Problem, SkillgenError
from skillgen.model.lock import Entry

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

MANY = 40
"""From so many bundles on a second process earns its start."""


class Crew:
    """One producer, or copies of it in forked processes, that render first and write only when told."""

    def __init__(self, producer: Producer, ids: Sequence[str]) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        count = min(cores, 8, len(ids) // (MANY // 2)) if len(ids) >= MANY else 1
        self._producer = producer
        self._mine = list(ids[::count])
        self._shares = [list(ids[start::count]) for start in range(1, count)]
        self._hands: list[tuple[BaseProcess, Connection]] = []

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process, pipe in self._hands:
            pipe.close()
            process.join()

    def render(self) -> tuple[dict[str, Entry], list[Problem]]:
        """Render everything; return all entries and all problems."""
        if self._shares:
            self._hire()
        entries, problems = self._producer.render(self._mine)
        entries, problems = dict(entries), list(problems)
        for more, worse in self._replies():
            entries |= more
            problems += worse
        return entries, problems

    def finish(self, lock: dict[str, Entry], *, check: bool) -> dict[str, Bundle]:
        """Compare or write what was rendered; return each bundle's outcome."""
        for _, pipe in self._hands:
            pipe.send((lock, check))
        done = self._producer.check(lock) if check else self._producer.write(lock)
        for more in self._replies():
            done |= more
        return done

    def _hire(self) -> None:
        import multiprocessing

        # Forked, so that what is read and compiled already is shared and nothing is imported twice.
        context = multiprocessing.get_context("fork")
        for share in self._shares:
            here, there = context.Pipe()
            # A child that kept a copy of the parent's end would never see it close.
            ours = [here, *(pipe for _, pipe in self._hands)]
            process = context.Process(target=_work, args=(self._producer, share, there, ours), daemon=True)
            process.start()
            there.close()
            self._hands.append((process, here))

    def _replies(self) -> list[Any]:
        replies = []
        for _, pipe in self._hands:
            try:
                reply = pipe.recv()
            except EOFError:
                raise SkillgenError("a process of the build ended early; run it again") from None
            if isinstance(reply, SkillgenError):
                raise reply
            replies.append(reply)
        return replies


def _work(producer: Producer, share: list[str], pipe: Connection, parents: Sequence[Connection]) -> None:
    for end in parents:
        end.close()
    try:
        pipe.send(producer.render(share))
        lock, check = pipe.recv()
        pipe.send(producer.check(lock) if check else producer.write(lock))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        # The parent gave up; what it did not ask for is not written.
        return
    except SkillgenError as error:
        pipe.send(error)
