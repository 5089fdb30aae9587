"""Read the cancel order: a numbered list, a table that counts, numbered or ordered headings, arrows, "then" in prose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.audit.reader.shell_values import loops
from skillgen.audit.reader.words import HELPERS, KNOWN_MODES, STEP, lead, names, slug, strip_marks

if TYPE_CHECKING:
    from skillgen.audit.document import Heading, Item
    from skillgen.audit.text import Text

Ranks = dict[str, tuple[int, int]]
IsName = Callable[[str], bool]

_ARROWS = re.compile(r"[\w *`'’-]+(?:\s*(?:→|->|=>|➜)\s*[\w *`'’…-]+){2,}", re.A)
_TWO = re.compile(r"[\w *`'’-]+\s*(?:→|->|=>|➜)\s*[\w *`'’-]+", re.A)
#: A verb that opens a step or heading about a mode, and one that opens a step about no mode.
_VERB = re.compile(
    r"^(?:check|cancel|stop|handle|end|abort|halt|terminate|shut down|shutdown|for|if|when|clear|deactivate|pause|finish)\s+(?:for\s+)?",
    re.I | re.A,
)
_CONDITION = re.compile(r"(?:for|if|when)\s", re.I | re.A)
_CALL = re.compile(r"`[\w.]+[(_]", re.A)
_NUMBERED = re.compile(r"^(?:step\s+|단계\s*|步骤\s*|手順\s*)?(\d+)\s*(?:[.):：-]|단계|\s)\s*", re.I | re.A)
_ORDER_WORD = re.compile(
    r"\border(?:ed|ing)?\b|\bsequence\b|\bpriority\b|순서|순으로|顺序|順序|順番|次序|の順|优先级", re.I | re.A
)
_THEN = re.compile(
    r",?\s*(?:and\s+)?\bthen\b\s*|[，,、；]?\s*(?:然后|最后|接着|再(?!开|次)|그\s?다음(?:에|으로)?|다음(?:에|으로)|마지막(?:으로|에)|次に|その後|最後に)",
    re.A,
)
#: `order: [a, b]` in a block of YAML or JSON.
_KEY = re.compile(r"\s*[\"']?[\w-]*order[\w-]*[\"']?\s*[:=]\s*\[", re.I | re.A)
_FIRST = re.compile(r"\bfirst\b|先|首先|먼저|まず", re.I | re.A)
_ROW = re.compile(
    r"(?:\border\b|순서|顺序|順序|順番)[^,:：、\n]{0,24}?[:：]?\s*((?:[*`]{0,3}[A-Za-z][\w-]*[*`]{0,3}(?:\s*[,、，]\s*(?:and\s+)?)){1,12}[*`]{0,3}[A-Za-z][\w-]*)",
    re.I | re.A,
)
_BOLD_LEAD = re.compile(r"\s*\*\*([^*]{2,60}?)[:：]?\*\*[:：]?\s*$", re.A)


def read_order(text: Text, is_name: IsName, same: Callable[[str], str]) -> tuple[Ranks, list[Item]]:
    """Return key -> (rank, line), and the items of the list that gives it ([] when no list does)."""
    items = _best_list(text, is_name)
    if items:
        return _ranks_of(items, is_name, same), items
    for find in (_by_table, _by_headings, _by_arrows, _by_then, _by_row, _by_loop):
        if ranks := find(text, is_name):
            return ranks, []
    return {}, []


def _best_list(text: Text, is_name: IsName) -> list[Item]:
    """Return the numbered list that names the most modes."""
    lists: dict[int, list[Item]] = {}
    for item in text.document.items:
        if item.number or item.list_id in lists:
            lists.setdefault(item.list_id, []).append(item)
    best: list[Item] = []
    best_score = 0.0
    for items in lists.values():
        hits = sum(any(is_name(key) for key in _names(item.text, is_name)) for item in items)
        score = hits + hits / len(items)
        if hits >= 2 and hits / len(items) >= 0.6 and score > best_score:
            best, best_score = items, score
    return best


def _names(words: str, is_name: IsName) -> tuple[str, ...]:
    """Return the names that open an item, a verb before them left out."""
    found = names(words)
    if any(map(is_name, found)):
        return found
    opening = words[:60].lstrip("*`_ ")
    if not _VERB.match(opening) or _CONDITION.match(opening):
        return found
    bare = _VERB.sub("", strip_marks(words[:300]))
    after = names(bare) if bare else ()
    return after if after and all(map(is_name, after)) else found


def _ranks_of(items: list[Item], is_name: IsName, same: Callable[[str], str]) -> Ranks:
    ranks: Ranks = {}
    for rank, item in enumerate(items, 1):
        for key in _names(item.text, is_name):
            name = lead(item.text)
            if key in HELPERS or key in ranks:
                continue
            if not is_name(key) and (
                STEP.match(name) or not (item.text.lstrip().startswith("**") or len(name.split()) <= 3)
            ):
                continue
            ranks[same(key)] = (rank, item.line)
    return ranks


def _by_table(text: Text, is_name: IsName) -> Ranks:
    """Read a table with a column that counts and a column that names modes."""
    for table in text.document.tables:
        if not table.rows:
            continue
        width = min(len(row.cells) for row in table.rows)
        columns = range(min(width, 6))
        counting = [n for n in columns if all(row.cells[n].strip(" .#").isdigit() for row in table.rows)]
        for column in counting:
            title = strip_marks(table.header[column]) if column < len(table.header) else ""
            if column and not _ORDER_WORD.search(title) and title not in ("#", "Rank", "rank"):
                continue
            for other in (n for n in columns if n not in counting):
                found: Ranks = {}
                for row in table.rows:
                    for key in names(row.cells[other]):
                        if is_name(key):
                            found.setdefault(key, (int(row.cells[column].strip(" .#")), row.line))
                if len(found) >= 2:
                    return found
    return {}


def _by_headings(text: Text, is_name: IsName) -> Ranks:
    """Read sibling headings that count and each name one mode, or that stand below a heading about the order."""
    best: Ranks = {}
    for parent, children in _families(text):
        numbered = [child for child in children if _NUMBERED.match(strip_marks(child.text))]
        in_order = parent is not None and bool(_ORDER_WORD.search(parent.text))
        steps = numbered if len(numbered) >= 2 else children
        named = [(child, found) for child in steps if (found := _heading_names(child.text, is_name))]
        counted = bool(numbered) and len(named) >= len(steps) * 0.6
        if len(named) >= 2 and (counted or in_order) and len(named) > len(best):
            best = {}
            for rank, (child, found) in enumerate(named, 1):
                for key in found:
                    best.setdefault(key, (rank, child.line))
    if best:
        return best
    about_order = [heading for heading in text.document.headings if _ORDER_WORD.search(heading.text)]
    for heading in about_order[:20]:
        named_leads = [
            (line, found) for line, words in _bold_leads(text, heading) if (found := _heading_names(words, is_name))
        ]
        if len(named_leads) >= 2:
            ranks: Ranks = {}
            for rank, (line, found) in enumerate(named_leads, 1):
                for key in found:
                    ranks.setdefault(key, (rank, line))
            return ranks
    return {}


def _families(text: Text) -> Iterator[tuple[Heading | None, list[Heading]]]:
    """Yield each heading (None above all) with the headings one step below it."""
    stack: list[tuple[Heading | None, list[Heading]]] = [(None, [])]
    for heading in text.document.headings:
        while len(stack) > 1 and (top := stack[-1][0]) is not None and top.level >= heading.level:
            yield stack.pop()
        stack[-1][1].append(heading)
        stack.append((heading, []))
    yield from stack


@lru_cache(maxsize=4096)
def opening_names(words: str) -> tuple[str, ...]:
    """Return the names that open a heading behind its number and its verb."""
    bare = _VERB.sub("", _NUMBERED.sub("", strip_marks(words)))
    bare = re.sub(r"\s+(?:is\s+)?(?:active|detected|running)\b.*$", "", bare, flags=re.I)
    return names(bare)


def _heading_names(words: str, is_name: IsName) -> tuple[str, ...]:
    found = opening_names(words)
    return found if found and all(map(is_name, found)) else ()


def _bold_leads(text: Text, heading: Heading) -> Iterator[tuple[int, str]]:
    after = [h.line for h in text.document.headings if h.line > heading.line and h.level <= heading.level]
    end = after[0] if after else len(text.lines) + 1
    for number in range(heading.line + 1, end):
        line = text.lines[number - 1]
        if "**" in line and number not in text.document.code_lines and (match := _BOLD_LEAD.match(line)):
            yield number, match[1]


def _by_arrows(text: Text, is_name: IsName) -> Ranks:
    ranks: Ranks = {}
    for number in text.holding("→", "->", "=>", "➜"):
        line = text.lines[number - 1]
        match = (
            (_ARROWS.search(line) or (_TWO.search(line) if _ORDER_WORD.search(line) else None))
            if len(line) < 4000
            else None
        )
        if match:
            keys = [key for part in re.split(r"→|->|=>|➜", match[0]) if (key := _step_name(part, is_name))]
            if keys and not is_name(keys[-1]):
                keys.pop()  # "… → done"
            if sum(map(is_name, keys)) >= max(2, len(keys) * 0.6) and len(dict.fromkeys(keys)) > len(ranks):
                ranks = {key: (rank, number) for rank, key in enumerate(dict.fromkeys(keys), 1)}
    return ranks


def _step_name(part: str, is_name: IsName) -> str:
    """Return the mode of one step: the whole of it, else the last mode that it names (`its linked Ralph`)."""
    whole = KNOWN_MODES.get(slug(part), slug(part))
    words = [KNOWN_MODES.get(slug(word), slug(word)) for word in strip_marks(part).split()]
    return whole if is_name(whole) or len(words) < 2 else next(filter(is_name, reversed(words)), whole)


def _by_then(text: Text, is_name: IsName) -> Ranks:
    """Read a sentence that names at least three modes, one after the other: `a first, then b, then c`."""
    for number in text.holding(" then ", "然后", "最后", "再", "다음", "마지막", "次に", "最後"):
        line = text.lines[number - 1]
        if len(line) > 2000 or number < text.body_line or number in text.document.code_lines:
            continue
        for sentence in re.split(r"(?<=[.!?])\s|。", line):
            steps = _THEN.split(strip_marks(sentence))
            named = [
                [
                    key
                    for word in re.findall(r"[A-Za-z][\w-]*", step, re.A)
                    if is_name(key := KNOWN_MODES.get(slug(word), slug(word)))
                ]
                for step in steps
            ]
            while len(named) > 1 and not named[-1]:
                named.pop()  # "and report last"
            begun = len(named) >= 2 and bool(_FIRST.search(steps[0]))
            if (len(named) >= 3 or begun) and all(len(set(keys)) == 1 for keys in named):
                return {keys[0]: (rank, number) for rank, keys in reversed(list(enumerate(named, 1)))}
    return {}


def _by_row(text: Text, is_name: IsName) -> Ranks:
    """Read a row of names behind a word for order: `in the order a, b, c`."""
    for number in text.holding("rder", "순서", "顺序", "順"):
        line = text.lines[number - 1]
        kept = number not in text.document.code_lines or _KEY.match(line)
        match = _ROW.search(line.replace("[", " ").replace('"', "")) if len(line) < 2000 and kept else None
        if match and number >= text.body_line:
            keys = [
                KNOWN_MODES.get(name, name)
                for name in re.findall(r"[a-z][a-z0-9-]*", match[1].lower())
                if name != "and"
            ]
            if len(keys) >= 2 and all(map(is_name, keys)):
                return {key: (rank, number) for rank, key in enumerate(dict.fromkeys(keys), 1)}
    return {}


def _by_loop(text: Text, is_name: IsName) -> Ranks:
    """Read a loop of a block of shell over nothing but modes."""
    for fragment in text.fragments:
        for loop in loops(fragment) if fragment.kind == "fence" else ():
            keys = [KNOWN_MODES.get(word, word) for word in loop.words]
            if len(keys) > 1 and all(map(is_name, keys)):
                return {key: (rank, loop.line) for rank, key in enumerate(dict.fromkeys(keys), 1)}
    return {}
