"""Measure whole processes side by side: A B A B …, medians and their ratio."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Command = Sequence[str | Path]


@dataclass(slots=True)
class Candidate:
    """A command to measure; `before` runs ahead of each round and is not measured."""

    name: str
    command: Command
    before: Callable[[], object] = lambda: None
    environment: Mapping[str, str] = field(default_factory=dict)
    walls: list[float] = field(default_factory=list)
    """Seconds of each round."""
    cpus: list[float] = field(default_factory=list)
    """Seconds of processor time, children included."""
    peak_kib: int = 0
    """Largest resident set of one process, in KiB."""

    def run(self) -> None:
        """Run once and note the figures; raise if the command fails."""
        self.before()
        # Bytecode is written and read, as wherever a program is installed.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in self.command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**environment, **self.environment},
        )
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.walls.append(time.perf_counter() - start)
        self.cpus.append(used.ru_utime + used.ru_stime)
        self.peak_kib = max(self.peak_kib, used.ru_maxrss)
        process.stderr.close()
        if process.returncode:
            raise RuntimeError(f"{self.name} failed: {errors.decode(errors='replace')[-500:]}")


def compare(title: str, candidates: Sequence[Candidate], rounds: int) -> list[str]:
    """Measure the candidates in turn, after one round each to warm up; return lines with ratios to the last of them."""
    for candidate in candidates:
        candidate.run()
        candidate.walls.clear()
        candidate.cpus.clear()
    for _ in range(rounds):
        for candidate in candidates:
            candidate.run()
    base = candidates[-1]
    lines = [f"{title}  (median of {rounds}, load {os.getloadavg()[0]:.1f})"]
    for candidate in candidates:
        wall, cpu = statistics.median(candidate.walls), statistics.median(candidate.cpus)
        # Pairs that ran next to each other saw the same load.
        ratio = statistics.median(mine / other for mine, other in zip(candidate.walls, base.walls, strict=True))
        lines.append(
            f"  {candidate.name:<44} {wall * 1000:8.0f} ms  {cpu * 1000:8.0f} ms cpu  "
            f"{candidate.peak_kib / 1024:6.0f} MiB  {ratio:6.2f} x"
        )
    return lines
