"""Read the words that start the skill: from front matter, trigger lists, and what a user is said to say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: Front matter keys that hold nothing but such words.
KEYS = ("triggers", "trigger", "trigger-keywords", "trigger_keywords", "trigger-words", "keywords", "aliases", "alias")
#: One word made of a stopping verb and a name (`cancelzed`); the words of the language that look like one are none.
_COINED = re.compile(r"((?:cancel|stop|abort|halt|kill|quit)[a-z]{2,14})(?![\w(-])", re.A)
_INSIDE = re.compile(r"[\w/$-]")
_WORDS = frozenset(
    {
        "cancelled", "canceled", "cancelling", "canceling", "cancels", "cancellation", "canceller", "cancelable",
        "cancellable", "stopped", "stopping", "stops", "stopper", "stopword", "stopgap", "stopsignal", "aborted",
        "aborting", "aborts", "halted", "halting", "halts", "killed", "killing", "kills", "killall", "quits",
        "quitting",
    }
)  # fmt: skip
_STOPS = re.compile(
    r"\b(?:cancel|stop|abort|halt|quit|kill|end|exit|terminate|interrupt|shut ?down|never ?mind)\b|"
    r"\b(?:cancel|stop|abort|halt|kill|quit)[a-z]{2,14}\b|"
    r"取消|停止|停下|中止|中断|终止|終止|结束|退出|취소|중지|중단|정지|그만|멈춰|멈추|종료|キャンセル|取り消|止め|やめ|ストップ|終了",
    re.I | re.A,
)
#: A user speaks. Bare `type` and `ask` are left out: what stands behind them is as often a kind or a question.
_SPEAKS = (
    r"\b(?:say|says|saying|types|typed|utters?|asks (?:for|to))\b|说|說|输入|輸入|提到|말하|말할|말씀|라고|입력|"
    r"言う|言い|言った|言え|と言|発言|入力"
)
_NAMED = (
    r"\b(?:triggers?(?= *\**[:：|])|trigger(?:ed)? (?:words?|phrases?|keywords?|by|on|when)|triggers on|auto-?triggers?|key ?words?|"
    r"magic words?|phrases?|alias(?:es)?|synonyms?|routing signals?|routes? (?:here|to this)|natural[- ]language|equivalents?|"
    r"activat(?:es?|ed|ion) (?:on|by|with|when|words?|phrases?)|also accepts?|responds? to|listens? (?:for|to))|"
    r"触发|觸發|关键[词字]|關鍵[詞字]|口令|트리거|키워드|호출어|トリガー|キーワード|合言葉"
)
_CUE = re.compile(f"{_SPEAKS}|{_NAMED}", re.I | re.A)
#: Pieces of which every cue holds one; finding them costs a tenth of the pattern.
_PIECES = (
    "say", "Say", "types", "typed", "utter", "asks ", "说", "說", "输入", "輸入", "提到", "말하", "말할", "말씀", "라고", "입력",
    "言", "発言", "入力", "rigger", "eyword", "ey word", "agic word", "hrase", "lias", "ynonym", "outing signal",
    "route here", "routes here", "oute to this", "outes to this", "atural language", "atural-language", "quivalent", "ctivat", "lso accept", "espond", "isten",
    "触发", "觸發", "关键", "關鍵", "口令", "트리거", "키워드", "호출어", "トリガー", "キーワード", "合言葉", "RIGGER", "EYWORD",
)  # fmt: skip
#: What may close a sentence that its phrases open: Korean and Japanese speak last.
_CLOSES = re.compile(
    r"说|說|输入|輸入|말하|말할|말씀|라고|입력|言う|言い|言った|言え|と言|発言|入力|"
    r"\b(?:routes? (?:here|to this)|triggers? (?:this|the skill|it)\b|activates? (?:this|it|the)\b|starts? this|invokes? this)",
    re.I | re.A,
)
_CODE = re.compile(r"`[^`\n]*`")
_LIST = re.compile(rf"(?:{_NAMED})[\w ]{{0,12}}\**\s*[:：|]\s*\**\s*", re.I | re.A)
_QUOTED = re.compile(
    r"\"([^\"\n]{2,40})\"|“([^”\n]{2,40})”|「([^」\n]{2,40})」|『([^』\n]{2,40})』|`([^`\n]{2,40})`|"
    r"(?<![A-Za-z0-9])'([^'\n]{2,40})'(?![A-Za-z0-9])|‘([^’\n]{2,40})’",
)
_PHRASE = re.compile(r"[^\W\d_](?:[\w' -]*\w)?$")
_BETWEEN = re.compile(
    r"[\s,，、;/|()（）*]*(?:(?:or|and|and/or|legacy|또는|혹은|이나|나|或者?|和|や|または|か)[\s,，、]*)?(?:also\s+)?[(（]?\s*$",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"”'`*)]*\s+|(?<=[。！？])|\n\s*[-*+]\s|\n\s*\d+[.)]\s|\n\s*\n")
_NOT = re.compile(
    r"\b(?:never|not|don't|doesn't|cannot|no)\b|不(?!管|论)|勿|(?:하|지) ?않|말고|しない|ないで", re.I | re.A
)
_NOT_AFTER = re.compile(
    r"^[^,.;]{0,24}?(?:\b(?:not|never)\b|不匹配|不会|不會|일치하지|않|一致しない|しない)", re.I | re.A
)
_CONDITION = re.compile(
    r"(?:^|[\s*(-])(?:if|만약|如果|若|もし)\b.*(?:--\w|\bforce\b|강제|强制|強制)", re.I | re.A | re.S
)
_NO_MEMBER = re.compile(r"\b(?:nothing|none|no|user|users|when|if|the user|type|types|word|words)\b", re.I | re.A)
#: Words that any talk holds: a hook that listened for them would fire on talk.
_PLAIN = re.compile(
    r"(?:(?:cancel|stop|abort|halt|quit|kill|end|exit|terminate|interrupt|reset|pause|never|mind|shut|down|it|that|this|"
    r"the|all|now|please|everything|working|running|run|work)\b\s*)+$|"
    r"(?:取消|停止|停下|停|中止|中断|终止|終止|结束|退出|취소|중지|중단|정지|그만|멈춰|종료|キャンセル|中止|停止|中断|やめて|止めて|終了)(?:해|해줘|하기|する|して)?$",
    re.I | re.A,
)
_FAR = 70
_NEAR_LINES = 6


@dataclass(frozen=True, slots=True)
class _Passage:
    """A stretch of text that may speak of triggers; `lines` gives the line of each of its own lines."""

    text: str
    lines: tuple[int, ...]

    def line_at(self, offset: int) -> int:
        return self.lines[min(self.text.count("\n", 0, offset), len(self.lines) - 1)]


def read_keywords(text: Text) -> Iterator[Fact]:
    """Yield one fact a word; `detail` is `plain` where the word is one of everyday talk."""
    seen: dict[str, int] = {}
    for word, line in (*_front(text), *_coined(text), *_said(text), *_listed(text)):
        seen.setdefault(word, line)
    for word, line in seen.items():
        yield Fact("keyword", "", word, line, "plain" if _PLAIN.match(word) else "")


def _front(text: Text) -> Iterator[tuple[str, int]]:
    for key in text.front.keys:
        if key.name.lower() in KEYS and isinstance(key.value, (list, str)):
            values = key.value if isinstance(key.value, list) else re.split(r"[,，、]", key.value)
            for value in values:
                word = str(value).strip()
                # An alias in the form of a file name is one more command, nothing that a person says.
                command = word[:1] in "/$@" or (key.name.startswith("alias") and re.match(r"[a-z]+-[\w-]+$", word))
                if word and not command and len(word) <= 60:
                    yield word, _line_of(text, word, key.line)


def _line_of(text: Text, word: str, first: int) -> int:
    last = text.front.end or min(first + 40, len(text.lines))
    return next((n for n in range(first, last) if word in text.lines[n - 1]), first)


def _coined(text: Text) -> Iterator[tuple[str, int]]:
    """Coined words in quotes or code marks anywhere, bare ones beside a cue."""
    whole = text.source.text
    for match in _COINED.finditer(whole):
        if match[1] in _WORDS or _INSIDE.match(whole[match.start() - 1 : match.start()]):
            continue
        quoted = (
            whole[match.start() - 1 : match.start()] in _OPENING and whole[match.end() : match.end() + 1] in _CLOSING
        )
        start = whole.rfind("\n", 0, match.start()) + 1
        if quoted or _CUE.search(whole, max(start, match.start() - _FAR), match.start()):
            yield match[1], text.line_at(match.start())


_OPENING = frozenset("\"“「『`'")
_CLOSING = frozenset("\"”」』`'")


def _passages(text: Text) -> Iterator[_Passage]:
    for key in text.front.keys:
        if key.name in ("description", "when_to_use", "when-to-use") and isinstance(key.value, str):
            yield _Passage(key.value[:4000].replace("\n", " "), (key.line,))
    fenced = {n for f in text.document.fences if not f.indented for n in range(f.line, f.end + 1)}
    done = 0
    for number in text.holding(*_PIECES):
        if number <= done or number < text.body_line or number in fenced or len(text.lines[number - 1]) > 4000:
            continue
        if not _CUE.search(text.lines[number - 1]):
            continue
        first, last = number, number
        while (
            last < len(text.lines)
            and last - number < _NEAR_LINES
            and _goes_on(text.lines[last])
            and last + 1 not in fenced
        ):
            last += 1
        while (
            first > 1
            and number - first < 2
            and _goes_on(text.lines[first - 1])
            and first - 1 > done
            and _plain(text, first - 1, fenced)
        ):
            first -= 1
        done = last
        yield _Passage("\n".join(text.lines[first - 1 : last])[:6000], tuple(range(first, last + 1)))


def _goes_on(line: str) -> bool:
    """Whether a line continues the one above: no new item, heading, row, quote or fence, and not blank."""
    return bool(line.strip()) and not re.match(r"\s*(?:[-*+>|#<]|\d+[.)]\s|```|~~~)", line)


def _plain(text: Text, number: int, fenced: set[int]) -> bool:
    line = text.lines[number - 1]
    return (
        number >= text.body_line
        and number not in fenced
        and bool(line.strip())
        and len(line) < 1000
        and line.lstrip()[:1] not in "#|<"
    )


def _said(text: Text) -> Iterator[tuple[str, int]]:
    for passage in _passages(text):
        at = 0
        for part in _parts(passage.text):
            start = passage.text.find(part, at)
            at = start + len(part)
            if _CONDITION.search(part):
                continue
            for word, offset in (*_quoted_runs(part), *_bare_list(part)):
                yield word, _found_line(text, passage, word, start + offset)


def _found_line(text: Text, passage: _Passage, word: str, offset: int) -> int:
    return (
        _line_of(text, word, passage.lines[0])
        if len(passage.lines) == 1 and passage.lines[0] < text.body_line
        else passage.line_at(offset)
    )


def _parts(words: str) -> list[str]:
    """Cut a passage into sentences; a cue that ends in a colon keeps what follows."""
    return [part for part in _SENTENCE.split(words) if part]


def _quoted_runs(part: str) -> Iterator[tuple[str, int]]:
    """Yield the members of every run of quoted phrases that a cue introduces or follows, if one of them means stop."""
    cues = [match.end() for match in _CUE.finditer(part)]
    if not cues:
        return
    closing = [match.start() for match in _CLOSES.finditer(part)]
    part = _CODE.sub(_blank, part)
    runs: list[list[re.Match[str]]] = []
    for match in _QUOTED.finditer(part):
        if runs and _BETWEEN.match(part[runs[-1][-1].end() : match.start()]):
            runs[-1].append(match)
        else:
            runs.append([match])
    for run in runs:
        start, end = run[0].start(), run[-1].end()
        lead = next((at for at in reversed(cues) if at <= start and start - at <= _FAR), -1)
        if lead < 0 and not any(0 <= at - end <= _FAR for at in closing):
            continue
        before = part[max(0, (lead if lead >= 0 else start) - 25) : start]
        if _NOT.search(re.split(r"[,;:，；]\s", before)[-1]) or _NOT_AFTER.match(part[end:]):
            continue
        members = [(next(filter(None, match.groups())).strip(), match.start()) for match in run]
        members = [(word, offset) for word, offset in members if _is_phrase(word)]
        if any(_STOPS.search(word) for word, _ in members):
            yield from members


def _blank(span: re.Match[str]) -> str:
    """Keep a code span that is a phrase; what stands inside a call or a field is none."""
    return span[0] if _is_phrase(span[0][1:-1].strip()) else "`" + "=" * (len(span[0]) - 2) + "`"


def _is_phrase(word: str) -> bool:
    return (
        bool(_PHRASE.match(word))
        and len(word.split()) <= 5
        and not _NO_MEMBER.search(word)
        and word not in _WORDS
        and "--" not in word
    )


def _bare_list(part: str) -> Iterator[tuple[str, int]]:
    """Yield the members of `triggers: a, b, c`, up to a closing bracket or the sentence's end."""
    for lead in _LIST.finditer(part):
        tail = re.split(r"[)）.。\n;；]|\s\|\s", part[lead.end() : lead.end() + 300], maxsplit=1)[0]
        members: list[tuple[str, int]] = []
        offset = lead.end()
        for piece in re.split(r"([,，、/]|\bor\b|또는)", tail):
            word = re.sub(r"^(?:or|and|또는|或)\s+", "", piece.strip().strip("*`\"'“”「」『』 "))
            if re.match(r"[,，、/]$|or$|또는$|$", piece.strip()) or word[:1] in ("/", "$", "@", "#"):
                offset += len(piece)
                continue
            if not _PHRASE.match(word) or len(word.split()) > 3 or _NO_MEMBER.search(word):
                members = []
                break
            members.append((word, offset))
            offset += len(piece)
        if any(_STOPS.search(word) for word, _ in members) and not any(word in _WORDS for word, _ in members):
            yield from members


def _listed(text: Text) -> Iterator[tuple[str, int]]:
    """Yield the items of a list whose heading or lead is a cue."""
    lists: dict[int, list[tuple[str, int]]] = {}
    for item in text.document.items:
        lists.setdefault(item.list_id, []).append((item.text, item.line))
    for items in lists.values():
        above = _lead_above(text, items[0][1])
        if not above or not _CUE.search(above) or _NOT.search(above):
            continue
        found: list[tuple[str, int]] = []
        for words, line in items:
            quoted = _QUOTED.match(words.strip().lstrip("*"))
            word = next(filter(None, quoted.groups())) if quoted else words.strip().strip("*")
            if word[:1] in "/$@":
                continue
            if not _is_phrase(word):
                found = []
                break
            found.append((word, line))
        if any(_STOPS.search(word) for word, _ in found):
            yield from found


def _lead_above(text: Text, line: int) -> str:
    """Return the line of prose or the heading that directly introduces a list, '' when there is none."""
    number = line - 1
    while number > 0 and line - number < 3 and not text.lines[number - 1].strip():
        number -= 1
    row = text.lines[number - 1].strip() if number > 0 else ""
    if len(row) > 90 or not (row.startswith(("#", "<", "**")) or row.endswith((":", "："))):
        return ""
    return row
