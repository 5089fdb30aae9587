"""Say whether a text speaks of modes of work at all, or of builds, orders and other things that can be cancelled."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from skillgen.audit.reader.words import KNOWN_KEYS, ORDINARY

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_MODES = re.compile(
    r"(?<!failure )(?<!error )(?<!permission )(?<!output )(?<!transport )(?<!payment )\bmodes\b|\bmode (?:is|that is) (?:active|running)\b|\b(?:active|current|running|each|every|which|that|its) (?:[\w-]+ )?mode\b|\bmode\s*=\s*[\"']|[<\[{(]modes?\s*[:=]|모드|模式|モード",
    re.I | re.A,
)
_TOOL = re.compile(r"(?:\b|_)state_(?:clear|read|write|delete|set|list_active|get_status)\b", re.A)
#: Who works by himself, beside builds and orders.
_LOOPS = re.compile(
    r"\b(?:loops?|autonomous\w*|stop[- ]hooks?|sub-?agents?|workflows?)\b|循环|自主|루프|자율|ループ|自律|훅|钩子|フック",
    re.I | re.A,
)
_OFF = re.compile(r"\bactive[`\"']*\s*(?:[:=]|to\b)\s*[`\"']*false", re.A)
#: What else can be cancelled.
_OTHER = re.compile(
    r"\b(?:cancel|stop|abort|withdraw|void|revoke|terminat|kill|undo)\w*\b[^.;,—–\n]{0,50}\b(?:builds?|jobs?|orders?|subscriptions?|deploy(?:ment)?s?|"
    r"bookings?|reservations?|payments?|invoices?|refunds?|pull requests?|PRs?|CI|meetings?|appointments?|timers?|reminders?|downloads?|uploads?|"
    r"transfers?|pipelines?|workflow runs?|GitHub Actions|crons?|memberships?|trials?)\b|"
    r"(?:取消|撤销|终止|退订|キャンセル|取り消|解約)[^。，；、\n]{0,20}(?:订单|订阅|构建|部署|预约)|(?:订单|订阅|构建|部署|预约)[^。，；、\n]{0,10}(?:取消|撤销|终止)|"
    r"(?:주문|구독|빌드|배포|예약|注文|購読|ビルド|デプロイ|予約)[^。.\n]{0,20}(?:취소|중지|キャンセル|取り消|解約|中止)",
    re.I | re.A,
)
#: One of many things of a kind; modes are "the active" or "any".
_ONE = re.compile(
    r"\A\W*(?:[Uu]se (?:this )?(?:when|to) )?(?:cancel|stop|abort|withdraw|revoke|undo)(?:s|ling|ping|ing)?\s+an?\s+([^.;,(—–:\n]{3,60})",
    re.I | re.A,
)
_WORK = re.compile(
    r"\b(?:modes?|workflows?|executions?|sessions?|loops?|agents?|work|operations?|tasks?|runs?|states?|teams?|projects?|autopilot|orchestrat\w+|sprints?|missions?|goals?)\b",
    re.I | re.A,
)
#: What a description calls the work that modes do.
_PURPOSE = re.compile(
    r"\b(?:modes?|workflows?(?! (?:systems?|engines?|runs?))|executions?|sessions?|loops?|agents?|work|runs?|autonomous|orchestrat\w+|sprints?|missions?)\b|"
    r"模式|모드|モード|工作流|会话|循环|自主|세션|루프|자율|실행|워크플로|セッション|ループ|自律|実行|ワークフロー",
    re.I | re.A,
)
#: The object is the product itself: `Stops Pearl.`, or whatever it does.
_PRODUCT = re.compile(
    r"\b(?i:cancel|stop|end|halt|abort)(?:s|ling|ping|ing)?\s+(?:whatever|what|everything|anything|[A-Z][\w-]+(?:'s \w+)?(?=[.,;]|\s*$| (?:and|when|safely|cleanly)\b))",
    re.A,
)
_ACTIVE = re.compile(
    r"\b(?:active|running) (?:[\w-]+ )?modes?\b|\bcancel\w* (?:the |any |every |all )+(?:[\w-]+ )?modes?\b|[<\[{(]modes?\s*[:=]",
    re.I | re.A,
)
_AGENTS = re.compile(
    r"\bautonomous\b|\b(?:sub-?|your |this )?agent(?:'s|s')? (?:workflow|loop|run|session|work)s?\b|\bmodes?\b",
    re.I | re.A,
)
#: The heading of a section about other skills than this one.
_OTHER_SKILLS = re.compile(
    r"\b(?:integrat(?:es?|ion)s?|related|see also|other (?:skills|commands)|works? (?:well )?with|next steps?)\b|相关|集成|其他技能|관련|연동 스킬|連携|関連",
    re.I | re.A,
)
_FILE = "-state.json"
_STOPS = re.compile(
    r"\b(?:cancel|stop|halt|abort|quit|end)(?:s|l?ed|l?ing|ped|ping)?\b|取消|停止|终止|结束|취소|중지|종료|キャンセル|取り消|終了|停止|中止",
    re.I | re.A,
)


def speaks_of_modes(text: Text) -> bool:
    """Whether the text has a word for modes or a call of a tool for their state."""
    whole = text.source.text
    return bool(_MODES.search(whole) or ("state_" in whole and _TOOL.search(whole)))


def is_of_others(text: Text) -> bool:
    """Whether the description, else the start of the body, says that something else than the work of agents is cancelled."""
    said = _purpose(text)
    one = _ONE.search(said)
    return is_of_things(text) or (one is not None and not _WORK.search(one[1]) and not _AGENTS.search(said))


def is_of_things(text: Text) -> bool:
    """Whether it says that builds, orders or other things of that kind are cancelled."""
    said = _purpose(text)
    return bool(_OTHER.search(said)) and not _AGENTS.search(said)


def _purpose(text: Text) -> str:
    return text.front.string("description") or "\n".join(text.lines[text.body_line - 1 : text.body_line + 12])


def speaks_of_ending(text: Text) -> bool:
    """Whether name, description or first heading of the text say that it ends something."""
    first = text.document.headings[0].text if text.document.headings else ""
    return bool(
        _STOPS.search(" ".join((text.front.string("name"), text.front.string("description"), first, text.path)))
    )


def is_of_work(text: Text) -> bool:
    """Whether the description may be of work that an agent does; without one, or in another language than English, nothing speaks against it."""
    said = text.front.string("description")
    return not is_of_others(text) and (
        not said
        or not said.isascii()
        or any(words.search(said) for words in (_WORK, _PURPOSE, _PRODUCT))
        or bool(_ACTIVE.search(text.source.text))
    )


def is_of_other_skills(text: Text, line: int) -> bool:
    """Whether a line stands in a section that only names other skills."""
    found = text.once(_other_skills)
    above = text.document.section(line) if found and line > found[0] else ()
    return bool(above) and above[-1].line in found


def _other_skills(text: Text) -> list[int]:
    return [heading.line for heading in text.document.headings if _OTHER_SKILLS.search(heading.text)]


def are_modes(text: Text, keys: Collection[str], sure: Collection[str] = ()) -> bool:
    """Whether what was found by name and shape can be modes: one is well known, or the text speaks of them otherwise.

    `sure`: those that it names in two kinds of places.
    """
    whole = text.source.text
    if len(sure) > 1 and 2 * len(sure) >= len(keys):
        return True
    if any(key in KNOWN_KEYS and key not in ORDINARY for key in keys) or ("state_" in whole and _TOOL.search(whole)):
        return True
    said = text.front.string("description")
    if is_of_others(text) or (
        said and not (_PURPOSE.search(said) or _PRODUCT.search(said)) and not _ACTIVE.search(whole)
    ):
        return False
    if speaks_of_modes(text):
        return True
    recorded = any(f"{key}{_FILE}" in whole for key in keys)
    loops = bool(_LOOPS.search(whole))
    return (recorded and (loops or bool(_OFF.search(whole)))) or (loops and not ORDINARY.issuperset(keys))
