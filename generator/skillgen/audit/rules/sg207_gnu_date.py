"""A date needs GNU date.

What it checks: `date -d`, `date --date` and `%N`, unless the same line falls back to a portable form (`date -v`, python3, perl, node).

Why it matters: macOS and BSD refuse `-d`: the variable is empty there, and what is written with it is ignored by its reader.

How to fix it: compute it in python3: `python3 -c 'import datetime as d; …'`. `--fix` does it for offsets in seconds, minutes,
hours and days with a plain format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, edit, on_command
from skillgen.audit.shell import Command
from skillgen.audit.text import Text
from skillgen.model.finding import Edit

CODE = "SG207"
TITLE = "GNU-only date"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_FALLBACK = re.compile(r"\bdate\b[^\n|]*\s-\w*v\s*[+-]?\d|\bpython3?\b|\bperl\b|\bnode\b|\bgdate\b", re.A)
_OFFSET = re.compile(r"([+-]?\s*\d+)\s*(second|sec|minute|min|hour|day)s?$", re.A)
_UNITS = {"second": "seconds", "sec": "seconds", "minute": "minutes", "min": "minutes", "hour": "hours", "day": "days"}


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "date"):
        gnu = any(re.match(r"-\w*d$|-d[+\"'\d]|--date", word.value) for word in command.words)
        nano = any(word.value.startswith("+") and "%N" in word.value for word in command.words)
        if (gnu or nano) and not _has_fallback(command):
            yield on_command(
                command,
                f"`date {'-d' if gnu else '+%N'}` exists in GNU date only",
                "compute it with python3, or fall back to `date -v`",
                _portable(subject, command),
            )


def _has_fallback(command: Command) -> bool:
    """Whether an `||` after it, or another branch of the block, holds a portable form."""
    text = command.fragment.text
    end = text.find("\n", command.end)
    rest = text[command.end : end if end >= 0 else len(text)]
    if "||" in rest:
        after = text[command.end + rest.index("||") :]
        if _FALLBACK.search(after[:400]):
            return True
    return any(_FALLBACK.search(command.fragment.source(node)) for node in command.inside("if_statement"))


def _portable(subject: Text, command: Command) -> tuple[Edit, ...]:
    """Replace the one form that is understood: UTC, one offset, one format of plain letters."""
    values = [word.value for word in command.words]
    if "\n" in command.source or any(word.expands for word in command.words):
        return ()
    joined = " ".join(values)
    match = re.fullmatch(r"(?:-u )?(?:-d|-ud|--date|--date=)\s?(.+?) \+([%\w:TZ.-]+)", joined)
    offset = _OFFSET.search(match[1]) if match else None
    if not match or not offset or match[1].replace(offset[0], "").strip() not in ("", "now") or "-u" not in joined:
        return ()
    count = offset[1].replace(" ", "").removeprefix("+")
    code = (
        "import datetime as d; print((d.datetime.now(d.timezone.utc) + "
        f'd.timedelta({_UNITS[offset[2]]}={count})).strftime("{match[2]}"))'
    )
    return (edit(subject, command.fragment, command.start, command.end, f"python3 -c '{code}'"),)
