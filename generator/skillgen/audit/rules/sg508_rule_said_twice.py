"""The same rule under two headings.

What it checks: two sections with nearly the same heading, or two that demand the same fields of a state in different
words.

Why it matters: one of the two is changed and the other is not; the agent then has two rules for one thing.

How to fix it: keep one section, and refer to it from the other place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG508"
TITLE = "the same rule under two headings"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_STOP = frozenset(
    ["the", "a", "an", "of", "and", "for", "to", "in", "when", "if", "with", "must", "active", "default", "only"]
)
_MUST = re.compile(r"\bMUST\b|\brequires?\b|\bensure\b|必须|须|반드시|必ず|必須", re.I | re.A)
_RULES = re.compile(r"normative|condition|rule|contract|polic|require|规则|规范|규칙|規則|ルール", re.I)
_MARKS = re.compile(r"[\s'\"`]")
_WORD = re.compile(r"[a-z0-9-]{2,}|[^\x00-\x7f]+")
_FIELD = re.compile(r"\b(active\s*[=:]\s*false|current_phase\s*[=:]\s*['\"`]?\w+|completed_at|[a-z]+_[a-z_]+)\b", re.A)


def check(subject: Text) -> Iterator[Hit]:
    headings = subject.document.headings
    if len(headings) > 400:
        return
    words = [_content_words(heading.text) for heading in headings]
    demanding = [number for number in subject.lines_for(_MUST) if _MUST.search(subject.lines[number - 1])]
    ends = [*(heading.line for heading in headings[1:]), len(subject.lines) + 1]
    sections = [range(heading.line, end) for heading, end in zip(headings, ends, strict=True)] if headings else []
    bodies = [_demands(subject, section, demanding) for section in sections]
    worth = [n for n in range(len(headings)) if len(words[n]) >= 3 or len(bodies[n]) >= 3]
    for n in worth:
        heading = headings[n]
        for m in worth:
            if m >= n:
                break
            if headings[m].level != heading.level:
                continue
            close = (
                len(words[n]) >= 3
                and _measure_likeness(words[n], words[m]) >= 0.75
                and _plain_words(heading.text) != _plain_words(headings[m].text)
            )
            same_words = close and all(_rules(headings[k].text, sections[k], demanding) for k in (n, m))
            same_fields = (
                len(bodies[n]) >= 3 and _measure_likeness(bodies[n], bodies[m]) >= 0.7 and _ends(bodies[n] & bodies[m])
            )
            if same_words or same_fields:
                yield Hit(
                    heading.line,
                    f"this says again what line {headings[m].line} says ({headings[m].text})",
                    "keep one of the two",
                    1,
                )
                break


def _ends(fields: frozenset[str]) -> bool:
    """Whether fields tell how a state ends; other names with an underscore are in many sections of a text."""
    return any(field.startswith(("active", "current_phase", "phase")) or field.endswith("_at") for field in fields)


def _content_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _STOP


def _plain_words(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def _measure_likeness(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _lines_within(section: range, numbers: list[int]) -> list[int]:
    """Return those of some sorted lines that a section has."""
    return numbers[bisect_left(numbers, section.start) : bisect_left(numbers, section.stop)]


def _rules(heading: str, section: range, demanding: list[int]) -> bool:
    """Whether a heading or what stands below it demands something."""
    return bool(_RULES.search(heading) or _lines_within(section, demanding))


def _demands(subject: Text, section: range, demanding: list[int]) -> frozenset[str]:
    """The state fields that a section demands in words, '' when it demands nothing."""
    code = subject.document.code_lines
    if all(number in code for number in _lines_within(section, demanding)):
        return frozenset()
    rows = "\n".join(subject.lines[number - 1] for number in section if number not in code)
    if "_" not in rows and "active" not in rows:
        return frozenset()
    return frozenset(_MARKS.sub("", match).lower() for row in rows.split("\n") for match in _FIELD.findall(row))
