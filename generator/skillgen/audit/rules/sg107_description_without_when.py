"""Description says what, never when.

What it checks: `description` (or a `when-to-use` or `triggers` key) names an occasion: use when, after, for, if; a trigger; the same
in Chinese, Korean or Japanese.

Why it matters: an agent chooses among dozens of descriptions by the user's words. One that only says what the skill is
about is loaded too often or not at all.

How to fix it: add a sentence that starts with `Use when …` and names what the user says or what has happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG107"
TITLE = "description says what, never when"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_WHEN = re.compile(
    r"\bwhen(?:ever)?\b|\buse (?:it )?(?:for|to|after|before|if|this|on)\b|\bif (?:the|a|you|something|it)\b|\bafter\b|\bbefore\b|\btrigger|\binvoke[sd]?\b|"
    r"\bsays?\b|\b(?:users?|someone|you|they) asks?\b|\basked\b|\bonce\b|当|时|用于|后使用|触发|说|如果|需要|要求|想要|트리거|トリガー|きっかけ|때|경우|요청|사용[하합해할한]|말하|하면|라고|으면|되면|싶을|とき|時に|場合|際に|使う|使い|使用[すし]|言|したら|なら|求め|依頼",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    front = subject.front
    key = front.get("description")
    if subject.kind is not Kind.SKILL or key is None or not isinstance(key.value, str) or not key.value.strip():
        return
    if any(
        (other := front.get(name)) and other.value
        for name in ("when-to-use", "when_to_use", "whenToUse", "triggers", "trigger")
    ):
        return
    if not _WHEN.search(key.value):
        yield Hit(key.line, "the description never says when to use the skill", "add: Use when …", key.column)
