"""Decide whether a text is a cancel skill."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillgen.audit.reader.reading import reading
from skillgen.audit.reader.subject import is_of_work

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_NAME = re.compile(r"(?:^|[-_/:])(?:cancel|stop-modes?|abort-mode|取消)", re.I | re.A)
_SIGNS = (
    re.compile(r"\bstate_(?:clear|read|write|list_active|get_status)\b", re.A),
    re.compile(r"\w-+state\.json\b", re.A),
    re.compile(r"\b(?:autopilot|ralph|ultrawork|ultraqa|ultrapilot|ralplan|forge|swarm)\b", re.I | re.A),
    re.compile(r"[/$][\w:.-]*cancel\b|\bcancel(?:omc|om[a-z])\b|\bstopom[a-z]\b", re.A),
    re.compile(r"--(?:force|all)\b", re.A),
    re.compile(r"\bsession_?id\b|SESSION_ID|/sessions/", re.I | re.A),
    re.compile(r"\bactive [\w-]+ modes?\b|模式|모드|モード", re.A),
    re.compile(r"\bcancell?(?:ed|ing|ation)|取消|취소|キャンセル|中止", re.I | re.A),
)


_PURPOSE = re.compile(
    r"\b(?:cancel|stop|abort|halt|end)(?:s|ling)?\b[^.]*\bmodes?\b|(?:取消|停止|취소|중지|キャンセル|取り消|終了)[^。]*(?:模式|모드|モード)|"
    r"(?:模式|모드|モード)[^。]*(?:取消|停止|취소|중지|キャンセル|取り消|終了)",
    re.I | re.A,
)
#: Other names of the skill, where the text has modes.
_STOPS = re.compile(
    r"(?:^|[-_:])(?:stop|halt|abort|quit|end|break)(?:\.md)?$|^(?:stop|halt|abort|quit|end)[-_]", re.I | re.A
)
_HEADING = re.compile(r"cancel|取消|취소|キャンセル|中止", re.I | re.A)


def is_cancel(text: Text) -> bool:
    """The name `cancel` and one sign, another name or purpose that says so and two, or nearly all signs without one."""
    body = text.source.text
    if not is_of_work(text) and not reading(text)[0].strong:
        return False
    name = text.front.string("name") or text.path.rpartition("/")[2]
    if name in ("cancel", "cancel.md", "cancel.toml"):
        return any(sign.search(body) for sign in _SIGNS)
    signs = sum(bool(sign.search(body)) for sign in _SIGNS)
    named = bool(
        _NAME.search(name)
        or _PURPOSE.search(text.front.string("description"))
        or any(_HEADING.search(heading.text) for heading in text.document.headings[:2])
    )
    named = named or bool(_STOPS.search(name) and reading(text)[0].strong)
    if not named and text.front.string("name"):
        return False
    if named and signs == 1 and reading(text)[0].strong:
        return True  # modes of its own are a sign, too
    return signs >= (2 if named else 7)
