"""Read messages outside tables: quoted in prose, behind a verb of saying, in items, in echoes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.branch import force_lines, says_force
from skillgen.audit.reader.sayings import CLEARED, NOTHING, subject
from skillgen.audit.reader.shown import in_fences, in_quotes
from skillgen.audit.reader.spoken import spoken_messages

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

Said = tuple[str, str, int]

#: One of these stands in each sentence that says so, as it is written.
_NOTHING_WORDS = (
    "o active",
    "othing ",
    "o running",
    "o mode",
    "f none",
    "either ",
    "one is active",
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
_NONE = re.compile(rf"[\"“「『`]((?:[^\w\s\"“`]{{1,2}}\s)?(?:[\w-]{{1,20}}: )?(?:{NOTHING}))[\"”」』`]", re.I | re.A)
#: A condition that nothing runs, and what is said then, quoted or as code.
_IF_NOTHING = re.compile(
    r"(?:\bno (?:active|running)\b|\bnothing (?:is )?(?:active|running)\b|\bnothing to (?:do|cancel|stop)\b|\bif none\b|\b(?:neither|none)(?: of \w+)? is active\b|없으면|没有活动|无活动|なければ|ない場合)[^:：\"“「`\n]{0,60}"
    r"(?:[:：]|→|->|report|say|show|출력|输出|提示)[^\"“「`\n]{0,30}[`\"“「]([^`\"”」\n]{12,200})[`\"”」]",
    re.I | re.A,
)
#: The same where the verb stands last: `…なければ「…」と伝える`.
_IF_NOTHING_LAST = re.compile(
    r"(?:なければ|ない場合は?|없으면)[、,]?\s?[\"“「『]([^\"”」』\n]{6,200})[\"”」』](?:と|을|를|이?라고|\s)", re.A
)
_SAYS = re.compile(
    r"(?:\b(?:report|say|show|print|tell(?: the)? user|respond|reply|display|output|emit|message|announce)s?\b|출력|보고|표시|알림|显示|输出|提示|报告|告知|"
    r"表示|出力|伝え|報告)[^\"“「『\n]{0,30}[\"“「『]([^\"”」』\n]{8,200})[\"”」』]",
    re.I | re.A,
)
_DONE = re.compile(r"(?<!\.\.)[.。!！]$")
_SENTENCE = re.compile(r"(?<=[.。！!])\s")
_PHASE = re.compile(r"\$\{?(?:CURRENT_PHASE|PHASE|phase)\}?")


def said_messages(text: Text, modes: Modes, places: Places) -> Iterator[Said]:
    """Yield (mode, force or none; words; line); the first of a key counts."""
    yield from _in_prose(text, modes)
    yield from spoken_messages(text, modes, places)
    yield from in_fences(text, modes)
    yield from in_quotes(text, modes)
    yield from _echoed(text, modes)


def _in_prose(text: Text, modes: Modes) -> Iterator[Said]:
    forced = force_lines(text)
    code = text.document.code_lines
    for number in text.holding(*_NOTHING_WORDS):
        line = text.lines[number - 1]
        if number < text.body_line or len(line) > 3000 or number in code:
            continue
        if match := _IF_NOTHING.search(line) or _IF_NOTHING_LAST.search(line):
            yield "none", match[1].strip(), number
        elif match := _NONE.search(line):
            yield "none", _SENTENCE.split(match[1].strip(), maxsplit=1)[0], number
    for number in text.holding('"', "“", "「", "『"):
        line = text.lines[number - 1]
        if number < text.body_line or len(line) > 3000 or number in code:
            continue
        for match in _SAYS.finditer(line) if number in forced or says_force(line) else ():
            if CLEARED.search(match[1]) and not subject(match[1], modes):
                yield "force", match[1].strip(), number


def _echoed(text: Text, modes: Modes) -> Iterator[Said]:
    forced = force_lines(text)
    for command in text.commands:
        if command.name in ("echo", "printf") and command.words:
            words = _PHASE.sub("{phase}", command.words[0].value.strip())
            if key := subject(words, modes):
                yield key, words, command.line
            elif re.match(r"No active\b|没有|활성.*없|アクティブな.*ありません", words):
                yield "none", words, command.line
            elif command.line in forced and _DONE.search(words) and CLEARED.search(words):
                yield "force", words, command.line
