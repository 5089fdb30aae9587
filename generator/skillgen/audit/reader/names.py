"""Read front matter, the product's label, invocations, flags and keywords."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.fragments import code_spans
from skillgen.audit.language import forbidden, sentence
from skillgen.model.facts import Fact
from skillgen.model.subject import Kind

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text

_LABEL = re.compile(
    r"\b(?:[Aa]ctive|[Aa]ny|[Aa]ll|[Nn]o|[Ee]very)\s+([A-Za-z][\w.-]*[\w])\s+(?:execution\s+|workflow\s+)?(?:modes?\b|모드|モード|模式)",
    re.A,
)
_FOREIGN_LABEL = re.compile(
    r"([A-Za-z][\w.-]*[\w])\s?(?:的?(?:活动|执行|任何|所有|工作)?模式|의?\s?(?:실행 |활성 )?모드|の?(?:実行)?モード)",
    re.A,
)
_NO_LABEL = frozenset(
    [
        "execution",
        "active",
        "any",
        "all",
        "linked",
        "persistent",
        "other",
        "the",
        "this",
        "that",
        "every",
        "no",
        "standalone",
        "running",
        "current",
        "mode",
        "such",
        "one",
        "specific",
        "cancel",
        "force",
        "default",
        "legacy",
        "parallel",
        "durable",
        "known",
        "selected",
        "listed",
        "matching",
        "remaining",
        "nested",
        "unknown",
        "supported",
        "retired",
        "exclusive",
        "smart",
        "graceful",
        "native",
        "live",
        "stale",
        "shared",
        "dependent",
        "which",
        "multiple",
        "several",
        "each",
        "session-scoped",
        "smart-cancel",
        "via",
        "and",
        "or",
    ]
)
_INVOCATION = re.compile(r"(?<![\w/.$}~>-])([/$](?:[A-Za-z][\w-]*:)?[A-Za-z][\w-]*)(?![\w/]|\.\w|:\w)", re.A)
_STOPPING = re.compile(
    r"(?:^|[:/$-])(?:cancel|stop|abort|halt|quit|kill)(?:$|[-_])|(?:cancel|stop|abort|halt)$", re.I | re.A
)
_FLAG = re.compile(r"(?<![\w-])--(force|all)\b(?!-)", re.A)
_KEYWORD = re.compile(r"(?<![\w/$-])((?:cancel|stop|abort|halt|kill|quit)[a-z]{2,14})(?![\w(-])", re.A)
_WORDS = frozenset(
    [
        "cancelled",
        "canceled",
        "cancelling",
        "canceling",
        "cancels",
        "cancellation",
        "canceller",
        "stopped",
        "stopping",
        "stops",
        "stopper",
        "aborted",
        "aborting",
        "aborts",
        "halted",
        "halting",
        "halts",
        "killed",
        "killing",
        "kills",
        "quits",
        "quitting",
        "stopword",
        "cancelable",
        "cancellable",
        "stopgap",
    ]
)
_SAY = re.compile(
    r"\b(?:or say|say|trigger(?:s|ed by)?|keywords?|magic words?|phrases?|aliases)\b|或(?:者)?(?:直接)?(?:说|輸入|输入)|触发词?|关键[词字]|"
    r"말하|키워드|트리거|言う|キーワード|トリガー",
    re.I | re.A,
)
_QUOTED = re.compile(r"[\"“「『`']([^\"”」』`'\n]{2,40})[\"”」』`']", re.A)


_MARKS = ('"', "`", "'", "“", "「", "『")


def read_names(text: Text, modes: Modes) -> Iterator[Fact]:
    for key in text.front.keys:
        value = key.value
        if isinstance(value, list):
            value = ", ".join(str(item) for item in value)
        if isinstance(value, str) and key.name != "prompt":
            yield Fact("front", key.name, value, key.line)
    if not text.front.line and text.kind is Kind.TEXT:
        for number, line in enumerate(text.lines[:14], 1):
            if match := re.match(r"([a-z][a-z-]{2,30})\t(\S.*)$", line):
                yield Fact("front", match[1], match[2].strip(), number)
    yield from _label(text, modes)
    yield from _invocations(text)
    yield from _flags(text)
    yield from _keywords(text)


def _label(text: Text, modes: Modes) -> Iterator[Fact]:
    votes: Counter[str] = Counter()
    first: dict[str, int] = {}
    for number, line in enumerate(text.lines, 1):
        if len(line) > 4000 or not ("mode" in line or "模式" in line or "모드" in line or "モード" in line):
            continue
        foreign = () if line.isascii() else _FOREIGN_LABEL.finditer(line)
        for match in (*_LABEL.finditer(line), *foreign):
            word = match[1]
            low = word.lower()
            if low in _NO_LABEL or modes.known(low) or low.endswith(("-specific", "-aware", "_mode")) or "mode" in low:
                continue
            votes[word] += 1
            first.setdefault(word, number)
    if votes:
        word, _ = max(votes.items(), key=lambda pair: (pair[1], -first[pair[0]]))
        yield Fact("label", "", word, first[word])


def _invocations(text: Text) -> Iterator[Fact]:
    name = text.front.string("name").lower()
    wanted = {name} if re.match(r"[\w-]+$", name or "!") else set()
    lines: dict[str, int] = {}
    for number in range(1, len(text.lines) + 1):
        line = text.lines[number - 1]
        if ("/" not in line and "$" not in line) or len(line) > 4000:
            continue
        for match in _INVOCATION.finditer(line):
            token = match[1]
            last = token.lstrip("/$").rpartition(":")[2].lower()
            if (last in wanted or _STOPPING.search(token)) and not (token[0] == "$" and token[1:].isupper()):
                if forbidden(line, match.start(1), match.end(1)) and re.search(
                    r"formerly|previously|renamed|曾|旧", line
                ):
                    continue
                lines.setdefault(token, number)
    for token, number in lines.items():
        yield Fact("invocation", "", token, number)


def _own_flag(line: str, at: int) -> bool:
    """Whether a flag belongs to the skill rather than to another program named before it on the line."""
    before = line[max(0, line.rfind("`", 0, at)) : at]
    return not re.search(
        r"\b(?:python3?|git|node|npm|npx|rm|tmux|bash|docker|sh|omc|curl)\s+\S|\.(?:py|sh|mjs|js)\b", before
    )


def _rejected(line: str, at: int) -> bool:
    before, _ = sentence(line, at)
    return bool(re.search(r"\b[Rr](?:eject|efuse)s?\b|拒绝|거부|拒否", before))


def _flags(text: Text) -> Iterator[Fact]:
    first: dict[str, int] = {}
    together = apart = 0
    apart_line = together_line = 0
    hint = text.front.get("argument-hint")
    for number, line in enumerate(text.lines, 1):
        if "--" not in line or len(line) > 4000:
            continue
        found = [
            match
            for match in _FLAG.finditer(line)
            if _own_flag(line, match.start()) and not _rejected(line, match.start())
        ]
        for match in found:
            first.setdefault(match[0], number)
        kinds = {match[0] for match in found}
        if len(kinds) == 2:
            joint = re.search(
                r"--(?:force|all)[\"'`*)\]]*\s*(?:/|\||\bor\b|或者?|또는|이나|または|か|、|,)\s*(?:\]\]\s*\|\|.*|[\"'`*(\[]*)--(?:force|all)",
                line,
            ) or re.search(r"--force.*\|\|.*--all|--all.*\|\|.*--force|--force\s*\|\s*--all", line)
            if joint:
                together += 1
                together_line = together_line or number
            elif re.search(
                r"\[--force\]\s*\[--all\]|--force\s+--all|--all\s+--force|--force\s*(?:\+|and|与|和|と)\s*`?--all", line
            ):
                apart += 1
                apart_line = apart_line or number
        elif kinds and re.match(r"\s*\(?--(?:force|all)\)\s*\w+=", line):
            apart += 0.5  # type: ignore[assignment]
            apart_line = apart_line or number
    for flag, number in first.items():
        yield Fact("flag", "", flag, number)
    if hint and isinstance(hint.value, str) and re.search(r"\[--force\]\s*\[--all\]", hint.value):
        apart += 2
        apart_line = hint.line
    if len(first) == 2:
        split = apart > 0 and apart >= together
        yield Fact(
            "flags", "", "split" if split else "same", apart_line if split else (together_line or min(first.values()))
        )
    elif first:
        flag, number = next(iter(first.items()))
        yield Fact("flags", "", "force-only" if flag == "--force" else "all-only", number)
    else:
        yield Fact("flags", "", "none", 1)


def _keywords(text: Text) -> Iterator[Fact]:
    seen: dict[str, int] = {}
    spans: dict[int, list[str]] = {}
    for number, _, content in code_spans(text):
        spans.setdefault(number, []).append(content)
    for key in text.front.keys:
        if key.name in ("triggers", "keywords", "trigger", "trigger-keywords") and isinstance(key.value, (list, str)):
            values = key.value if isinstance(key.value, list) else re.split(r"[,，、]", key.value)
            for value in values:
                if str(value).strip():
                    seen.setdefault(str(value).strip(), key.line)
    for number in range(1, len(text.lines) + 1):
        line = text.lines[number - 1]
        if len(line) > 2000:
            continue
        marked = any(mark in line for mark in _MARKS)
        quoted = [(match[1].strip(), match.start(1)) for match in _QUOTED.finditer(line)] if marked else []
        if not quoted and "#" not in line and "stop" not in line and "cancel" not in line:
            continue
        say = _SAY.search(line)
        for word, at in quoted:
            found = _KEYWORD.fullmatch(word)
            if (found and word not in _WORDS) or (
                say
                and number not in text.document.code_lines
                and re.fullmatch(r"[^\W\d_][\w -]{0,20}", word)
                and at > say.start()
                and not forbidden(line, at)
                and not re.search(r"\bnot match|\bno match|不匹配|不会触发|일치하지|一致しない", line[at:])
                and (re.search(r"[^\x00-\x7f]", word) or _STOPPING.search(word))
                and not re.search(r"[=.:(]", word)
            ):
                seen.setdefault(word, number)
        if "#" in line or say:
            for match in _KEYWORD.finditer(line):
                if match[1] not in _WORDS and not match[1].startswith(("killall", "cancelled", "stopsignal")) and say:
                    seen.setdefault(match[1], number)
    for word, number in seen.items():
        yield Fact("keyword", "", word, number)
