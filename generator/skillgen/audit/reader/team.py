"""Read how teams are stopped: mechanism, waits, overlay markers, final step."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.tools import read_calls
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: What only one mechanism says, with its weight.
_SIGNS = {
    "tmux": re.compile(
        r"\btmux send-keys\b|\binbox\.md\b|\bworkers/\S*inbox|\btmux(?:-based| window| pane)\b|\bpanes?\b", re.A
    ),
    "orchestrator": re.compile(r"\.(?:py|mjs|js|sh)\s+(?:cancel|cleanup)\b|\brun_id\b|\bcancel\.signal\b", re.A),
    "native": re.compile(
        r"\bshutdown_(?:request|response)\b|\bTeamDelete\b|\bSendMessage\b|~/\.claude/teams\b|\bteammates?\b.*\b(?:conversation|surface)\b|Claude Code native",
        re.A,
    ),
    "message": re.compile(
        r"\bsend_message\b|\blist_agents\b|\binterrupt_agent\b|\bclose_agent\b|\bmessage-driven\b", re.A
    ),
}
#: One of these stands in every match of the sign.
_WORDS = {
    "tmux": ("tmux", "inbox", "pane"),
    "orchestrator": (" cancel", " cleanup", "run_id", "cancel.signal"),
    "native": ("shutdown_", "TeamDelete", "SendMessage", "/.claude/teams", "eammate", "Claude Code native"),
    "message": ("send_message", "list_agents", "interrupt_agent", "close_agent", "message-driven"),
}
_WEIGHTS = {"tmux": 1, "orchestrator": 1, "native": 1, "message": 2}
_DURATION = re.compile(
    r"(?<![\w.])(\d{1,4})\s?-?\s?(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|秒钟?|分钟|分|小时|时|초|분|시간|時間)(?![A-Za-z0-9_-])",
    re.I | re.A,
)
_UNITS = {
    "ms": 0,
    "mi": 60,
    "m": 60,
    "h": 3600,
    "s": 1,
    "秒": 1,
    "分": 60,
    "小": 3600,
    "时": 3600,
    "초": 1,
    "분": 60,
    "시": 3600,
    "時": 3600,
}
_DIGITS = re.compile(r"\d+", re.A)
_OVERLAY = re.compile(r"<!--\s*([\w:.-]*?(?:START|BEGIN|END)(?:/END)?)\s*-->", re.A)
_LAST = re.compile(r"\blast\b|\bfinal(?:ly)?\b|\balways clear\b|最后|最終|마지막|最後|始终", re.I | re.A)


def read_team(text: Text) -> Iterator[Fact]:
    yield from _mechanism(text)
    yield from _timeouts(text)
    yield from _overlay(text)
    yield from _final(text)


def _mechanism(text: Text) -> Iterator[Fact]:
    votes: Counter[str] = Counter()
    first: dict[str, int] = {}
    for kind, sign in _SIGNS.items():
        for number in text.holding(*_WORDS[kind]):
            line = text.lines[number - 1]
            for _ in sign.finditer(line) if len(line) <= 6000 else ():
                votes[kind] += _WEIGHTS[kind]
                first.setdefault(kind, number)
    if votes:
        kind, count = max(votes.items(), key=lambda pair: (pair[1], -first[pair[0]]))
        if count >= 2:
            yield Fact("team", "", kind, first[kind])


def _timeouts(text: Text) -> Iterator[Fact]:
    for number in dict.fromkeys(text.line_at(digit.start()) for digit in _DIGITS.finditer(text.source.text)):
        line = text.lines[number - 1]
        if len(line) > 4000:
            continue
        for match in _DURATION.finditer(line):
            unit = match[2].lower()
            if unit == "s" and re.match(r"\d+s", match[0]) is None:
                continue
            factor = 0 if unit in ("ms",) or unit.startswith("milli") else _UNITS.get(unit[:2], _UNITS.get(unit[:1], 1))
            if factor:
                around = " ".join(line[max(0, match.start() - 30) : match.end() + 30].split())
                yield Fact("timeout", "", str(int(match[1]) * factor), number, around)


def _overlay(text: Text) -> Iterator[Fact]:
    for number, line in enumerate(text.lines, 1):
        if "<!--" not in line:
            continue
        for match in _OVERLAY.finditer(line):
            name = match[1]
            if name.endswith("/END"):
                base = name.removesuffix("/END")
                end = re.sub(r"(?:START|BEGIN)$", "END", base)
                yield Fact("overlay", "start", f"<!-- {base} -->", number)
                yield Fact("overlay", "end", f"<!-- {end} -->", number)
            else:
                key = "end" if name.endswith("END") else "start"
                yield Fact("overlay", key, f"<!-- {name} -->", number)


def _final(text: Text) -> Iterator[Fact]:
    for call in read_calls(text):
        mode = call.get("mode").strip("\"'`")
        if call.bare.endswith("state_clear") and mode == "skill-active":
            yield Fact("final", "", mode, call.line)
            return
        if call.bare.endswith("state_clear") and mode:
            near = " ".join(text.lines[max(0, call.line - 3) : call.line])
            if _LAST.search(near) and re.search(
                r"as the (?:final|last)|last step|最后一步|마지막 단계|最後のステップ|最後に", near
            ):
                yield Fact("final", "", mode, call.line)
                return
