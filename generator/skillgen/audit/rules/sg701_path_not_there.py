"""Path that is not in the repository.

What it checks: a path in words or shell that looks like one of the repository's own (`docs/…`, `src/…`, `scripts/…`,
`references/…`, `lib/…`) and is neither in the skill, its bundle, nor the repository around it. Where no repository is in sight
nobody can tell, and the finding is a note. Paths behind the
variable of the plugin's root are looked up in the plugin. Paths with placeholders and globs, and fences that show sample output, are left
out.

Why it matters: a reader follows it into nothing; a script that is not there fails in the middle of a procedure. Most
of these stayed behind when a skill was copied.

How to fix it: bring the file along, put its content into the text, or drop the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.fragments import PLAIN
from skillgen.audit.hits import scan
from skillgen.audit.language import forbidden
from skillgen.audit.product import declared
from skillgen.audit.text import Text
from skillgen.hosts import known_hosts
from skillgen.model.subject import Kind

CODE = "SG701"
TITLE = "path that is not in the repository"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_PATH = re.compile(
    r"(?<![\w/.~$}{@*<>:-])((?:\./)?(?:docs?|src|scripts?|references?|lib|assets|templates|hooks|tools|bin|test|tests|examples|packages|internal|cmd|mcp|bridge)/"
    r"[\w./-]*[\w-]\.(?:md|ts|tsx|js|mjs|cjs|py|sh|json|ya?ml|toml|go|rs|txt))(?![\w/*{<])",
    re.A,
)
#: A heading above sample output, and what only sample output holds: task boxes, placeholders in braces, headings.
_SAMPLE = re.compile(
    r"\b(?:outputs?|examples?|samples?|reports?|templates?|formats?|summary)\b|输出|示例|模板|报告|출력|예시|보고|템플릿|出力|例|報告|レポート|テンプレート",
    re.I | re.A,
)
_EXAMPLE = re.compile(r"\bexamples?\b|\be\.g\.|\bfor instance\b|\bsuch as\b|例如|比如|예를 들|예:|例えば", re.I | re.A)
_SHOWS = PLAIN | {"md", "markdown"}
_FILLED_IN = re.compile(r"^\s*(?:[-*]\s+)?\[[ xX!~-]\]\s|\{[A-Za-z][^{}\n]*\}|^#{1,4} \S", re.M | re.A)
_ROOTED = re.compile(
    r"\$\{?(?:\w*PLUGIN_ROOT|extensionPath)(?::-[^}]*)?\}?[\"']?/((?:[\w-]+/)*[\w-]+\.(?:md|js|mjs|cjs|py|sh|json|ts|toml))(?![\w/*{<])",
    re.A,
)
_REMOTE = re.compile(r"https?://\S*$|github\.com\S*$|\b[\w-]+@[\w.-]*$", re.A)


def check(subject: Text) -> Iterator[Hit]:
    yield from _behind_root(subject)
    exists = subject.skill.exists if subject.skill else subject.bundle.exists if subject.bundle else None
    tree = subject.skill.tree if subject.skill else subject.bundle.tree if subject.bundle else None
    known = tree is not None and tree.repository
    seen: set[str] = set()
    for number, match in scan(subject, _PATH):
        path = match[1].removeprefix("./")
        line = subject.lines[number - 1]
        if (
            path in seen
            or _EXAMPLE.search(line, 0, match.start())
            or _REMOTE.search(line[: match.start()])
            or (number in subject.document.code_lines and _writes(line, path))
        ):
            continue
        if exists is None and subject.kind not in (Kind.TEXT, Kind.COMMAND):
            continue
        if not subject.is_cancel and not _has_directory(subject, path):
            continue
        if (exists is not None and exists(path)) or declared(subject, path):
            continue
        if forbidden(line, match.start(), match.end()):
            continue
        if not known and re.match(r":\d", line[match.end() :]):
            continue  # SG702 speaks of the lines; whether the file is there nobody can tell
        if _in_sample(subject, number):
            continue
        seen.add(path)
        yield Hit(
            number,
            f"{path} is not there"
            if known
            else f"{path} is not beside the text, and no repository is in sight to look it up",
            "bring the file along or drop the reference",
            match.start(1) + 1,
            match.end(1) + 1,
            severity=None if known else Severity.NOTE,
        )


def _behind_root(subject: Text) -> Iterator[Hit]:
    """Paths behind the variable of the plugin's root, where that root is known: audited with it, or above a text alone."""
    if subject.bundle is not None:
        there: Callable[[str], bool] = subject.bundle.files.__contains__
    elif subject.skill is not None and any(map(subject.skill.tree.exists, known_hosts().signs)):
        there = subject.skill.tree.exists
    else:
        return
    seen: set[str] = set()
    for number, match in scan(subject, _ROOTED):
        path = match[1]
        if (
            path in seen
            or there(path)
            or declared(subject, path)
            or forbidden(subject.lines[number - 1], match.start(), match.end())
        ):
            continue
        seen.add(path)
        yield Hit(
            number,
            f"{path} is not in the plugin",
            "bring the file along or drop the reference",
            match.start(1) + 1,
            match.end(1) + 1,
        )


def _in_sample(subject: Text, line: int) -> bool:
    """Whether a line stands in a fence that shows what a report or another file looks like."""
    for fence in subject.document.fences:
        if fence.line <= line <= fence.end and fence.lang in _SHOWS:
            section = subject.document.section(fence.line)
            if (section and _SAMPLE.search(section[-1].text)) or _FILLED_IN.search(fence.text):
                return True
    return False


def _has_directory(subject: Text, path: str) -> bool:
    """Whether the skill has the directory that the path starts with: a text about other projects names theirs."""
    top = path.partition("/")[0]
    files = subject.skill.files if subject.skill else subject.bundle.files if subject.bundle else {}
    return top in ("references", "scripts", "assets") and any(name.startswith(f"{top}/") for name in files)


def _writes(line: str, path: str) -> bool:
    return bool(re.search(rf">\s*[\"']?{re.escape(path)}|\btouch\b|\bmkdir\b", line))
