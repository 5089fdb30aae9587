"""Decide whether a text is a cancel skill."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_NAME = re.compile(r"(?:^|[-_/:])(?:cancel|stop-modes?|abort-mode|取消)", re.I | re.A)
_SIGNS = (
    re.compile(r"\bstate_(?:clear|read|write|list_active|get_status)\b", re.A),
    re.compile(r"\b[\w-]+-state\.json\b", re.A),
    re.compile(r"\b(?:autopilot|ralph|ultrawork|ultraqa|ultrapilot|ralplan|forge|swarm)\b", re.I | re.A),
    re.compile(r"/[\w:.-]*cancel\b|\bcancel(?:omc|om[a-z])\b|\bstopom[a-z]\b", re.A),
    re.compile(r"--(?:force|all)\b", re.A),
    re.compile(r"\bsession_?id\b|SESSION_ID|/sessions/", re.I | re.A),
    re.compile(r"\bactive [\w-]+ modes?\b|模式|모드|モード", re.A),
    re.compile(r"\bcancell?(?:ed|ing|ation)|取消|취소|キャンセル|中止", re.I | re.A),
)


def is_cancel(text: Text) -> bool:
    """A name that says cancel and two signs, or four signs of state handling without such a name."""
    body = text.source.text
    signs = sum(bool(sign.search(body)) for sign in _SIGNS)
    name = text.front.string("name") or text.path.rpartition("/")[2]
    headings = [heading.text for heading in text.document.headings[:2]]
    named = bool(_NAME.search(name)) or any(
        re.search(r"cancel|取消|취소|キャンセル|中止", head, re.I) for head in headings
    )
    return signs >= (2 if named else 5)
