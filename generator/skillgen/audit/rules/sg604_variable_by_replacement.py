"""Variable name made by replacement.

What it checks: a variable such as `GEMINICODE_SESSION_ID`: `CLAUDECODE_…` or `CLAUDE_CODE_…` with another product's
name put in.

Why it matters: no host sets it. The session id is always empty, and every path for a missing id is taken.

How to fix it: use the variable that the host sets, or pass the id that the hook got.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text
from skillgen.hosts import follows_hosts, known_hosts

CODE = "SG604"
TITLE = "variable name made by replacement"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

#: Products that are really called … Code.
_REAL = {
    "CLAUDE",
    "QWEN",
    "OPEN",
    "KIMI",
    "VS",
    "ROO",
    "MIMO",
    "COSTRICT",
    "EXIT",
    "ERROR",
    "STATUS",
    "HTTP",
    "OP",
    "QR",
    "REASON",
    "LANG",
    "COUNTRY",
    "RETURN",
}
_NAME = re.compile(
    r"(?<![A-Z0-9_])([A-Z][A-Z0-9]*?)_?CODE_(SESSION_ID|PLUGIN_ROOT|PROJECT_DIR|ENTRYPOINT|SSE_PORT|CONFIG_DIR)\b", re.A
)


@follows_hosts
def _list_set_variables() -> frozenset[str]:
    """Return the variables that some host really sets."""
    hosts = known_hosts().values()
    return frozenset(name for host in hosts for name in (host.plugin_root, *host.session.variables) if name)


def check(subject: Text) -> Iterator[Hit]:
    seen: set[str] = set()
    for number, match in scan(subject, _NAME):
        if match[1] not in _REAL and match[0] not in seen and match[0] not in _list_set_variables():
            seen.add(match[0])
            yield Hit(
                number,
                f"no program sets {match[0]}",
                "use the variable that the host sets",
                match.start() + 1,
                match.end() + 1,
            )
