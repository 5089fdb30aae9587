"""A process is killed by a recorded number.

What it checks: `kill` with a number read from a file or a state record (`$(cat x.pid)`, `jq -r .pid`, a variable filled so,
`xargs kill`), and `pkill -f` or `killall`, unless the block first compares the start time or the command line.

Why it matters: process numbers are reused. After a restart the recorded one belongs to something else of the same user.

How to fix it: record pid and start time together; before the signal compare `ps -o lstart= -p "$pid"` (or field 22 of
`/proc/$pid/stat`) with the record, and send nothing when they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, on_command
from skillgen.audit.text import Text

CODE = "SG206"
TITLE = "process killed by a recorded number"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_REPAIR = "compare the recorded start time or command line (ps -o lstart= -p PID) before the signal"
_RECORD = r"(?:cat\s|<\s*|jq\b|head\b|sed\b|grep\b|awk\b|read\b|pgrep\b|pidof\b|lsof\b|fuser\b).*"
_CHECKED = re.compile(
    r"\blstart\b|/proc/\S*(?:stat|cmdline)|\bps\b[^\n|]*-o\s*\S*(?:args|command|cmd|comm|start)|pid_start|process_?start",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "kill", "pkill", "killall", "xargs"):
        block = command.fragment.text
        if command.name == "xargs":
            if not any(word.value == "kill" for word in command.words):
                continue
            recorded = bool(re.search(r"\.pid\b|\bpid|pgrep|jq", " ".join(command.pipeline[: command.stage])))
        elif command.name == "kill":
            if any(word.value in ("-0", "-l") or word.value.startswith("%") for word in command.words):
                continue
            recorded = any(_is_recorded(block, word.raw) for word in command.words)
        elif command.name == "pkill":
            recorded = "-f" in command.options() or bool(command.operands())
        else:
            recorded = True
        if recorded and not _CHECKED.search(block):
            what = "by name" if command.name in ("pkill", "killall") else "by a recorded number"
            yield on_command(command, f"a process is killed {what} without a look at whose it is", _REPAIR)


def _is_recorded(block: str, raw: str) -> bool:
    if re.search(rf"\$\(\s*{_RECORD}\)|`\s*{_RECORD}`", raw, re.S):
        return True
    name = re.fullmatch(r"[\"']?-?\$\{?(\w+)\}?[\"']?", raw)
    if name:
        return bool(
            re.search(rf"\b{name[1]}=[\"']?(?:\$\(|`)\s*{_RECORD}", block)
            or re.search(rf"\bread\b[^\n;|]*\b{name[1]}\b", block)
            or re.search(rf"\bfor\s+{name[1]}\s+in\s+[^\n;]*(?:\$\(|`)", block)
        )
    return bool(re.search(r"<\w*pid\w*>|\{\w*pid\w*\}", raw, re.I))
