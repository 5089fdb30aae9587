"""Say whether a line belongs to the widest scope (force, all, global pass) or to the default path."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.audit.pieces import may_match
from skillgen.audit.reader.branch import force_lines

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_WIDE = re.compile(
    r"--(?:all|force)\b|\bforce[- ]?(?:mode|clear|d)?\b|\ball[- ]sessions?\b|\bevery session\b|\bglobal(?:ly)?\b|\blegacy\b|\bcompat\w*|"
    r"强制|全部会话|所有会话|全局|遗留|旧版|강제|모든 세션|전역|전체|레거시|強制|すべてのセッション|全セッション|グローバル|レガシー",
    re.I | re.A,
)
_DEFAULT = re.compile(
    r"\bdefault\b|\bnot forced?\b|\bno flags?\b|\bbut not\b|默认|기본|既定|デフォルト|通常", re.I | re.A
)
_CALLS = re.compile(r"\(mode=[^)]*\)|[\w./-]*/[\w./*-]*")


def is_wide(text: Text, line: int) -> bool:
    """Whether the line, the comment or step that opens it, or a heading above speaks of the widest scope."""
    return text.once(_is_wide, line)


def _is_wide(text: Text, line: int) -> bool:
    own = text.lines[line - 1]
    if line in force_lines(text) or _mentions_wide(_without_calls(own)):
        return True
    if any(_says_wide(heading.text) for heading in text.document.section(line)):
        return True
    for back in range(line - 1, max(line - 12, 0), -1):
        row = text.lines[back - 1]
        if not row.strip() or (
            row.lstrip()[:1] not in "#-*" and len(row) - len(row.lstrip()) >= len(own) - len(own.lstrip())
        ):
            continue
        if row.lstrip().startswith("#"):
            return _says_wide(row)
        if len(row) - len(row.lstrip()) < len(own) - len(own.lstrip()):
            return bool(_WIDE.search(row))
    return False


def is_wide_list(text: Text, line: int) -> bool:
    """Whether the sentence that introduces a list, or a heading or tag above, speaks of the widest scope."""
    number = line - 1
    while number > 0 and line - number < 4 and not text.lines[number - 1].strip():
        number -= 1
    rows = text.lines[max(0, number - 2) : number] if number else []
    lead = " ".join(row for row in rows if not row.lstrip().startswith("|"))
    lead = lead.rpartition(". ")[2]
    if _WIDE.search(_without_calls(lead)):
        return not _DEFAULT.search(lead)
    return any(_says_wide(heading.text) for heading in text.document.section(line))


@lru_cache(maxsize=512)  # every line of a section asks about the same headings
def _says_wide(heading: str) -> bool:
    return _mentions_wide(heading) and not _DEFAULT.search(heading)


def _mentions_wide(words: str) -> bool:
    return may_match(_WIDE, words) and bool(_WIDE.search(words))


def _without_calls(line: str) -> str:
    """Leave out arguments of calls and paths, where `all` and `legacy` are only names."""
    return _CALLS.sub("", line)
