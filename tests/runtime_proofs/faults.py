"""Talk to the server that runs a bundle's script and kills it where it is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime_proofs.bundle import cache, environment, python, skill
from runtime_proofs.scenario import Place


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    events: int
    last: str
    outside: tuple[str, ...]
    stdout: str


class FaultServer:
    def __init__(self, flavor: str) -> None:
        self.process = subprocess.Popen(
            [python(), str(Path(__file__).with_name("fault_server.py")), str(skill(flavor) / "scripts")],
            env={"PATH": os.environ["PATH"], "PYTHONPYCACHEPREFIX": str(cache() / "pyc")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            text=True,
        )

    def __enter__(self) -> FaultServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=10)

    def run(self, place: Place, arguments: list[str], at: int | None = None) -> Ended:
        """Run once; with `at`, the process is killed at its `at`-th event (from 1)."""
        assert self.process.stdin and self.process.stdout
        output = place.base.parent / f"{place.base.name}.out"
        request: dict[str, Any] = {"cwd": str(place.cwd), "env": environment(place.home, place.env), "argv": arguments}
        self.process.stdin.write(json.dumps({**request, "at": at, "output": str(output)}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return Ended(
            answer["code"],
            answer["events"],
            answer["last"],
            tuple(answer["outside"]),
            output.read_text(encoding="utf-8"),
        )
