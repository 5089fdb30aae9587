"""Time the audit on 135 texts of 300 lines beside ruff on as many lines and skillsaw on the same files.

Run by hand: `python tests/benchmarks/audit_speed.py`. ruff and skillsaw are timed where they are installed.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COUNT = 135
LINES = 300
FIXTURES = Path(__file__).parent.parent / "audit" / "fixtures"


def write_texts(root: Path) -> int:
    """Write the texts below `root`, made from the rebuilt ones under new names; return how many lines they have."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(FIXTURES.glob("*/cancel/SKILL.md"))]
    total = 0
    for number in range(COUNT):
        text = sources[number % len(sources)]
        # No text and no block stands twice, so that nothing is saved by having seen it.
        text = text.replace("state/", f"state{number}/").replace("echo", f"echo {number}")
        lines = text.split("\n")
        more = sources[(number + 1) % len(sources)].split("---\n", 2)[2].split("\n")
        lines = (lines + more + more)[:LINES]
        if sum(line.startswith("```") for line in lines) % 2:
            lines[-1] = "```"
        path = root / f"p{number}" / "cancel" / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        total += len(lines)
    return total


def write_python(root: Path, lines: int) -> None:
    """Write as many lines of real Python: this package, again and again."""
    import skillgen

    pool = [
        line
        for path in sorted(Path(skillgen.__file__).parent.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").split("\n")
    ]
    for number in range(COUNT):
        piece = [pool[(number * LINES + n) % len(pool)] for n in range(lines // COUNT)]
        (root / f"m{number}.py").write_text("\n".join(piece) + "\n", encoding="utf-8")


def clock(command: list[str], rounds: int) -> str:
    """Return the best of some runs: seconds on the clock and of the processor (its own and its children's)."""
    best, used = 1e9, 1e9
    # Bytecode is written and read, as wherever a program is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False, env=environment)
        best = min(best, time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = min(used, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return f"{best:6.2f} s, {used:6.2f} s cpu"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        texts, python = Path(name, "texts"), Path(name, "python")
        texts.mkdir()
        python.mkdir()
        lines = write_texts(texts)
        write_python(python, lines)
        here = str(Path(sys.executable).parent)
        print(f"{COUNT} texts, {lines} lines; best of {rounds}")
        audit = [sys.executable, "-m", "skillgen", "audit", str(texts), "--no-shellcheck", "--format", "json"]
        print(f"skillgen audit  {clock(audit, rounds)}")
        for tool, arguments, note in (
            ("ruff", ["check", "--no-cache", "--isolated", str(python)], "as many lines of Python"),
            ("skillsaw", ["lint", str(texts)], "the same files"),
        ):
            program = shutil.which(tool, path=here) or shutil.which(tool)
            if program:
                print(f"{tool:<15} {clock([program, *arguments], rounds)}  ({note})")
            else:
                print(f"{tool:<15} not installed")


if __name__ == "__main__":
    main()
