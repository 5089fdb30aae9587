"""Measure `skillgen build` beside what it cannot do without, and beside rulesync.

    python tests/benchmarks/build.py [--rounds 11] [--flavors 500] [--rulesync node_modules/.bin/rulesync]

rulesync (npm) renders five command files, its nearest thing, for five targets; it is measured only if its program is given.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from side_by_side import Candidate, compare

PACKAGES = "click, jinja2, markdown_it, pydantic, ruamel.yaml"
TARGETS = "claudecode,codexcli,cursor,geminicli,roo"


def measure(rounds: int, flavors: int, rulesync: Path | None, top: Path) -> Iterator[list[str]]:
    """Yield the lines of each comparison; the aim stands in its title."""
    skillgen = [sys.executable, "-m", "skillgen"]
    out = top / "dist"
    cold = [*skillgen, "build", "--out", out]
    click = Candidate("import click", [sys.executable, "-c", "import click"])
    packages = Candidate("import of the five packages", [sys.executable, "-c", f"import {PACKAGES}"])

    yield compare("skillgen --version", [Candidate("skillgen --version", [*skillgen, "--version"]), click], rounds)

    Candidate("", cold).run()
    check = Candidate("build --check, nothing changed", [*cold, "--check"])
    yield compare("build --check, aim 2 x", [check, click], rounds)

    build = Candidate("cold build of all current flavors", cold, lambda: _aside(out))
    yield compare("cold build, aim 3 x", [build, packages], rounds)
    if rulesync:
        try:
            yield compare("cold build beside rulesync", [build, _rulesync(rulesync, top / "rulesync")], rounds)
        except RuntimeError as error:
            yield [f"cold build beside rulesync: left out, since {str(error).splitlines()[0]}"]

    yield from _many(skillgen, flavors, rounds, top)


def _many(skillgen: list[str], flavors: int, rounds: int, top: Path) -> Iterator[list[str]]:
    """Compare many synthetic flavors with half as many; twice the time is linear."""
    candidates = []
    for count in (flavors, flavors // 2):
        own, out = top / f"flavors{count}", top / f"dist{count}"
        own.mkdir()
        for number in range(count):
            name = f"product: {{name: P{number}, title: Product {number}}}"
            (own / f"synthetic-{number}.yaml").write_text(f"base: {('omc', 'pep', 'rcs')[number % 3]}\n{name}\n")
        candidates.append(([*skillgen, "build", "--flavors", own, "--out", out], count, out))

    def cold(command: list[str | Path], count: int, out: Path) -> Candidate:
        return Candidate(f"{count} synthetic flavors, cold", command, lambda: _aside(out))

    yield compare("many flavors cold, aim 5 s, 2 x", [cold(*each) for each in candidates], max(1, rounds // 4))
    warm = [Candidate(f"{count} synthetic flavors, warm", command) for command, count, _ in candidates]
    yield compare("many flavors warm, aim 1 s, 2 x", warm, max(1, rounds // 2))
    checks = [
        Candidate(f"{count} synthetic flavors, --check", [*command, "--check"]) for command, count, _ in candidates
    ]
    yield compare("many flavors --check", checks, max(1, rounds // 2))


def _aside(out: Path) -> None:
    """Move what an earlier round wrote out of the way.

    Removed, it would slow the next round: ext4 looks long for an inode where thousands were freed a moment ago.
    """
    if out.exists():
        out.rename(out.with_name(f"{out.name}-{len(list(out.parent.iterdir()))}"))


def _rulesync(program: Path, place: Path) -> Candidate:
    commands = place / ".rulesync/commands"
    commands.mkdir(parents=True)
    for number in range(5):
        text = "---\ndescription: Cancel.\ntargets: ['*']\n---\n\n# Cancel\n" + "One line of text.\n" * 300
        (commands / f"cancel{number}.md").write_text(text)
    script = 'cd "$1" && exec "$2" generate --targets "$3" --features commands'
    command = ["sh", "-c", script, "sh", place, program.resolve(), TARGETS]
    return Candidate("rulesync, five commands for five targets", command)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--flavors", type=int, default=500)
    parser.add_argument("--rulesync", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as top:
        for lines in measure(chosen.rounds, chosen.flavors, chosen.rulesync, Path(top)):
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
