"""Read messages that a text shows as output: fences and block quotes below a line that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.branch import force_lines, says_force
from skillgen.audit.reader.sayings import CLEARED, NONE_START, subject

if TYPE_CHECKING:
    from skillgen.audit.document import Fence
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text

_SHOWS = re.compile(
    r"\b(?:report|say|show|print|tell|respond|reply|display|output|emit|confirm|announce|example|present|message|response)\w*\b|출력|보고|표시|알림|응답|메시지|예시|显示|输出|提示|报告|告知|消息|示例|"
    r"表示|出力|伝え|報告|メッセージ|例|\bif\b|\bnothing\b|\bno active\b|\bcancel\w*\b|없으면|没有|の場合",
    re.I | re.A,
)
_SPEAKER = re.compile(r"^(?:\[[^\]\n]{1,24}\]|(?:assistant|agent|bot|output)\s*[:>])\s*", re.I | re.A)
_NOT_SAID = re.compile(r"^(?:\[?(?:user|you|human)\]?\s*[:>\]]?|[/$@#>]|[-*|{<]|```)", re.I | re.A)
_BLOCK_QUOTE = re.compile(r"^[ \t]*>[ \t]*\S", re.M | re.A)
#: Languages of fences whose content is no output.
_CODE = frozenset(
    ["bash", "sh", "shell", "zsh", "console", "json", "jsonc", "yaml", "yml", "toml", "js", "javascript", "ts", "typescript",
     "python", "py", "sql", "diff", "xml", "html"]
)  # fmt: skip


def in_fences(text: Text, modes: Modes) -> Iterator[tuple[str, str, int]]:
    """What a fence shows as output, where the line above it says so."""
    forced = force_lines(text)
    for number, fence in enumerate(text.document.fences):
        if fence.indented or fence.lang in _CODE or len(fence.text) > 4000:
            continue
        above = _above(text, text.document.fences, number)
        if above.rstrip(" *`")[-1:] not in (":", "：") and not _SHOWS.search(above):
            continue
        spoken = any(_SPEAKER.match(row.strip()) for row in fence.text.split("\n"))
        for n, row in enumerate(fence.text.split("\n")):
            words = row.strip()
            said = _SPEAKER.sub("", words)
            if not words or _NOT_SAID.match(words) or (spoken and said == words):
                continue
            line = fence.first + n
            if NONE_START.match(said):
                yield "none", said, line
            elif said[-1:] not in ":：" and (key := subject(said, modes)):
                yield key, said, line
            elif line in forced and CLEARED.search(said) and said[-1:] in ".。!！":
                yield "force", said, line
            if not spoken:
                break


def in_quotes(text: Text, modes: Modes) -> Iterator[tuple[str, str, int]]:
    """What stands in a block quote below a line that says when it is said."""
    last = 0
    for number in text.matching(_BLOCK_QUOTE):
        follows, last = number == last + 1, number
        if follows or number in text.document.code_lines or number < text.body_line:
            continue
        rows = reversed(text.lines[max(0, number - 8) : number - 1])
        above = next((row for row in rows if row.strip() and row.lstrip()[:1] != ">"), "")
        if above.rstrip(" *`")[-1:] not in (":", "：") and not (above.startswith("#") and _SHOWS.search(above)):
            continue
        sentence = text.lines[number - 1].lstrip(" >\t").strip().strip('"“”')
        if NONE_START.match(sentence):
            yield "none", sentence, number
        elif key := subject(sentence, modes):
            yield key, sentence, number
        elif says_force(above) and CLEARED.search(sentence):
            yield "force", sentence, number


def _above(text: Text, fences: list[Fence], n: int) -> str:
    """Return the first row of the paragraph, item or heading that a fence (or a row of at most eight) stands below."""
    rows: list[str] = []
    line, first = fences[n].line, max(0, n - 8)
    while line > text.body_line and len(rows) < 4:
        line -= 1
        row = text.lines[line - 1]
        if not rows and n > first and line == fences[n - 1].end:
            n -= 1
            line = fences[n].line
        elif row.strip():
            rows.append(row)
        elif rows:
            break
    return rows[-1] if rows else ""
