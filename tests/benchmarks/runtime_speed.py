"""Measure the rendered scripts, each figure beside what it is held against.

Run by hand: `python tests/benchmarks/runtime_speed.py [startup] [forks] [all]`; `--help` names what can be chosen.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from reference_loop import MODE

from runtime_proofs.bundle import FLAVORS, command, environment, python, run
from runtime_proofs.scenario import Place, place

RECORD = '{\n  "active": true,\n  "iteration": 3,\n  "prompt": "build the thing"\n}'


def put(flavor: str, base: Path, sessions: int = 1) -> Place:
    if flavor == "omni":
        return place(flavor, base, rows={f"s{n}": {"ultraqa": {"active": True}} for n in range(1, sessions + 1)})
    here = place(flavor, base)
    for number in range(1, sessions + 1):
        arm(flavor, here, number)
    return here


def directory(flavor: str, here: Place, number: int = 1) -> Path:
    return here.base / "ws" / f".{flavor}" / "state" / "sessions" / f"s{number}"


def arm(flavor: str, here: Place, number: int = 1) -> None:
    where = directory(flavor, here, number)
    where.mkdir(parents=True, exist_ok=True)
    (where / f"{MODE[flavor]}-state.json").write_text(RECORD)


def timed(arguments: list[str], here: Place) -> tuple[float, float]:
    """Seconds on the clock, and of the processor: the second is steadier on a busy machine."""
    start = time.perf_counter()
    child = subprocess.Popen(
        arguments,
        cwd=here.cwd,
        env=environment(here.home, here.env),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, arguments
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def startup(base: Path, turns: int = 25) -> list[str]:
    """Interleave all programs, so that a busy machine slows them alike."""
    places = {flavor: put(flavor, base / flavor) for flavor in FLAVORS}
    some = places["pep"]
    took: dict[str, list[tuple[float, float]]] = {}
    for turn in range(turns + 3):
        each = {
            "python3 -c pass": ([python(), "-c", "pass"], some),
            "import json": ([python(), "-c", "import json"], some),
        }
        for flavor, here in places.items():
            if flavor != "omni":
                arm(flavor, here)
            each[f"cancel.py {flavor}"] = ([*command(flavor, "py"), "--session-id", "s1"], here)
        for name, (arguments, here) in each.items():
            if name == "cancel.py omni":
                shutil.rmtree(base / "omni")
                here = put("omni", base / "omni")
            seconds = timed(arguments, here)
            if turn >= 3:
                took.setdefault(name, []).append(seconds)
    base_line = [statistics.median(each) for each in zip(*took["python3 -c pass"], strict=True)]
    lines = [f"Start and cancel of one session (median of {turns}; goal: at most 3 x `python3 -c pass`)"]
    for name, values in took.items():
        clock, processor = (statistics.median(each) for each in zip(*values, strict=True))
        lines.append(
            f"  {name:18} {clock * 1000:7.1f} ms  {clock / base_line[0]:5.2f} x   "
            f"processor {processor * 1000:6.1f} ms  {processor / base_line[1]:5.2f} x"
        )
    return lines


def forks(base: Path) -> list[str]:
    """Count the processes of cancel.sh on one session where no python3 works."""
    if not shutil.which("strace"):
        return ["forks of cancel.sh: strace is absent"]
    lines = ["Processes of cancel.sh without python3 (goal: at most 30)"]
    for how in ("bare", "nojq"):
        for flavor in ("rcs", "pep", "omc", "omd"):
            count = fork_count(flavor, how, base / f"{flavor}-{how}")
            lines.append(f"  {flavor:5} {'with jq' if how == 'bare' else 'without jq':11} {count:3}")
    return lines


def fork_count(flavor: str, how: str, base: Path) -> int:
    here = put(flavor, base)
    log = base / "strace.log"
    done = run(
        flavor,
        ["--session-id", "s1", "--mode", MODE[flavor]],
        cwd=here.cwd,
        home=here.home,
        how=how,
        prefix=("strace", "-f", "-qq", "-e", "trace=fork,vfork,clone,clone3", "-o", str(log)),
    )
    assert done.exit == 0, done
    assert not (directory(flavor, here) / f"{MODE[flavor]}-state.json").exists()
    return len(re.findall(r"(?:fork|clone3?)\(.*= \d+$", log.read_text(), re.MULTILINE))


def measured(arguments: list[str], here: Place, env: dict[str, str]) -> tuple[float, float, float]:
    """Seconds on the clock and of the processor, and the peak of memory in MiB, of a child."""
    start = time.perf_counter()
    child = subprocess.Popen(arguments, cwd=here.cwd, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, arguments
    memory = usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024)
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, memory


def loop(flavor: str, there: Place) -> list[str]:
    """The command that runs the reference on the same sessions."""
    program = Path(__file__).with_name("reference_loop.py")
    return [python(), str(program), flavor, str(directory(flavor, there).parent)]


def compared(flavor: str, size: int, base: Path) -> str:
    """The best of some turns of ours and of the reference, by turns, so that a busy machine slows both alike."""
    ours, theirs = [], []
    for turn in range(1 if size > 1000 else 3):
        here, there = put(flavor, base / f"{turn}-ours", size), put(flavor, base / f"{turn}-reference", size)
        env = environment(here.home, {})
        ours.append(measured([*command(flavor, "py"), "--all", "--json"], here, env))
        theirs.append(measured(loop(flavor, there), there, env))
        shutil.rmtree(here.base)
        shutil.rmtree(there.base)
    clock, processor, memory = (min(each) for each in zip(*ours, strict=True))
    their_clock, their_processor, _ = (min(each) for each in zip(*theirs, strict=True))
    return (
        f"  {flavor:4} {size:6} sessions {clock:7.2f} s, reference {their_clock:7.2f} s: {clock / their_clock:5.2f} x; "
        f"processor {processor:6.2f} s, reference {their_processor:6.2f} s; {clock / size * 1000:6.2f} ms each; {memory:5.1f} MiB"
    )


def calls(arguments: list[str], here: Place, env: dict[str, str], log: Path) -> dict[str, int]:
    wanted = "fsync,fdatasync,link,linkat,unlink,unlinkat,rename,renameat,renameat2,rmdir"
    subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={wanted}", "-o", str(log), *arguments],
        cwd=here.cwd,
        env=env,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    found: dict[str, int] = {}
    for name in re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE):
        short = name.removesuffix("2").removesuffix("at").replace("fdatasync", "fsync")
        found[short] = found.get(short, 0) + 1
    return found


def every_session(base: Path, sizes: list[int]) -> list[str]:
    lines = ["--all (goal: linear, at most 1.5 x the reference loop, under 60 MiB at 10,000 sessions)"]
    for flavor in ("omc", "pep"):
        lines += [compared(flavor, size, base / flavor) for size in sizes]
        if shutil.which("strace"):
            here, there = put(flavor, base / "a", 50), put(flavor, base / "b", 50)
            env = environment(here.home, {"PYTHONDONTWRITEBYTECODE": "1"})
            lines.append(
                f"    calls at 50 sessions: {calls([*command(flavor, 'py'), '--all'], here, env, base / 'log')}"
            )
            lines.append(f"    reference:            {calls(loop(flavor, there), there, env, base / 'log')}")
            shutil.rmtree(base / "a")
            shutil.rmtree(base / "b")
    lines.append("  The published server took 1.1 s to list and clear ONE of 1,000 sessions and 14.8 s of 10,000;")
    lines.append("  its clear of all sessions took 4.7 s at 100 and had not ended after 500 s at 1,000.")
    return lines


def main() -> None:
    parts = ("startup", "forks", "all")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(parts)}; without one, all of them")
    parser.add_argument("--sessions", default="100,1000,10000", help="how many sessions `all` cancels: %(default)s")
    parser.add_argument(
        "--base", help="a directory on the disk to measure on, where it is not the one of temporary files"
    )
    options = parser.parse_args()
    if unknown := set(options.parts) - set(parts):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    sizes = [int(size) for size in options.sessions.split(",")]
    measure = {"startup": startup, "forks": forks, "all": lambda place: every_session(place, sizes)}
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    with tempfile.TemporaryDirectory(prefix="skillgen-speed-", dir=options.base) as base:
        for name in options.parts or parts:
            print("\n".join(measure[name](Path(base) / name)), flush=True)


if __name__ == "__main__":
    main()
