"""Say which lines hold only when the user forces: a section, a tag, a bold lead, a fence below `--force`, an `if` in shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.shell import Fragment
    from skillgen.audit.text import Text

#: `all` alone says nothing: "cancel all active modes" is the default path of many texts.
_FORCE = re.compile(r"--(?:force|all)\b|\bforc(?:e|ed|ibly|eful)\b|\bforce[-_]?\w+|强制|강제|強制", re.I | re.A)
_NOT_FORCE = re.compile(
    r"\bdefault\b|\b(?:not|without|unless|no)\b[^.;:]{0,20}(?:--force|--all|forc)|\bsmart\b|默认|기본|既定|デフォルト|通常|없이|なし|でない",
    re.I | re.A,
)
_TAG = re.compile(r"\s*<([A-Za-z][\w-]*)>\s*$", re.A)
_BOLD_LEAD = re.compile(r"\s*\*\*([^*]{2,80})\*\*\s*[:：]?\s*$", re.A)
#: The start of an `if` that tests a variable or an argument for force.
_TEST = re.compile(r"FORCE|--force|--all\b|\bALL(?:_\w+)?\b|CLEAR_ALL", re.I | re.A)
_NEGATED_TEST = re.compile(r"!=|\[\[?\s*!|^\s*!|-z\b|=\s*[\"']?(?:false|0|no)\b|-(?:eq|ne)\s*[\"']?0", re.I | re.A)


def force_lines(text: Text) -> frozenset[int]:
    """Return the numbers of the lines that only the force (or all) branch reaches."""
    return text.once(_force_lines)


def _force_lines(text: Text) -> frozenset[int]:
    return frozenset(_lines(text)) if _FORCE.search(text.source.text) else frozenset()


@lru_cache(maxsize=4096)
def says_force(words: str) -> bool:
    """Whether a heading or lead speaks of the force branch and of no other."""
    if words.isascii() and "--" not in words and "orc" not in words and "ORC" not in words:
        return False
    return bool(_FORCE.search(words)) and not _NOT_FORCE.search(words)


def _lines(text: Text) -> set[int]:
    found: set[int] = set()
    doc, last = text.document, len(text.lines)
    for n, heading in enumerate(doc.headings):
        if says_force(heading.text):
            end = next((h.line for h in doc.headings[n + 1 :] if h.level <= heading.level), last + 1)
            found.update(range(heading.line, end))
    headings = {heading.line for heading in doc.headings}
    for number in text.matching(_LEADS):
        if number in doc.code_lines or number < text.body_line:
            continue
        line = text.lines[number - 1]
        if (tag := _TAG.match(line)) and says_force(tag[1]):
            close = text.source.text.find(f"</{tag[1]}>", text.starts[number - 1])
            end = text.line_at(close) if close >= 0 else number
            found.update(range(number, end + 1))
        elif (bold := _BOLD_LEAD.match(line)) and says_force(bold[1]):
            end = number + 1
            while end <= last and end not in headings and not _BOLD_LEAD.match(text.lines[end - 1]):
                end += 1
            found.update(range(number, end))
    for fence in doc.fences:
        above = text.above(fence.line)
        if above.rstrip(" *")[-1:] in (":", "：") and says_force(above):
            found.update(range(fence.line, fence.end + 1))
    found.update(_led_lists(text))
    for fragment in text.fragments:
        if "if" in fragment.text and _TEST.search(fragment.text):
            found.update(_branches(fragment))
    return found


_LEADS = re.compile(r"^[ \t]*(?:<[A-Za-z][\w-]*>|\*\*[^*\n]{2,80}\*\*[ \t]*[:：]?)[ \t]*$", re.M | re.A)


def _branches(fragment: Fragment) -> set[int]:
    found: set[int] = set()
    for node in fragment.nodes("if_statement"):
        start = fragment.place(node.start_byte)[0]
        body = next((child for child in node.children if child.type == "then"), None)
        if body is None:
            continue
        test = fragment.text[node.start_byte : body.start_byte]
        if not _TEST.search(test):
            continue
        turns = [child for child in node.children if child.type in ("elif_clause", "else_clause")]
        end = fragment.place(node.end_byte)[0]
        turn = fragment.place(turns[0].start_byte)[0] if turns else end
        if not _NEGATED_TEST.search(test):
            found.update(range(start, turn))
        elif turns and turns[0].type == "else_clause":
            found.update(range(turn, end + 1))
    return found


def _led_lists(text: Text) -> Iterator[int]:
    """Yield the lines of the items of each list that a line in the words of force, ending in a colon, introduces."""
    led: dict[int, bool] = {}
    for item in text.document.items:
        if item.list_id not in led:
            above = text.above(item.line).rstrip(" *")
            led[item.list_id] = above[-1:] in (":", "：") and says_force(above)
        if led[item.list_id]:
            yield item.line
