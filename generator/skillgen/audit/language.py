"""Tell what a sentence does with what it names: forbid, kill, remove, keep; English, Chinese, Korean, Japanese."""

from __future__ import annotations

import re
from functools import lru_cache

#: The sentence forbids or denies. English says so before the thing, Chinese too, Korean and Japanese after it.
_FORBIDS_BEFORE = re.compile(
    r"\b(?:never|not|don't|doesn't|cannot|can't|without|avoid(?:s|ed)?|instead of|rather than|no longer|forbid(?:s|den)?|"
    r"refus(?:e|es|ed|ing)|reject(?:s|ed|ing)?|nor|neither|unlike|formerly|previously|renamed from|used to|no)\b|不要|不得|不会|不可|不能|不再|"
    r"禁止|切勿|请勿|勿|避免|绝不|从不|而不是|而非|并非|不(?=(?:是|使用|触|碰|删|清|改|写|匹配|识别|包含))",
    re.I | re.A,
)
_FORBIDS_AFTER = re.compile(
    r"(?:하지\s*(?:마|않)|지\s*(?:마|않)|금지|안\s*(?:됩|된|되)|않는다|않습니다|しない|せず|禁止|ません|ないで|ではなく|"
    r"ではない|使わない|触れない|\bis (?:never|not)\b|\bare (?:never|not)\b|\bmust not\b|\bno longer\b|不(?:会|得|可|能|再)|禁止)",
    re.A,
)
_STOP = re.compile(r"[.!?;。！？；](?:\s|$|(?<=[。！？；]))|\n", re.A)
KILL = re.compile(
    r"\b(?:kill\w*|clear\w*|destroy\w*|terminat\w*|stop\w*|remov\w*|delet\w*|clean\w*|drop\w*|wip\w*|eras\w*|shut\w*)\b|"
    r"终止|杀|结束|关闭|清理|清除|删除|移除|停止|종료|삭제|제거|정리|초기화|終了|削除|消去|停止|クリア|強制|除去",
    re.I | re.A,
)
KEEP = re.compile(
    r"\b(?:preserv\w*|kept|keep|keeps|retain\w*|survive\w*|untouched|not touched|protected|(?:never|not) (?:be )?(?:auto\w* )?(?:deleted|removed|touched|cleared))\b|"
    r"保留|保持|保护|不(?:会|會)?(?:删除|刪除|清除)|보존|유지|보호|삭제(?:하|되)지 않|삭제 안|保存|保護|残す|残し|残り|残る|維持|削除し(?:ない|ません)",
    re.I | re.A,
)


LONGEST = 1_000
"""Characters before and after a thing that count as its sentence; more would be asked again for each thing of a long line."""


def sentence(line: str, start: int, end: int | None = None) -> tuple[str, str]:
    """Return the parts of the sentence before and after `line[start:end]`."""
    end = start if end is None else end
    begin = max(0, start - LONGEST)
    for match in _STOP.finditer(line, begin, start):
        begin = match.end()
    last = min(len(line), end + LONGEST)
    stop = _STOP.search(line, end, last)
    return line[begin:start], line[end : stop.start() if stop else last]


# Several rules and readers ask of one line, and copies of a text share most of their lines.
@lru_cache(maxsize=4096)
def forbidden(line: str, start: int, end: int | None = None) -> bool:
    """Whether the sentence around `line[start:end]` forbids or denies what stands there."""
    before, after = sentence(line, start, end)
    return bool(_FORBIDS_BEFORE.search(before) or _FORBIDS_AFTER.search(after))


#: What says that a name is of something before or beside this product.
_CREDIT = re.compile(
    r"\b(?:formerly|previously|renamed|credits?|port(?:ed)? (?:of|from)|fork(?:ed)? (?:of|from)|from upstream|migrat\w+|import(?:ed|s)? from|"
    r"old name|was called|compatib\w+|inherited|originally|derived|based on|another product|other plugins?)\b|曾用|原名|迁移|旧称|이전|마이그레이션|旧名|移行|由来|移植",
    re.I | re.A,
)


#: What opens a line of credit: `Origin: /x:cancel`, `원본: /x:cancel`.
_CREDIT_LEAD = re.compile(
    r"[\s>*_`#|-]*(?:origin(?:al)?|source|upstream|from|old|before|原版|原作|来源|出处|원본|출처|원작|元|原典|出典|原本)[*_`]*\s*[:：]",
    re.I | re.A,
)


def opens_with_credit(line: str) -> bool:
    """Whether a line opens by saying where what follows comes from."""
    return bool(_CREDIT_LEAD.match(line))


@lru_cache(maxsize=256)  # several names stand on one line
def gives_credit(line: str) -> bool:
    """Whether a line says where something comes from, or moves on from it."""
    return bool(_CREDIT.search(line)) or opens_with_credit(line)
