"""Know what a sentence of output says: that a mode is cancelled, that nothing is active, that all was cleared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillgen.audit.reader.words import FORCE_WORDS, NONE_WORDS, strip_marks

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes

#: That nothing is active, in a sentence of its own.
NOTHING = (
    r"(?:No active|Nothing (?:is |was )?(?:active|running)|Nothing to (?:cancel|stop)|No modes?\b|No running)[^\"”」』`\n]*|"
    r"[^\"“「『”」』`\n]{0,120}(?:没有(?:检测到)?(?:任何)?(?:活动|正在运行|激活)|未检测到|활성[^\"”」』`\n]{0,60}(?:없|않)|"
    r"アクティブな[^\"”」』`\n]{0,60}(?:ありません|ない|見つかりません)|実行中の[^\"”」』`\n]{0,60}ありません)[^\"”」』`\n]*"
)
NONE_START = re.compile(rf"(?:[^\w\s\"]+\s+)?(?:[\w .-]{{1,30}}: ?)?(?:{NOTHING})$", re.I | re.A)
CLEARED = re.compile(
    r"\b(?:cleared|cancell?ed|removed|reset|stopped|erased|deleted|clean(?:ed)?)\b|취소|정리|초기화|삭제|已|清除|クリア|キャンセル|削除|リセット",
    re.I | re.A,
)
#: A sign before a sentence; letters of other scripts are none.
_SIGN = re.compile(r"^[^\w\s\u2e80-\ud7ff]{1,2}\s+", re.A)
_CANCELLED = re.compile(
    r"^([A-Za-z][\w -]{2,30}?)\s*(?:\"?[{<][\w-]{1,30}[}>]\"?\s+)?(?:(?:모드|루프|モード|模式|循环)(?:이|가|를|을|を|は|が)?\s*)?(?:is |was |has been )?(?:cancell?ed|stopped|ended|paused|deactivated|terminated|已取消|已停止|取消|취소|중단|を?キャンセル|を?中止|を?停止|이 취소|가 취소|이\(가\))",
    re.I | re.A,
)
_CANCELLED_MODE = re.compile(r"^(?:Cancell?ed|Stopped|Terminated)\s+(?:the\s+)?([A-Za-z][\w-]*)\b(?!:)", re.A)


def subject(words: str, modes: Modes) -> str:
    """Return the mode that a sentence says is cancelled, '' when it says so of none."""
    bare = _SIGN.sub("", words)
    for pattern in (_CANCELLED, _CANCELLED_MODE):
        match = pattern.match(bare)
        if match and (keys := modes.keys(match[1])):
            return keys[0]
    return ""


def whose(cell: str, modes: Modes) -> str:
    """Return the mode that a cell or lead names, else `none` or `force`, else ''."""
    if found := modes.keys(cell):
        return found[0]
    words = strip_marks(cell).strip("()（）<>[] ")
    return "none" if NONE_WORDS.match(words) else "force" if FORCE_WORDS.match(words) else ""
