"""Read the words that start the skill: from front matter, trigger lists, and what a user is said to say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillgen.audit.reader.phrases import CUE, NOT, QUOTED, WORDS, bare_list, is_phrase, means_stop, quoted_runs
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: Front matter keys that hold nothing but such words.
KEYS = ("triggers", "trigger", "trigger-keywords", "trigger_keywords", "trigger-words", "keywords", "aliases", "alias")
#: Fields of a trigger that is a mapping.
_FIELDS = ("pattern", "phrase", "keyword", "text", "value", "word")
#: One word made of a stopping verb and a name (`cancelzed`); the words of the language that look like one are none.
_COINED = re.compile(r"((?:cancel|stop|abort|halt|kill|quit)[a-z]{2,14})(?![\w(-])", re.A)
_INSIDE = re.compile(r"[\w/$-]")
#: Pieces of which every cue holds one; finding them costs a tenth of the pattern.
_PIECES = (
    "say", "Say", "type", "ention", "utter", "ask to", "ask for", "asks ", "want to", "wants to", "rigger", "eyword", "agic ", "hrase", "lias", "ynonym", "outing s", "oute",
    "atural", "quivalent", "ctivat", "lso accept", "espond", "isten", "说", "說", "输入", "輸入", "提到", "말", "라고", "입력", "言",
    "入力", "話しかけ", "頼", "指示", "触发", "觸發", "关键", "關鍵", "口令", "트리거", "키워드", "トリガー", "キーワード",
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?])[\"”'`*)]*\s+|(?<=[。！？])|\n\s*[-*+]\s|\n\s*\d+[.)]\s|\n\s*\n")
_CONDITION = re.compile(
    r"(?:^|[\s*(-])(?:if|만약|如果|若|もし)\b.*(?:--\w|\bforce\b|강제|强制|強制)", re.I | re.A | re.S
)
#: Words that any talk holds: a hook that listened for them would fire on talk.
_PLAIN = re.compile(
    r"(?:(?:cancel|stop|abort|halt|quit|kill|end|exit|terminate|interrupt|reset|pause|never|mind|shut|down|it|that|this|"
    r"the|all|my|now|please|everything|working|running|run|work|workflow|loop|session|task|execution|mode|job|process|project|agents?)\b\s*)+$|"
    r"(?:取消|停止|停下|停|中止|中断|终止|終止|结束|退出|취소|중지|중단|정지|그만|멈춰|종료|キャンセル|ストップ|やめて|止めて|終了)(?:해|해줘|하기|する|して)?$",
    re.I | re.A,
)
#: A heading or a column may be called so in one word.
_TITLE = re.compile(r"\btriggers?\b|\bphrases?\b|\bkeywords?\b|^say$|^you say$|^触发|^트리거|^トリガー", re.I | re.A)
_FAR = 70
_NEAR_LINES = 6


@dataclass(frozen=True, slots=True)
class _Passage:
    """A stretch of text that may speak of triggers; `lines` gives the line of each of its own lines."""

    text: str
    lines: tuple[int, ...]
    front: bool = False

    def line_at(self, offset: int) -> int:
        return self.lines[min(self.text.count("\n", 0, offset), len(self.lines) - 1)]


def read_keywords(text: Text) -> Iterator[Fact]:
    """Yield one fact a word; `detail` is `plain` where the word is one of everyday talk."""
    seen: dict[str, int] = {}
    for word, line in (*_front(text), *_coined(text), *_said(text), *_listed(text), *_columns(text)):
        seen.setdefault(word, line)
    for word, line in seen.items():
        yield Fact("keyword", "", word, line, "plain" if _PLAIN.match(word) else "")


def _front(text: Text) -> Iterator[tuple[str, int]]:
    named = [(key.name, key.value, key.line) for key in text.front.keys]
    named += [
        (name, value, key.line)
        for key in text.front.keys
        if key.name == "metadata" and isinstance(key.value, dict)
        for name, value in key.value.items()
    ]
    for name, given, first in named:
        if name.lower() in KEYS and isinstance(given, (list, str)):
            values = given if isinstance(given, list) else re.split(r"[,，、]", given)
            for value in values:
                if isinstance(value, dict):
                    value = next((value[name] for name in _FIELDS if name in value), "")
                word = str(value).strip()
                # An alias in the form of a file name is one more command, nothing that a person says.
                command = word[:1] in "/$@" or (name.startswith("alias") and re.match(r"[a-z]+-[\w-]+$", word))
                if word and not command and len(word) <= 60:
                    yield word, _line_of(text, word, first)


def _line_of(text: Text, word: str, first: int) -> int:
    last = text.front.end or min(first + 40, len(text.lines))
    return next((n for n in range(first, last) if word in text.lines[n - 1]), first)


def _coined(text: Text) -> Iterator[tuple[str, int]]:
    """Coined words in quotes or code marks anywhere, bare ones beside a cue."""
    whole = text.source.text
    for match in _COINED.finditer(whole):
        if match[1] in WORDS or _INSIDE.match(whole[match.start() - 1 : match.start()]):
            continue
        quoted = (
            whole[match.start() - 1 : match.start()] in _OPENING and whole[match.end() : match.end() + 1] in _CLOSING
        )
        start = whole.rfind("\n", 0, match.start()) + 1
        if quoted or CUE.search(whole, max(start, match.start() - _FAR), match.start()):
            yield match[1], text.line_at(match.start())


_OPENING = frozenset("\"“「『`'")
_CLOSING = frozenset("\"”」』`'")


def _passages(text: Text) -> Iterator[_Passage]:
    for key in text.front.keys:
        if key.name in ("description", "when_to_use", "when-to-use") and isinstance(key.value, str):
            yield _Passage(key.value[:4000].replace("\n", " "), (key.line,), front=True)
    fenced = {n for f in text.document.fences if not f.indented for n in range(f.line, f.end + 1)}
    done = 0
    for number in text.holding(*_PIECES):
        if number <= done or number < text.body_line or number in fenced or len(text.lines[number - 1]) > 4000:
            continue
        if not CUE.search(text.lines[number - 1]):
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


def _own(text: Text) -> str:
    return re.split(r"[:/_-]", text.front.string("name").lower())[-1]


def _said(text: Text) -> Iterator[tuple[str, int]]:
    own = _own(text)
    for passage in _passages(text):
        at = 0
        for part in _parts(passage.text):
            start = passage.text.find(part, at)
            at = start + len(part)
            if _CONDITION.search(part):
                continue
            for word, offset in (*quoted_runs(part, own, alone=passage.front), *bare_list(part, own)):
                yield word, _found_line(text, passage, word, start + offset)


def _found_line(text: Text, passage: _Passage, word: str, offset: int) -> int:
    return _line_of(text, word, passage.lines[0]) if passage.front else passage.line_at(offset)


def _parts(words: str) -> list[str]:
    """Cut a passage into sentences; a cue that ends in a colon keeps what follows."""
    return [part for part in _SENTENCE.split(words) if part]


def _listed(text: Text) -> Iterator[tuple[str, int]]:
    """Yield the items of a list whose heading or lead is a cue."""
    own = _own(text)
    for items in text.document.lists.values():
        above = _lead_above(text, items[0].line)
        if not above or not (CUE.search(above) or _TITLE.search(above)) or NOT.search(above):
            continue
        found: list[tuple[str, int]] = []
        for item in items:
            quoted = QUOTED.match(item.text.strip().lstrip("*"))
            word = next(filter(None, quoted.groups())) if quoted else item.text.strip().strip("*")
            if word[:1] in "/$@":
                continue
            if not is_phrase(word):
                found = []
                break
            found.append((word, item.line))
        if any(means_stop(word, own) for word, _ in found):
            yield from found


def _columns(text: Text) -> Iterator[tuple[str, int]]:
    """Yield the quoted phrases of a table's column that is called trigger, keyword or phrase."""
    own = _own(text)
    for table in text.document.tables:
        column = next((n for n, cell in enumerate(table.header) if _TITLE.search(cell)), -1)
        found = []
        for row in table.rows if column >= 0 else ():
            for quoted in QUOTED.finditer(row.cells[column]) if column < len(row.cells) else ():
                word = next(filter(None, quoted.groups()))
                if is_phrase(word):
                    found.append((word, row.line))
        if any(means_stop(word, own) for word, _ in found):
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
