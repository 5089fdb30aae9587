"""Read how teams are stopped: mechanism, waits, overlay markers, final step."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import forbidden
from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.tools import read_calls
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
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
#: One of these stands in each clause about workers.
_WORKERS = (
    "orker",
    "eammate",
    "ember",
    "crew",
    "ubagent",
    "成员",
    "队友",
    "成員",
    "팀원",
    "멤버",
    "워커",
    "구성원",
    "メンバー",
    "ワーカー",
)
_PANES = re.compile(r"\btmux\b|\bpanes?\b", re.A)
_WEIGHTS = {"tmux": 1, "orchestrator": 1, "native": 1, "message": 2}
#: `Name (how it runs)`, marks and numbers before the name left out.
_BRACKET = re.compile(r"[\s*`#\d.]*([A-Za-z][\w -]{1,40}?)[*`]*\s*[(（]([^)）]{3,80})[)）]", re.A)
_SAYS = {
    "tmux": re.compile(r"\btmux\b", re.I | re.A),
    "native": re.compile(r"\bnative\b|네이티브|原生|ネイティブ", re.I | re.A),
    "message": re.compile(r"\bmessage[- ]driven\b|\bby messages?\b", re.I | re.A),
    "orchestrator": re.compile(r"\borchestrator\b", re.I | re.A),
}
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
#: A number before the first letter of a unit.
_NEAR = re.compile(r"\d[ \t]?-?[ \t]?(?:[smh]|秒|分|小|时|時|초|분|시)", re.I | re.A)
_OVERLAY = re.compile(r"<!--\s*([\w:.-]*?(?:START|BEGIN|END)(?:/END)?)\s*-->", re.A)
_LAST = re.compile(r"\blast\b|\bfinal(?:ly)?\b|\balways clear\b|最后|最終|마지막|最後|始终", re.I | re.A)


def read_team(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    yield from _mechanisms(text, modes, places)
    yield from _timeouts(text)
    yield from _overlay(text)
    yield from _final(text)


def _mechanisms(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield the mechanism of each team mode, and for '' the one that the text speaks of most when no mode has it."""
    votes: Counter[str] = Counter()
    first: dict[str, int] = {}
    for kind, sign in _SIGNS.items():
        for number in text.holding(*_WORDS[kind]):
            line = text.lines[number - 1]
            for _ in sign.finditer(line) if len(line) <= 6000 else ():
                votes[kind] += _WEIGHTS[kind]
                first.setdefault(kind, number)
    told = {**_of_sections(text, places), **_of_leads(text, modes)}
    for mode, (mechanism, where) in sorted(told.items(), key=lambda pair: pair[0] != "team"):
        yield Fact("team", mode, mechanism, where)
    if votes:
        kind, count = max(votes.items(), key=lambda pair: (pair[1], -first[pair[0]]))
        team = any("team" in key for key in modes.strong)
        if (count >= 2 or (team and len(votes) == 1)) and kind not in {mechanism for mechanism, _ in told.values()}:
            yield Fact("team", "team" if modes.known("team") and "team" not in told else "", kind, first[kind])
            return
    if not told and not any("team" in key for key in modes.strong):
        yield from _in_words(text)


def _in_words(text: Text) -> Iterator[Fact]:
    """The first clause that ends workers in plain words: kills their panes, or asks them to stop."""
    numbers = set(text.holding(*_WORKERS))
    for block, clause in stances(text).clauses(numbers) if numbers else ():
        tokens = [token for token in clause.tokens if token.start not in clause.aside]
        start, end = clause.span
        if clause.negated or clause.turned or not any(token.value == "workers" for token in tokens):
            continue
        acts = {token.value for token in tokens if token.kind == "act"}
        panes = _PANES.search(block.folded, start, end)
        kind = (
            "tmux"
            if panes and acts & {"end", "stop"}
            else "message"
            if "ask" in acts and acts & {"end", "stop"}
            else ""
        )
        if kind:
            yield Fact("team", "", kind, block.place(start)[0])
            return


def _of_leads(text: Text, modes: Modes) -> dict[str, tuple[str, int]]:
    """Return mode -> (mechanism, line) from items and headings that say it in brackets: `Team (Claude Code native)`."""
    found: dict[str, tuple[str, int]] = {}
    numbers = set(text.holding("tmux", "Tmux", "ative", "네이티브", "原生", "ネイティブ", "essage", "rchestrator"))
    entries = [(item.text, item.line) for item in text.document.items]
    entries += [(heading.text, heading.line) for heading in text.document.headings]
    for words, line in entries:
        if line not in numbers:
            continue
        match = _BRACKET.match(words[:200]) if "(" in words or "（" in words else None
        kind = next((kind for kind, sign in _SAYS.items() if sign.search(match[2])), "") if match else ""
        if match and kind and len(keys := modes.keys(match[1])) == 1:
            found.setdefault(keys[0], (kind, line))
    return found


def _of_sections(text: Text, places: Places) -> dict[str, tuple[str, int]]:
    """Return mode -> (mechanism, line) where the section of a mode ends tmux sessions of its own."""
    found: dict[str, tuple[str, int]] = {}
    for number in text.holding("tmux kill-", "tmux send-keys"):
        line = text.lines[number - 1]
        if not forbidden(line, line.find("tmux ")) and (mode := places.item_at(number) or places.section_at(number)):
            found.setdefault(mode, ("tmux", number))
    return found


def _timeouts(text: Text) -> Iterator[Fact]:
    for number in dict.fromkeys(text.line_at(digit.start()) for digit in _NEAR.finditer(text.source.text)):
        line = text.lines[number - 1]
        if len(line) > 4000:
            continue
        code = number in text.document.code_lines
        for match in _DURATION.finditer(line):
            if _in_quotes(line, match.start(), code) or (
                code and line[match.start() - 1 : match.start()] in ("+", "-")
            ):
                continue  # an argument that is passed on (a reason, a message) or a step from a date
            unit = match[2].lower()
            if unit == "s" and re.match(r"\d+ ?s", match[0], re.A) is None:
                continue
            factor = 0 if unit in ("ms",) or unit.startswith("milli") else _UNITS.get(unit[:2], _UNITS.get(unit[:1], 1))
            if factor:
                around = " ".join(line[max(0, match.start() - 30) : match.end() + 30].split())
                yield Fact("timeout", "", str(int(match[1]) * factor), number, around)


def _in_quotes(line: str, at: int, code: bool) -> bool:
    """Whether a place lies in quotes, in code."""
    before = line[:at]
    if not code:
        if before.count("`") % 2 == 0:
            return False
        before = before.rpartition("`")[2]
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1


def _overlay(text: Text) -> Iterator[Fact]:
    for number in text.holding("<!--"):
        for match in _OVERLAY.finditer(text.lines[number - 1]):
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
    said: dict[int, bool] = {}
    for call in read_calls(text):
        mode = call.get("mode").strip("\"'`")
        if call.bare.endswith("state_clear") and mode == "skill-active":
            yield Fact("final", "", mode, call.line)
            return
        if call.bare.endswith("state_clear") and mode:
            if call.line not in said:
                near = " ".join(text.lines[max(0, call.line - 3) : call.line])
                said[call.line] = bool(_LAST.search(near) and _LAST_STEP.search(near))
            if said[call.line]:
                yield Fact("final", "", mode, call.line)
                return


_LAST_STEP = re.compile(r"as the (?:final|last)|last step|最后一步|마지막 단계|最後のステップ|最後に")
