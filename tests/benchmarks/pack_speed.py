"""Measure `skillgen pack` as whole processes beside `zip -r` of the same trees and `apm pack` of as many skills.

usage: .venv/bin/python tests/benchmarks/pack_speed.py [skills...]      (default 5 20 80; apm: tests/clients/install apm)
Prints the median of five runs: seconds of processor time (user and system) and on the wall, and bytes written.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = 5
CACHE = Path(os.environ.get("SKILLGEN_CLIENTS") or Path.home() / ".cache" / "skillgen-clients")


def measure(command: Sequence[str], cwd: Path, out: Path) -> tuple[float, float, int]:
    """Return (processor seconds, wall seconds, bytes written) of one run into an empty `out`."""
    shutil.rmtree(out, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout + done.stderr
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, size


def median(command: Sequence[str], cwd: Path, out: Path) -> tuple[float, float, int]:
    rows = [measure(command, cwd, out) for _ in range(RUNS)]
    return statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows), rows[0][2]


def flavors(root: Path, count: int) -> list[str]:
    """Write `count` flavors that differ in name and words; return the options that choose them."""
    (root / "flavors").mkdir(parents=True)
    options = ["--flavors", str(root / "flavors")]
    for number in range(count):
        (root / "flavors" / f"bench{number}.yaml").write_text(
            f"schema_version: 1\nbase: omc\nplugin:\n  name: bench-{number}\nmessages:\n  none: Nothing runs in {number}.\n"
        )
        options += ["--flavor", f"bench{number}"]
    return options


def apm_project(root: Path, built: Path, count: int) -> Path:
    """Lay the same skills out for apm and lock them."""
    for number in range(count):
        skill = root / ".apm" / "skills" / f"cancel{number}"
        shutil.copytree(built / f"bench{number}" / "skills" / "cancel", skill)
        text = (skill / "SKILL.md").read_text()
        (skill / "SKILL.md").write_text(text.replace("name: cancel", f"name: cancel{number}", 1))
    (root / "apm.yml").write_text(
        "name: bench\nversion: 0.1.0\ndescription: Bench.\nauthor: Toys\nlicense: MIT\n"
        "dependencies:\n  apm: []\ntargets:\n  - claude\n"
    )
    subprocess.run([CACHE / "apm/bin/apm", "install"], cwd=root, capture_output=True, check=True)
    return root


def compare(count: int, others: bool = True) -> dict[str, tuple[float, float, int]]:
    """Return tool -> (processor seconds, wall seconds, bytes) for `count` skills; `others`: also what is not ours."""
    skillgen = [sys.executable, "-m", "skillgen"]
    with tempfile.TemporaryDirectory(prefix="pack-speed-") as temporary:
        root = Path(temporary)
        options = flavors(root, count)
        subprocess.run([*skillgen, "build", "--out", str(root / "dist"), *options], check=True, capture_output=True)
        rows = {}
        pack = [*skillgen, "pack", "--format", "plugin-zip", "--out", str(root / "out"), "--dist", str(root / "dist")]
        rows["skillgen pack"] = median([*pack, *options], root, root / "out")
        script = (
            'mkdir -p ../zip; for d in *; do [ -d "$d" ] && (cd "$d" && zip -q -r "../../zip/$d.zip" .); done; true'
        )
        rows["zip -r, one a bundle"] = median(["sh", "-c", script], root / "dist", root / "zip")
        if (CACHE / "apm/bin/apm").exists():
            project = apm_project(root / "apm", root / "dist", count)
            command = [str(CACHE / "apm/bin/apm"), "pack", "--archive", "--offline", "--format", "agent-plugin"]
            rows["apm pack"] = median(command, project, project / "build")
        return rows


def main() -> None:
    for count in [int(argument) for argument in sys.argv[1:]] or [5, 20, 80]:
        print(f"{count} skills")
        for tool, (cpu, wall, size) in compare(count).items():
            print(f"  {tool:22} {cpu:6.2f} s processor  {wall:6.2f} s wall  {size / 1024:8.0f} KiB")


if __name__ == "__main__":
    main()
