"""Find names that are modes since they stand in one list, table or row with modes, or below words that say modes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.audit.reader.subject import is_of_other_skills
from skillgen.audit.reader.words import FORCE_WORDS, MODE_WORD, NONE_WORDS, STEP, WAYS, names, slug, strip_marks

if TYPE_CHECKING:
    from skillgen.audit.document import Item
    from skillgen.audit.text import Text

#: A marked name that opens an item: `**ralph**: …`, `` `ralph` → … ``, `**Ralph:** …`.
_MARKED = re.compile(
    r"(?:\*\*`?|`|__)([A-Za-z][^*`_\n]{1,40}?)[:：]?(?:`?\*\*|`|__)(?=\s*(?:[:：→—–(（-]|=>|$)|\*)?(?:.*\s+\Z)?", re.A
)
_PLAIN = re.compile(
    r"([A-Za-z][\w-]*(?:(?: | ?/ ?)[A-Za-z][\w-]*){0,4})(?:\s*(?:[:：→]|->|=>|[（(])|\s[-—–]\s|\s*$)", re.A
)
_NAME = re.compile(r"[A-Za-z][\w+&/, -]{1,40}$", re.A)
#: What is said of modes that are to be cancelled, beside modes of failure, of calling, of permission.
_OF_CANCEL = re.compile(
    r"\b(?:cancel\w*|stop\w*|active|supported|affected|running|known|available|target|detect\w*|end\w*|handled)\b|취소|활성|대상|지원|종료|실행|取消|活动|支持|"
    r"停止|運行|运行|キャンセル|対象|アクティブ|実行|対応",
    re.I | re.A,
)
_OTHER_MODES = re.compile(
    r"\b(?:failure|error|permission|invocation|output|safe|plan|force|usage)\s+modes?\b", re.I | re.A
)
#: What is done with each mode is a list of steps.
_EACH = re.compile(
    r"\b(?:for|of|in|with|on) (?:each|every|any|all)\b|每个|每個|각\s|마다|それぞれ|各|ごと", re.I | re.A
)
#: What stands for all that a list does not name.
_REST = re.compile(
    r"(?:any|all|every|each|some|no) |(?:others?|everything|anything|unknown|rest)\b|其他|其它|기타|その他", re.I | re.A
)
_MODES_ROW = re.compile(r"(?:active |supported |known )?modes$|모드$|模式$|モード$", re.I | re.A)
_IN_ORDER = re.compile(
    r"\b(?:cancel\w*|stop\w*|shutdown)\b[^.]{0,20}\border\b|\border\b[^.]{0,20}\bcancel|(?:취소|종료|중지) ?순서|(?:取消|停止|结束)顺序|(?:停止|終了|キャンセル)(?:の)?順",
    re.I | re.A,
)
#: Fields of a record, which lists mark as they mark modes.
_FIELDS = frozenset(
    ["active", "status", "phase", "state", "current-phase", "reason", "ended-at", "completed-at", "cancelled-at", "started-at",
     "updated-at", "session-id", "timestamp", "iteration"]
)  # fmt: skip
_MODE_HEADER = re.compile(
    r"^\W*(?:(?:active|target|workflow|execution)\s+)?(?:modes?|mode name|모드|模式|モード|모드명|模式名|モード名)\W*$",
    re.I | re.A,
)


def listed_modes(text: Text, is_name: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Yield (name, line) of every item of a list, or row of a table, of modes."""
    for every in text.document.lists.values():
        items = [item for item in every if len(item.text) < 2000]
        if len(items) > 1 and not is_of_other_skills(text, items[0].line):
            yield from _of_list(text, items, is_name)
    for table in text.document.tables:
        for row in table.rows:
            # `| Modes | a, b, c |`
            if len(row.cells) == 2 and _MODES_ROW.match(strip_marks(row.cells[0])):
                keys = _keys(row.cells[1])
                if len(keys) > 1 and WAYS.isdisjoint(keys):
                    yield from ((key, row.line) for key in keys)
        column = next((n for n, cell in enumerate(table.header[:2]) if _MODE_HEADER.match(strip_marks(cell))), -1)
        found = [
            (key, row.line)
            for row in table.rows
            if len(row.cells) > max(column, 0) and not _is_scope(row.cells[max(column, 0)])
            for key in _keys(row.cells[max(column, 0)])
        ]
        knowns = sum(is_name(key) for key, _ in found)
        ways = any(key in WAYS for key, _ in found)
        if len(found) >= 2 and ((column >= 0 and not ways) or knowns >= max(2, len(found) * 0.67)):
            yield from ((key, line) for key, line in found if key not in WAYS)


def _of_list(text: Text, items: list[Item], is_name: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    leads: list[tuple[str, bool, list[str], int]] = []
    for item in items:
        lead = _MARKED.match(item.text) or _PLAIN.match(item.text)
        keys = _keys(lead[1]) if lead and _NAME.match(lead[1]) else []
        if lead and keys:
            leads.append((lead[1], lead.re is _MARKED or lead[1] == item.text.strip(), keys, item.line))
    if len(leads) < 2 or len(leads) < len(items) * 0.5:
        return
    leads = [lead for lead in leads if not _is_scope(lead[0])]
    found = [(key, line) for _, _, keys, line in leads for key in keys]
    shaped, marked = len(leads), sum(is_marked for _, is_marked, _, _ in leads)
    if shaped < 2 or shaped < len(items) * 0.66 or any(key in WAYS or key in _FIELDS for key, _ in found):
        return
    knowns = sum(is_name(key) for key, _ in found)
    above = _above(text, items[0].line)
    says = bool(MODE_WORD.search(above)) and not _OTHER_MODES.search(above) and not _EACH.search(above)
    numbered = any(item.number for item in items)
    if (
        knowns >= max(2, len(found) * 0.67)
        or (says and marked == shaped and knowns)
        or (knowns and marked == shaped == len(items) and _IN_ORDER.search(above))
        or (says and marked == shaped and not numbered and _OF_CANCEL.search(above))
    ):
        yield from found


def _keys(words: str) -> list[str]:
    """Return the keys that a lead or cell names; none where it is no name of at most three words."""
    if ("/" in words.strip("`") and "." in words) or STEP.match(strip_marks(words)):
        return []
    return [key for key in names(words) if key.count("-") <= 3 and len(words.split()) <= 6]


@lru_cache(maxsize=4096)
def _is_scope(words: str) -> bool:
    clean = strip_marks(words).strip("()（） ")
    return bool(FORCE_WORDS.match(clean) or NONE_WORDS.match(clean) or _REST.match(clean)) or slug(clean) in (
        "all",
        "any",
        "default",
    )


def _above(text: Text, line: int) -> str:
    """Return the last line of prose above a list, else the heading that it stands directly below."""
    for back in range(line - 1, max(line - 4, text.body_line - 1), -1):
        row = text.lines[back - 1].strip()
        if row:
            return row if row.startswith("#") or row[-1:] in ":：。." else ""
    return ""
