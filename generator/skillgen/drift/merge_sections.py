"""Merge Markdown by its sections, so that a section added or moved is no conflict with its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from markdown_it import MarkdownIt

from skillgen.drift.apart import merge_sentences
from skillgen.drift.merge_values import ordered
from skillgen.model.fork import Lines, Merged


@dataclass(frozen=True, slots=True)
class Section:
    """From a heading to the next one."""

    text: str
    """Without the line feeds at its end."""
    gap: int
    """Number of those."""


Sections = dict[str, Section]
"""By the heading with those above it; what stands before the first heading has an empty key."""
_NONE = Section("", 2)
_BLOCKS = MarkdownIt("commonmark").disable("inline")
_NEAR = 0.6
"""From so much alike on, two sections with different headings are one that was renamed."""


def merge_sections(base: str, ours: str, theirs: str, lines: Lines) -> Merged:
    """Return the merge; sections that both sides changed merge by lines."""
    before, here, there = sections(base), sections(ours), sections(theirs)
    here, there = _restore_keys(before, here), _restore_keys(before, there)
    parts: list[tuple[str, bytes, int]] = []
    conflicts = 0
    for key in _order(list(before), list(here), list(there)):
        one, mine, new = (side.get(key, _NONE) for side in (before, here, there))
        if mine.text in (one.text, new.text):
            merged, more = new.text.encode(), 0
        elif new.text == one.text:
            merged, more = mine.text.encode(), 0
        else:
            merged, more = merge_sentences(lines, one.text.encode(), mine.text.encode(), new.text.encode())
        conflicts += more
        if merged or not key:
            gap = mine.gap if key in here and (key not in there or new.gap == one.gap) else new.gap
            parts.append((key, merged.rstrip(b"\n"), gap))
    ends = [list(side)[-1] for side in (before, here, there)]
    final = there[ends[2]].gap if here[ends[1]].gap == before[ends[0]].gap else here[ends[1]].gap
    return Merged(_join(parts, set(ends), final), conflicts)


def _join(parts: list[tuple[str, bytes, int]], ends: set[str], final: int) -> bytes:
    """Put sections together; one that was last and is not any more gets the gap that is usual there."""
    gaps = [gap for key, _, gap in parts if key not in ends]
    usual = max(set(gaps), key=gaps.count) if gaps else 2
    text = b""
    for index, (key, part, gap) in enumerate(parts):
        if index == len(parts) - 1:
            gap = final
        elif part and key in ends:
            gap = max(gap, usual)
        elif part:
            # Empty on one side, it had no line end there.
            gap = max(gap, 1)
        text += part + b"\n" * gap
    return text


@lru_cache(maxsize=64)
def sections(text: str) -> Sections:
    """Split a text at its headings; the result is shared and never changed."""
    rows = text.split("\n")
    rows = [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])
    tokens = _BLOCKS.parse(text)
    found: Sections = {}
    above: list[str] = []
    start, key = 0, ""
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        found[key] = _section("".join(rows[start : token.map[0]]))
        start = token.map[0]
        above = [*above[: int(token.tag[1]) - 1], tokens[index + 1].content]
        key = _make_unused_key("\n".join(above), found)
    found[key] = _section("".join(rows[start:]))
    return found


def _section(text: str) -> Section:
    bare = text.rstrip("\n")
    return Section(bare, len(text) - len(bare))


def _make_unused_key(key: str, taken: Sections) -> str:
    count, name = 1, key
    while name in taken:
        count += 1
        name = f"{key}\n#{count}"
    return name


def _restore_keys(base: Sections, side: Sections) -> Sections:
    """Give sections that one side renamed the keys that they had."""
    gone = [key for key in base if key not in side]
    new = [key for key in side if key not in base]
    names: dict[str, str] = {}
    for key in new:
        rates = [(_measure_likeness(base[old].text, side[key].text), old) for old in gone if old not in names.values()]
        rate, old = max(rates, default=(0.0, ""))
        if rate >= _NEAR:
            names[key] = old
    return {names.get(key, key): text for key, text in side.items()}


def _measure_likeness(one: str, other: str) -> float:
    # The headings differ, so that only what stands below them can tell.
    mine, theirs = (text.partition("\n")[2].strip() for text in (one, other))
    if not mine or not theirs:
        return 0.0
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR else 0.0


def _order(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    shared = [key for key in base if key in ours and key in theirs]
    moved_here = [key for key in ours if key in shared] != shared
    moved_there = [key for key in theirs if key in shared] != shared
    # Where only the fork moved sections, they stay where it put them.
    return ordered(theirs, ours) if moved_here and not moved_there else ordered(ours, theirs)
