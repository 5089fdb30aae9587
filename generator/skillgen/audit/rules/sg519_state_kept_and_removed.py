"""State kept in one sentence, removed in another.

What it checks: of the sentences that speak of the state as a whole (of no single mode, outside force, no condition), one
says that it is preserved or not deleted, another that it is cleared, deleted or removed.

Why it matters: the agent does what it reads last: either the record that the user was promised is gone, or a state that
was reported as removed makes the next run resume.

How to fix it: decide, and say of each mode what stays and what goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.language import forbidden
from skillgen.audit.reader.reading import reading
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text

CODE = "SG519"
TITLE = "state kept in one sentence, removed in another"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_KEPT = re.compile(
    r"\bstates?(?: files?)? (?:(?:is|are|stays?|remains?) )?(?:always )?(?:preserved|kept|retained)\b|"
    r"\bstates?(?: files?)? (?:is|are) (?:never|not) (?:deleted|removed|cleared)\b|"
    r"状态(?:文件)?(?:会|始终|均)?(?:被)?保留|상태(?: 파일)?[은는이가]? ?(?:항상 )?(?:유지|보존)(?:됩|된|되)|状態(?:ファイル)?は(?:常に)?(?:保持|残)",
    re.I | re.A,
)
_REMOVED = re.compile(
    r"\b(?:clear(?:s|ed)?|delet(?:e|es|ed)|remov(?:e|es|ed)) (?:its |the |all |any |their )?"
    r"states?(?: files?)?\b(?![.\w/-]*\.json)|"
    r"\bstates?(?: files?)? (?:is |was |are )?(?:cleared|deleted|removed)\b|"
    r"(?:清除|删除)(?:所有|其)?状态|상태(?: 파일)?[를을] (?:정리|삭제)|状態(?:ファイル)?を(?:削除|クリア|消去)",
    re.I | re.A,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|until|except|only|when|yes/no|without|stale|orphan\w*)\b|如果|仅|时|경우|만|のみ|場合", re.I | re.A
)


def check(subject: Text) -> Iterator[Hit]:
    kept = list(_general_claims(subject, scan(subject, _KEPT), denies=False))
    if not kept:
        return
    removed = list(_general_claims(subject, scan(subject, _REMOVED), denies=True))
    key = subject.front.get("description")
    if key and isinstance(key.value, str) and _REMOVED.search(key.value):
        removed.insert(0, (key.line, 1, 1))
    if removed:
        line, column, end = kept[0]
        yield Hit(
            line, f"line {removed[0][0]} says that the state is removed", "decide for one of the two", column, end
        )


def _general_claims(
    subject: Text, found: Iterator[tuple[int, re.Match[str]]], denies: bool
) -> Iterator[tuple[int, int, int]]:
    """Yield line, column and end of what a sentence says of the state as a whole."""
    _, places = reading(subject)
    for number, match in found:
        line = subject.lines[number - 1]
        if line.lstrip().startswith(("#", "|")) or _CONDITION.search(line) or is_wide(subject, number):
            continue
        if places.modes_in(line) or places.mode_at(number) or (denies and forbidden(line, match.start(), match.end())):
            continue
        yield number, match.start() + 1, match.end() + 1
