"""A script's executable bit does not fit its content.

What it checks: a file under a `scripts` directory that opens with `#!` is executable, and a file that is executable
opens with `#!` or is a binary.

Why it matters: installers keep the bit, so `./scripts/x.sh` fails with "permission denied" for every user; Markdown
that is executable trips security scans. Where no file is executable and no repository says that modes count, it is a note: what
unpacked the tree may keep none.

How to fix it: `chmod +x FILE`, or `chmod -x FILE`.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Bundle

CODE = "SG410"
TITLE = "executable bit does not fit"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

_TEXTS = (".md", ".json", ".yaml", ".yml", ".txt", ".toml")


def check(subject: Bundle) -> Iterator[Hit]:
    for path, file in subject.files.items():
        if file.link:
            continue
        if file.executable and path.endswith(_TEXTS):
            yield Hit(0, "the file is executable and no program", f"chmod -x {path}", path=path)
        elif not file.executable and "scripts" in path.split("/")[:-1] and file.read()[:2] == b"#!":
            # Where nothing is, the tree may have come in something that keeps no modes.
            severity = SEVERITY if subject.tree.modes else Severity.NOTE
            yield Hit(0, "the script is not executable", f"chmod +x {path}", path=path, severity=severity)
