#!/usr/bin/env python3
"""Compare `skillgen watch` with `diff -r` and `git diff --no-index --stat` on two trees of 5,000 files, and on two texts.

    python tests/benchmarks/watch_speed.py [FILES]

Prints seconds, ratios and the peak memory of `watch`; asserts nothing.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from watch.family import BASE, PLANTED


def tree(top: Path, files: int, text: str) -> None:
    (top / "skills/cancel").mkdir(parents=True)
    (top / "skills/cancel/SKILL.md").write_text(text)
    (top / "package.json").write_text('{"name": "loom", "version": "1"}')
    for number in range(files):
        path = top / f"dist/{number % 50}/{number}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"export const value{number} = process.env.LOOM_{number % 40};\n" * 60)


def seconds(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main() -> None:
    files = int(sys.argv[1]) if sys.argv[1:] else 5000
    with tempfile.TemporaryDirectory() as directory:
        old, new = Path(directory, "old"), Path(directory, "new")
        tree(old, files, BASE.text())
        tree(new, files, PLANTED["flags split"][0].text())
        watch = [sys.executable, "-m", "skillgen", "watch"]
        times = {
            "watch": min(seconds(*watch, str(old), str(new)) for _ in range(3)),
            "diff -r": min(seconds("diff", "-rq", str(old), str(new)) for _ in range(3)),
            "git diff": min(seconds("git", "diff", "--no-index", "--stat", str(old), str(new)) for _ in range(3)),
        }
        texts = [str(top / "skills/cancel") for top in (old, new)]
        text = min(seconds(*watch, *texts) for _ in range(3))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        for name, value in times.items():
            print(f"{files} files: {name:8} {value:6.2f} s  watch is {times['watch'] / value:5.2f} x")
        print(f"two texts: {text:.2f} s; peak memory of the children {peak} MiB")


if __name__ == "__main__":
    main()
