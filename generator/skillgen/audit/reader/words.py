"""Words and shapes that the reader knows: mode names, what is no mode, what separates names."""

from __future__ import annotations

import re
from functools import lru_cache

#: Modes of the family, by the slug of every title that is in use -> key.
KNOWN_MODES = {
    "autopilot": "autopilot",
    "ralph": "ralph",
    "forge": "forge",
    "ultrawork": "ultrawork",
    "ulw": "ultrawork",
    "ultraqa": "ultraqa",
    "ultra-qa": "ultraqa",
    "ecomode": "ecomode",
    "eco-mode": "ecomode",
    "ultragoal": "ultragoal",
    "swarm": "swarm",
    "ultrapilot": "ultrapilot",
    "pipeline": "pipeline",
    "team": "team",
    "teams": "team",
    "omc-teams": "omc-teams",
    "plan-consensus": "plan-consensus",
    "consensus-plan": "plan-consensus",
    "consensus-planning": "plan-consensus",
    "ralplan": "ralplan",
    "blueprint": "blueprint",
    "self-improve": "self-improve",
    "deep-interview": "deep-interview",
    "autoresearch": "autoresearch",
    "merge-readiness": "merge-readiness",
    "skill-active": "skill-active",
}
KNOWN_KEYS = frozenset(KNOWN_MODES.values())
#: One of these opens every name of a known mode.
KNOWN_OPENINGS = frozenset(name.partition("-")[0] for name in KNOWN_MODES)
#: Records beside the modes' own; never modes.
HELPERS = frozenset(
    {
        "skill-active", "cancel-signal", "hud", "boulder", "subagent-tracking", "mission", "session", "run", "mode", "all",
        "cancel", "name", "state", "legacy-mode", "force", "none", "the", "current", "target", "agent-settings", "usage",
        "x", "mode-name", "your-mode", "some-mode", "worker", "daemon", "rate-limit-daemon", "cancel-state", "checkpoint",
        "tracker", "registry", "ledger",
    }
)  # fmt: skip
#: `<mode>-plan-state.json` and the like belong to a mode, they name none.
HELPER_SUFFIXES = (
    "-plan",
    "-verification",
    "-progress",
    "-ownership",
    "-prd",
    "-tracking",
    "-stop-breaker",
    "-session",
)
FORCE_WORDS = re.compile(
    r"^(?:force|forced|all|--force|--all|force clear|force/all|clear all|全部|强制|强制清除|强制模式|全部清除|강제|전체|"
    r"강제 모드|모두|強制|すべて|全て|強制クリア)\b|^(?:全部|强制|강제|전체|모두|強制|すべて|全て)",
    re.I | re.A,
)
NONE_WORDS = re.compile(
    r"^(?:none|no active|no modes?|nothing|empty|n/a)\b|^(?:无|没有|空闲|없음|활성 없음|활성 모드(?:가|는)? ?없|アクティブなモード(?:が|は)?な|なし|該当なし|無し|无活动)",
    re.I | re.A,
)
#: Ways to call the command, which lists and tables call modes too.
WAYS = frozenset(
    ["default", "normal", "smart", "bare", "explicit", "interactive", "standard", "safe", "quick", "dry-run", "single",
     "specific", "manual", "automatic", "auto", "graceful", "immediate", "forced", "soft", "hard", "global", "local", "verbose",
     "silent", "sync", "async", "fast", "slow", "full", "partial", "cascade", "lazy", "eager", "strict"]
)  # fmt: skip
#: Modes of the family whose names are words of everyday talk: alone they say nothing of modes.
ORDINARY = frozenset(["pipeline", "team", "swarm", "forge", "blueprint"])
#: A word for "mode" in the four languages.
MODE_WORD = re.compile(r"\bmode(?:s|\(s\))?(?![\w-])|모드|模式|モード", re.I | re.A)
#: A verb that opens a step about no mode.
STEP = re.compile(
    r"^(?:clear|remove|report|delete|clean|exit|stop|wait|confirm|verify|check|read|write|detect|find|ask|show|print|run|call|"
    r"release|notify|tell|mark|set|update|then|finally|otherwise|repeat|skip|log|list|parse|load)\b",
    re.I | re.A,
)
YES = re.compile(r"^(?:yes|✅|✓|✔|是|保留|예|네|유지|보존|はい|有|あり|○|partial|部分)", re.I | re.A)
NO = re.compile(r"^(?:no\b|none|❌|✗|✘|×|否|不|아니|없음|いいえ|なし|無|无|-$|—$|n/a)", re.I | re.A)
_LEADS = re.compile(
    r"^(?:(?:legacy|retired|standalone|linked|native|shared|active|the|local|tmux|任务|活动的?|独立的?|若|如果|当)\s+|"
    r"(?:旧|遗留|已退役的?|獨立|独立|레거시|독립|단독|폐기된|レガシー|単独の?|廃止済みの?)\s*)+",
    re.I | re.A,
)
_TAILS = re.compile(
    r"(?:\s+(?:mode|state|states|cleanup|clean-up|runtime guard|runtime|guard|records?|active|is active|session|workers?|"
    r"cancellation|detected)|\s*(?:模式|状态|清理|激活|活动|处于活动状态|已激活|모드|상태|정리|활성|활성화|활성화된 경우|감지|취소|종료|중단|检测到|取消|停止|検出|キャンセル|終了|モード|状態|の場合|がアクティブ(?:な場合)?|アクティブ))+$",
    re.I | re.A,
)
_SPLIT = re.compile(
    r"\s*(?:(?<=[^\s、，,])/|(?<=\s)/(?=\s)|,|、|，|&|\+|\band\b|\bor\b|와 |과 |및|및 | 그리고 |和|与|及|以及|と|および)\s*",
    re.I | re.A,
)
_CUT = re.compile(
    r"\s*(?:\(|（|—|–|:|：|\s-\s|->|→|。|\.\s|,\s+(?:then|after|before)\b|\bif\b|\bunless\b|\bonly\b|\bplus\b|\bwith\b)",
    re.A,
)
_SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*$", re.A)


#: The mode's own name behind its translation.
_BEHIND = re.compile(r"[^\w]{0,3}[(（\s—–:：-]\s*([A-Za-z][\w -]*?)\s*(?:[)）]|$|[—–:：,，])", re.A)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)", re.A)
_MARKS = dict.fromkeys(map(ord, '*`"“”「」『』'))
_OUTER_UNDERSCORE = re.compile(r"(?<!\w)_+|_+(?!\w)", re.A)
#: No name is longer, so no more of a text is looked at (or remembered).
NAME = 300


def strip_marks(text: str) -> str:
    """Take emphasis, code marks and link brackets off."""
    return _strip_marks(text) if len(text) <= NAME else _strip_marks.__wrapped__(text)


@lru_cache(maxsize=16384)
def _strip_marks(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "_" in text:
        text = _OUTER_UNDERSCORE.sub("", text)
    return text.translate(_MARKS).strip()


def slug(title: str) -> str:
    """Return the key that a title would have: lower case, hyphens; '' when it is no name."""
    return _slug(title) if len(title) <= NAME else ""


@lru_cache(maxsize=8192)
def _slug(title: str) -> str:
    text = strip_marks(title)
    text = _LEADS.sub("", text)
    text = _TAILS.sub("", text).strip(" .:：-")
    candidate = re.sub(r"[\s_]+", "-", text.lower())
    candidate = re.sub(r"-state(?:\.json)?$", "", candidate)
    return candidate if _SLUG.match(candidate) and len(candidate) <= 40 else ""


def lead(text: str) -> str:
    """Return the name that opens a list item or cell: all before the first bracket, dash, colon or arrow.

    A translated name with the mode's own name in brackets behind it gives the latter.
    """
    text = strip_marks(text.split("\n", 1)[0])
    head = _CUT.split(text, maxsplit=1)[0].strip()
    if head and not re.search(r"[A-Za-z]", head):
        inside = _BEHIND.match(text, text.find(head) + len(head))
        if inside and len(head) <= 16 and len(head.split()) <= 3:
            return inside[1]
    return head


def names(text: str) -> tuple[str, ...]:
    """Return the keys of the names that open an item: `Ultrapilot and Pipeline` -> both."""
    return _names(text[:NAME])


@lru_cache(maxsize=8192)
def _names(text: str) -> tuple[str, ...]:
    return tuple(key for key, _ in titles(text))


def _parts(head: str) -> list[str]:
    """Split a head into the names that it lists; a sentence that mentions names late lists none."""
    parts = _SPLIT.split(head)
    first = parts[0]
    return parts if len(first.split()) <= 4 and (first.isascii() or len(first) <= 16) else []


def titles(text: str) -> tuple[tuple[str, str], ...]:
    """Return (key, title) of the names that open an item."""
    return _titles(text[:NAME])


@lru_cache(maxsize=8192)
def _titles(text: str) -> tuple[tuple[str, str], ...]:
    head = _TAILS.sub("", lead(text))
    if slug(head) in KNOWN_MODES:
        key = KNOWN_MODES[slug(head)]
        return ((key, key if ".json" in head else _LEADS.sub("", head).strip()),)
    out = []
    for part in _parts(head):
        key = slug(part)
        if key:
            title = _TAILS.sub("", _LEADS.sub("", part.strip())).strip()
            out.append((KNOWN_MODES.get(key, key), key if ".json" in title else title))
    return tuple(out)


def name_cell(cells: tuple[str, ...]) -> str:
    """Return the first cell of a row that is no running number."""
    return next((cell for cell in cells[:2] if not cell.strip(" .#").isdigit()), "")
