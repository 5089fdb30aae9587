"""A state file is written in place.

What it checks: `>` (not `>>`) onto a JSON file by `jq`, `sed`, `echo`, `printf`, `cat`, `python3` or `node`, where the target is a state,
signal or settings file (a warning) or one that the same pipeline reads (an error). A temporary file beside it, renamed afterwards, is right.

Why it matters: the shell empties the file before the first command runs. With jq missing, a full disk or an interrupt, 0 bytes
are left: the resume data that the text promises to keep is gone, and a hook that reads in between sees half a file.

How to fix it: `tmp="$file.tmp.$$"; jq '.active = false' "$file" > "$tmp" && mv "$tmp" "$file"`, or use the state tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import denied, on_command
from skillgen.audit.text import Text

CODE = "SG204"
TITLE = "state file written in place"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_WRITERS = {"jq", "sed", "awk", "echo", "printf", "cat", "python", "python3", "node", "yq", "perl", "tee"}
_STATE = re.compile(
    r"(?:state|signal|settings|config|marker|progress|ledger|status|registry|active)[\w.-]*\.json$|\$\{?\w*(?:STATE|SIGNAL)\w*_?FILE\}?$",
    re.A,
)
_TEMPORARY = re.compile(r"te?mp|\.new\b|\.next\b|\$\$|/dev/|mktemp", re.I | re.A)
_REPAIR = 'write a temporary file beside it and rename it: {} … > "$f.tmp.$$" && mv "$f.tmp.$$" "$f"'


def check(subject: Text) -> Iterator[Hit]:
    for command in subject.commands:
        if command.name not in _WRITERS or denied(subject, command):
            continue
        targets = [target for operator, target in command.redirects if operator in (">", ">|")]
        if command.name == "tee" and "-a" not in command.options().split():
            targets += [word.value for word in command.operands()]
        for target in targets:
            if _TEMPORARY.search(target) or not target:
                continue
            reads = any(target in stage.split(">")[0] for stage in command.pipeline)
            transforms = command.name in ("jq", "yq") and target.endswith(".json")
            if reads or transforms or _STATE.search(target):
                repair = _REPAIR.format(command.name)
                if reads or transforms:
                    what = "onto the file that it reads" if reads else "in place"
                    yield on_command(command, f"{target} is rewritten {what}: an interrupt leaves it empty", repair)
                else:
                    message = f"{target} is written in place: a reader can see it empty or half written"
                    yield on_command(command, message, repair, severity=Severity.WARNING)
