"""Find the phrases of one sentence that start the skill: quoted ones near a cue, and bare ones behind `triggers:`."""

from __future__ import annotations

import re
from collections.abc import Iterator

WORDS = frozenset(
    {
        "cancelled", "canceled", "cancelling", "canceling", "cancels", "cancellation", "canceller", "cancelable",
        "cancellable", "stopped", "stopping", "stops", "stopper", "stopword", "stopgap", "stopsignal", "aborted",
        "aborting", "aborts", "halted", "halting", "halts", "killed", "killing", "kills", "killall", "quits",
        "quitting",
    }
)  # fmt: skip
STOPS = re.compile(
    r"\b(?:cancel|stop|abort|halt|quit|kill|end|exit|terminate|interrupt|shut ?down|never ?mind)\b|"
    r"\b(?:cancel|stop|abort|halt|kill|quit)[a-z]{2,14}\b|"
    r"取消|停止|停下|中止|中断|终止|終止|结束|退出|취소|중지|중단|정지|그만|멈춰|멈추|종료|キャンセル|取り消|止め|やめ|ストップ|終了",
    re.I | re.A,
)
#: A user speaks. Bare `type` and `ask` are left out: what stands behind them is as often a kind or a question.
_SPEAKS = (
    r"\b(?:say|says|saying|types|typed|utters?|asks? (?:for|to)|wants? to|mentions?|(?:users?|you|they)(?: can| may| could| might)? types?)\b|说|說|输入|輸入|提到|말하|말할|말씀|라고|입력|"
    r"言う|言い|言った|言え|と言|発言|入力|話しかけ|頼[まむ]|指示"
)
_NAMED = (
    r"\b(?:triggers?(?=\s*\**\s*[:：|]|\s[-–—]\s)|trigger(?:ed)? (?:words?|phrases?|keywords?|by|on|when)|triggers on|auto-?triggers?|keywords?(?! arg)|"
    r"magic words?|phrases?|alias(?:es)?|synonyms?|routing signals?|routes? (?:here|to this)|natural[- ]language|equivalents?|"
    r"activat(?:es?|ed|ion) (?:on|by|with|when|words?|phrases?)|also accepts?|responds? to|listens? (?:for|to))|"
    r"触发|觸發|关键[词字]|關鍵[詞字]|口令|트리거|키워드|トリガー|キーワード|合言葉"
)
CUE = re.compile(f"{_SPEAKS}|{_NAMED}", re.I | re.A)
#: What may close a sentence that its phrases open: Korean and Japanese speak last.
_CLOSES = re.compile(
    r"说|說|输入|輸入|말하|말할|말씀|라고|입력|言う|言い|言った|言え|と言|発言|入力|話しかけ|頼[まむ]|指示|起動|発動|실행됩|触发|"
    r"\b(?:routes? (?:here|to this)|triggers? (?:this|the skill|it)\b|activates? (?:this|it|the)\b|starts? this|invokes? this)",
    re.I | re.A,
)
_CODE = re.compile(r"`[^`\n]*`")
_LIST = re.compile(
    rf"(?:{_NAMED}|\b(?:users?|you|they) (?:says?|types?|mentions?|asks? for))[^\n:：|,.。`\"]{{0,12}}\**\s*[:：|]\s*\**\s*",
    re.I | re.A,
)
QUOTED = re.compile(
    r"\"([^\"\n]{2,40})\"|“([^”\n]{2,40})”|「([^」\n]{2,40})」|『([^』\n]{2,40})』|`([^`\n]{2,40})`|"
    r"(?<![A-Za-z0-9])'([^'\n]{2,40})'(?![A-Za-z0-9])|‘([^’\n]{2,40})’",
)
_PHRASE = re.compile(r"[^\W\d_](?:[\w' -]*\w)?$")
_BETWEEN = re.compile(
    r"[\s,，、;/|()（）*·•—–]*(?:(?:or|and|and/or|legacy|또는|혹은|이나|나|或者?|和|や|または|か)[\s,，、]*)?(?:also\s+)?[(（]?\s*$",
    re.I,
)
NOT = re.compile(
    r"\b(?:never|not|don't|doesn't|cannot|no)\b|不(?!管|论)|勿|(?:하|지) ?않|말고|しない|ないで", re.I | re.A
)
_CLAUSE = re.compile(r"[,;:，；。]\s?|\b(?:or|and|but)\b", re.A)
_UNLESS = re.compile(r"\b(?:unless|until|except|only|other than)\b", re.I | re.A)
_NOT_AFTER = re.compile(
    r"^[^,.;]{0,24}?(?:\b(?:not|never)\b|不匹配|不会|不會|일치하지|않|一致しない|しない)", re.I | re.A
)
_NO_MEMBER = re.compile(r"\b(?:nothing|none|no|user|users|when|if|the user|type|types|word|words)\b", re.I | re.A)
#: `Also on "x y"`, in a description.
_ON = re.compile(r"\b(?:on|for|by|with)\s+$", re.I | re.A)
_FAR = 70
_GAP = 40


def quoted_runs(part: str, own: str = "", *, alone: bool = False) -> Iterator[tuple[str, int]]:
    """Yield the members of every run of quoted phrases that a cue introduces or follows, if one of them means stop
    (or holds `own`, the skill's name). `alone` takes a run of several without a cue, as a description lists them."""
    cues = [match.end() for match in CUE.finditer(part)]
    if not cues and not alone:
        return
    closing = [match.start() for match in _CLOSES.finditer(part)]
    part = _CODE.sub(_blank, part)
    runs: list[list[re.Match[str]]] = []
    for match in QUOTED.finditer(part):
        between = part[runs[-1][-1].end() : match.start()] if runs else ""
        if runs and len(between) <= _GAP and _BETWEEN.match(between):
            runs[-1].append(match)
        else:
            runs.append([match])
    for run in runs:
        start, end = run[0].start(), run[-1].end()
        if alone and _ON.search(part, max(0, start - 12), start):
            cues = sorted({*cues, start})
        lead = next((at for at in reversed(cues) if at <= start and start - at <= _FAR), -1)
        if lead < 0 and not any(0 <= at - end <= _FAR for at in closing) and not (alone and len(run) > 1):
            continue
        before = _CLAUSE.split(part[max(0, (lead if lead >= 0 else start) - 60) : start])[-1]
        if (NOT.search(before) and not _UNLESS.search(before)) or _NOT_AFTER.match(part[end:]):
            continue
        members = [
            (word.strip(), match.start())
            for match in run
            for word in re.split(r"\s+/\s+|\s*[、／]\s*", next(filter(None, match.groups())))
        ]
        members = [(word, offset) for word, offset in members if is_phrase(word)]
        if any(means_stop(word, own) for word, _ in members):
            yield from members


def means_stop(word: str, own: str) -> bool:
    """Whether a phrase speaks of stopping, or of the skill by its own name."""
    said = any(match[0].lower() not in WORDS for match in STOPS.finditer(word))
    return said or (bool(own) and own in word.lower().split())


def _blank(span: re.Match[str]) -> str:
    """Keep a code span that is a phrase; what stands inside a call or a field is none."""
    return span[0] if is_phrase(span[0][1:-1].strip()) else "`" + "=" * (len(span[0]) - 2) + "`"


def is_phrase(word: str) -> bool:
    return (
        bool(_PHRASE.match(word))
        and len(word.split()) <= 5
        and not _NO_MEMBER.search(word)
        and word not in WORDS
        and "--" not in word
    )


def bare_list(part: str, own: str = "") -> Iterator[tuple[str, int]]:
    """Yield the members of `triggers: a, b, c`, up to a closing bracket or the sentence's end."""
    for lead in _LIST.finditer(part):
        tail = re.split(r"[)）.。\n;；]|\s\|\s", part[lead.end() : lead.end() + 300], maxsplit=1)[0]
        members: list[tuple[str, int]] = []
        offset = lead.end()
        for piece in re.split(r"([,，、/·•]|\bor\b|또는)", tail):
            word = re.sub(r"^(?:or|and|또는|或)\s+", "", piece.strip().strip("*`\"'“”「」『』 "))
            if re.match(r"[,，、/·•]$|or$|또는$|$", piece.strip()) or word[:1] in ("/", "$", "@", "#"):
                offset += len(piece)
                continue
            if not _PHRASE.match(word) or len(word.split()) > 3 or _NO_MEMBER.search(word):
                members = []
                break
            members.append((word, offset))
            offset += len(piece)
        if any(means_stop(word, own) for word, _ in members) and not any(word in WORDS for word, _ in members):
            yield from members
