"""Read messages outside tables: quoted in prose, behind a verb of saying, in fences that show output, in echoes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.branch import force_lines, says_force
from skillgen.audit.reader.words import FORCE_WORDS, NONE_WORDS, strip_marks

if TYPE_CHECKING:
    from skillgen.audit.document import Fence
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

Said = tuple[str, str, int]

_QUOTED = re.compile(r"[\"“「『]([^\"”」』\n]{8,200}[.。!！])[\"”」』]")
#: That nothing is active, in a sentence of its own.
_NOTHING = (
    r"(?:No active|Nothing (?:is |was )?(?:active|running)|Nothing to (?:cancel|stop)|No modes?\b|No running)[^\"”」』`\n]*|"
    r"[^\"”」』`\n]{0,120}(?:没有(?:检测到)?(?:任何)?(?:活动|正在运行|激活)|未检测到|활성[^\"”」』`\n]{0,60}(?:없|않)|"
    r"アクティブな[^\"”」』`\n]{0,60}(?:ありません|ない|見つかりません)|実行中の[^\"”」』`\n]{0,60}ありません)[^\"”」』`\n]*"
)
#: One of these stands in each of them, as it is written.
_NOTHING_WORDS = (
    "o active",
    "othing ",
    "o running",
    "o mode",
    "f none",
    "othing to",
    "没有",
    "未检测",
    "活动",
    "활성",
    "없으면",
    "アクティブ",
    "実行中",
    "なければ",
    "ない場合",
)
_NONE = re.compile(rf"[\"“「『`]((?:[^\w\s\"“`]{{1,2}}\s)?(?:{_NOTHING}))[\"”」』`]", re.I | re.A)
_NONE_START = re.compile(rf"(?:[^\w\s\"]+\s+)?(?:[\w .-]{{1,30}}: ?)?(?:{_NOTHING})$", re.I | re.A)
#: A condition that nothing runs, and what is said then, quoted or as code.
_IF_NOTHING = re.compile(
    r"(?:\bno (?:active|running)\b|\bnothing (?:is )?(?:active|running)\b|\bnothing to (?:do|cancel|stop)\b|\bif none\b|없으면|没有活动|无活动|なければ|ない場合)[^:：\"“「`\n]{0,60}"
    r"(?:[:：]|→|->|report|say|show|출력|输出|提示)[^\"“「`\n]{0,30}[`\"“「]([^`\"”」\n]{12,200})[`\"”」]",
    re.I | re.A,
)
_SAYS = re.compile(
    r"(?:\b(?:report|say|show|print|tell(?: the)? user|respond|reply|display|output|emit|message|announce)s?\b|출력|보고|표시|알림|显示|输出|提示|报告|告知|"
    r"表示|出力|伝え|報告)[^\"“「『\n]{0,30}[\"“「『]([^\"”」』\n]{8,200})[\"”」』]",
    re.I | re.A,
)
_SHOWS = re.compile(
    r"\b(?:report|say|show|print|tell|respond|reply|display|output|emit|confirm|announce|example|present|message|response)\w*\b|출력|보고|표시|알림|응답|메시지|예시|显示|输出|提示|报告|告知|消息|示例|"
    r"表示|出力|伝え|報告|メッセージ|例|\bif\b|\bnothing\b|\bno active\b|\bcancel\w*\b|없으면|没有|の場合",
    re.I | re.A,
)
_SPEAKER = re.compile(r"^(?:\[[^\]\n]{1,24}\]|(?:assistant|agent|bot|output)\s*[:>])\s*", re.I | re.A)
_NOT_SAID = re.compile(r"^(?:\[?(?:user|you|human)\]?\s*[:>\]]?|[/$@#>]|[-*|{<]|```)", re.I | re.A)
_CLEARED = re.compile(
    r"\b(?:cleared|cancell?ed|removed|reset|stopped|erased|deleted|clean(?:ed)?)\b|취소|정리|초기화|삭제|已|清除|クリア|キャンセル|削除|リセット",
    re.I | re.A,
)
_CANCELLED = re.compile(
    r"^([A-Za-z][\w -]{2,30}?)\s*(?:is |was |has been )?(?:cancell?ed|stopped|deactivated|terminated|已取消|已停止|取消|취소|중단|を?キャンセル|を?中止|を?停止|이 취소|가 취소|이\(가\))",
    re.I | re.A,
)
_CANCELLED_MODE = re.compile(r"^(?:Cancell?ed|Stopped|Terminated)\s+(?:the\s+)?([A-Za-z][\w-]*)\b(?!:)", re.A)
_BLOCK_QUOTE = re.compile(r"^[ \t]*>[ \t]*\S", re.M | re.A)
_LAST = tuple('.!。！`"”」』')
_CODED = re.compile(r"`([^`]{8,200}[.!。])`$", re.A)
_SIGN = re.compile(r"^[^\w\s]{1,2}\s+", re.A)
_QUOTED_ROW = re.compile(
    r"([^\"“「:：→—]{2,40}?)\s*(?:[:：][*`_]*|→|->|—|–)\s*[\"“「]([^\"”」]{4,200}[.!。！])[\"”」]$", re.A
)
_ROW = re.compile(
    r"[*`_]*([A-Za-z][\w -]{1,30}?)[*`_]*\s*(?:[:：][*`_]*|→|->|—|–)\s*([A-Za-z][^\n\"“`]{8,200}[.!。])$", re.A
)
_DONE = re.compile(r"(?<!\.\.)[.。!！]$")
_SENTENCE = re.compile(r"(?<=[.。！!])\s")
#: Languages of fences whose content is no output.
_CODE = frozenset(
    ["bash", "sh", "shell", "zsh", "console", "json", "jsonc", "yaml", "yml", "toml", "js", "javascript", "ts", "typescript",
     "python", "py", "sql", "diff", "xml", "html"]
)  # fmt: skip
_PHASE = re.compile(r"\$\{?(?:CURRENT_PHASE|PHASE|phase)\}?")


def said_messages(text: Text, modes: Modes, places: Places) -> Iterator[Said]:
    """Yield (mode, force or none; words; line); the first of a key counts."""
    yield from _in_prose(text, modes, places)
    yield from _in_fences(text, modes)
    yield from _in_quotes(text, modes)
    yield from _in_items(text, modes)
    yield from _echoed(text, modes)


def _in_prose(text: Text, modes: Modes, places: Places) -> Iterator[Said]:
    forced = force_lines(text)
    code = text.document.code_lines
    for number in text.holding(*_NOTHING_WORDS):
        line = text.lines[number - 1]
        if number < text.body_line or len(line) > 3000 or number in code:
            continue
        if match := _IF_NOTHING.search(line):
            yield "none", match[1].strip(), number
        elif match := _NONE.search(line):
            yield "none", _SENTENCE.split(match[1].strip(), maxsplit=1)[0], number
    for number in text.holding('"', "“", "「", "『"):
        line = text.lines[number - 1]
        if number < text.body_line or len(line) > 3000 or number in code:
            continue
        for match in _QUOTED.finditer(line):
            if key := subject(match[1], modes):
                yield key, match[1].strip(), number
        for match in _SAYS.finditer(line) if number in forced or says_force(line) else ():
            if _CLEARED.search(match[1]) and not subject(match[1], modes):
                yield "force", match[1].strip(), number


def _in_fences(text: Text, modes: Modes) -> Iterator[Said]:
    """What a fence shows as output, where the line above it says so."""
    forced = force_lines(text)
    for fence in text.document.fences:
        if fence.indented or fence.lang in _CODE or len(fence.text) > 4000:
            continue
        above = _above(text, fence)
        if not _SHOWS.search(above):
            continue
        spoken = any(_SPEAKER.match(row.strip()) for row in fence.text.split("\n"))
        for n, row in enumerate(fence.text.split("\n")):
            words = row.strip()
            said = _SPEAKER.sub("", words)
            if not words or _NOT_SAID.match(words) or (spoken and said == words):
                continue
            line = fence.first + n
            if _NONE_START.match(said):
                yield "none", said, line
            elif key := subject(said, modes):
                yield key, said, line
            elif line in forced and _CLEARED.search(said) and said[-1:] in ".。!！":
                yield "force", said, line
            if not spoken:
                break


def _in_quotes(text: Text, modes: Modes) -> Iterator[Said]:
    """What stands in a block quote below a line that says when it is said."""
    last = 0
    for number in text.matching(_BLOCK_QUOTE):
        follows, last = number == last + 1, number
        if follows or number in text.document.code_lines or number < text.body_line:
            continue
        rows = reversed(text.lines[max(0, number - 8) : number - 1])
        above = next((row for row in rows if row.strip() and row.lstrip()[:1] != ">"), "")
        if not (above.startswith("#") or above.rstrip(" *")[-1:] in (":", "：")) or not _SHOWS.search(above):
            continue
        sentence = text.lines[number - 1].lstrip(" >\t").strip().strip('"“”')
        if _NONE_START.match(sentence):
            yield "none", sentence, number
        elif key := subject(sentence, modes):
            yield key, sentence, number
        elif says_force(above) and _CLEARED.search(sentence):
            yield "force", sentence, number


def _in_items(text: Text, modes: Modes) -> Iterator[Said]:
    """An item `Mode: Mode cancelled. …`, `Mode: "…"`, or an item that is nothing but a coded message."""
    for item in text.document.items:
        if item.text[-1:] not in _LAST or len(item.text) > 400 or "\n" in item.text:
            continue
        if match := _CODED.match(item.text):
            if key := subject(_SIGN.sub("", match[1]), modes):
                yield key, match[1], item.line
        elif match := _ROW.match(item.text):
            keys = modes.keys(match[1])
            if keys and subject(match[2], modes) == keys[0]:
                yield keys[0], match[2].strip(), item.line
        elif (match := _QUOTED_ROW.match(item.text)) and (key := whose(match[1], modes)):
            yield key, match[2].strip(), item.line


def whose(cell: str, modes: Modes) -> str:
    """Return the mode that a cell or lead names, else `none` or `force`, else ''."""
    if found := modes.keys(cell):
        return found[0]
    words = strip_marks(cell).strip("()（）<>[] ")
    return "none" if NONE_WORDS.match(words) else "force" if FORCE_WORDS.match(words) else ""


def _above(text: Text, fence: Fence) -> str:
    """Return the first row of the paragraph, item or heading that a fence (or a row of fences) stands below."""
    rows: list[str] = []
    line = fence.line
    while line > text.body_line and len(rows) < 4:
        line -= 1
        row = text.lines[line - 1]
        if line in text.document.code_lines and not rows:
            line = min((f.line for f in text.document.fences if f.line <= line <= f.end), default=line)
        elif row.strip():
            rows.append(row)
        elif rows:
            break
    return rows[-1] if rows else ""


def _echoed(text: Text, modes: Modes) -> Iterator[Said]:
    forced = force_lines(text)
    for command in text.commands:
        if command.name in ("echo", "printf") and command.words:
            words = _PHASE.sub("{phase}", command.words[0].value.strip())
            if key := subject(words, modes):
                yield key, words, command.line
            elif re.match(r"No active\b|没有|활성.*없|アクティブな.*ありません", words):
                yield "none", words, command.line
            elif command.line in forced and _DONE.search(words) and _CLEARED.search(words):
                yield "force", words, command.line


def subject(words: str, modes: Modes) -> str:
    """Return the mode that a sentence says is cancelled, '' when it says so of none."""
    for pattern in (_CANCELLED, _CANCELLED_MODE):
        match = pattern.match(words)
        if match and (keys := modes.keys(match[1])):
            return keys[0]
    return ""
