"""A shell block does not parse.

What it checks: every fenced block that names a shell goes through `bash -n` (without bash: the built-in parser); nothing is
run. A placeholder such as `<run_id>`, which a shell reads as two redirections, counts too; in a block that only shows how
a program is called (no variables, pipes or redirections, no standard utility) it is a note.

Why it matters: the host pastes the block into a shell as it stands; it fails on the first try or writes to a file of a strange name.

How to fix it: a tool call or pseudo code belongs into a `text` fence; quote a placeholder: `"<run_id>"`; close what is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.fragments import PROGRAMS
from skillgen.audit.hits import on_span
from skillgen.audit.rules.sg208_here_document_on_one_line import ONE_LINE
from skillgen.audit.shell import Fragment
from skillgen.audit.text import Text

CODE = "SG209"
TITLE = "shell block does not parse"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_PLACEHOLDER = re.compile(r"(?<![<\w\"'$=-])<[A-Za-z][\w.-]*>(?!\()", re.A)
#: What a synopsis leaves open: `<name>`, `<a|b>`, `[--flag]`.
_OPEN = re.compile(r"<[^<>\n]*>|\[[^\[\]\n]*\]", re.A)
_WORKS = re.compile(rf"[$|;&<>()]|^(?:{PROGRAMS}|sudo|if|for|while|case|do|done|fi|then)\b(?!-)", re.A)
_REPAIR = "fence pseudo code and tool calls as text, quote placeholders, close what is open"


def check(subject: Text) -> Iterator[Hit]:
    for fragment in subject.fragments:
        if fragment.kind != "fence" or fragment.lang not in ("bash", "sh", "shell", "zsh", "ksh", "dash"):
            continue
        placeholders = list(_placeholders(fragment))
        named = {hit.line for hit in placeholders}
        if not ("<<" in fragment.text and ONE_LINE.search(fragment.text)):  # SG208 says so, the rest cannot be judged
            yield from (hit for hit in _parse(subject, fragment) if hit.line not in named)
        yield from placeholders


def _parse(subject: Text, fragment: Fragment) -> Iterator[Hit]:
    reports = subject.shell
    if reports is not None and reports.has_bash and fragment.text in reports.bash:
        errors = reports.bash[fragment.text]
        if errors and fragment.lang != "zsh":
            error = min(errors, key=lambda each: "here-document" in each.message)
            line = min(fragment.line + error.line - 1, fragment.line + fragment.text.count("\n"))
            severity = Severity.NOTE if "<" in fragment.text and _synopsis(fragment.text) else None
            column = fragment.columns[line - fragment.line] + 1
            yield Hit(line, f"bash: {error.message}", _REPAIR, column, severity=severity)
        return
    if fragment.tree.root_node.has_error:
        node = next(
            (node for node in fragment.walk() if node.type == "ERROR" or node.is_missing), fragment.tree.root_node
        )
        yield on_span(
            fragment, node.start_byte, max(node.end_byte, node.start_byte + 1), "no shell can parse this", _REPAIR
        )


def _placeholders(fragment: Fragment) -> Iterator[Hit]:
    if "<" not in fragment.text:
        return
    quoted = [
        (node.start_byte, node.end_byte)
        for kind in ("string", "raw_string", "comment", "heredoc_body", "ansi_c_string")
        for node in fragment.nodes(kind)
    ]
    severity = Severity.NOTE if _synopsis(fragment.text) else None
    lines: dict[int, list[re.Match[str]]] = {}
    for match in _PLACEHOLDER.finditer(fragment.text):
        if not any(start <= match.start() < end for start, end in quoted):
            lines.setdefault(fragment.place(match.start())[0], []).append(match)
    for found in lines.values():
        names = list(dict.fromkeys(match[0] for match in found))
        yield on_span(
            fragment,
            found[0].start(),
            found[0].end(),
            f"a shell reads {' and '.join(names)} as {'two redirections' if len(names) == 1 else 'redirections'}",
            f'quote it: "{names[0]}", or fence the block as text',
            severity=severity,
        )


def _synopsis(block: str) -> bool:
    """Whether a block only shows how a program is called."""
    rows = [row.split(" #", 1)[0].strip() for row in block.split("\n")]
    rows = [row for row in rows if row and not row.startswith("#")]
    return bool(rows) and not any(_WORKS.search(_OPEN.sub("", row)) for row in rows)
