"""Say what a text orders at a place: its clause, the sentences around it, and all that leads to it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from skillgen.reader.blocks import Block
from skillgen.reader.clauses import CARRIERS, DEEDS, TOLD_OF, Clause, Stance, read_sentence, sentences
from skillgen.reader.fold import fold
from skillgen.reader.lexicon import Lexicon, languages_of, lexicon
from skillgen.reader.tokens import Token, tokens

Sentence = tuple[Clause, ...]
#: A comment behind a row of code.
_TRAILING = re.compile(r"\s(?:#|//|--\s)")
#: What stands below runs in no case.
_NEVER_RUN = re.compile(r"\s*(?:if\s*[(\[]*\s*(?:false|0)\b|false\s*&&)|(?:exit|return)\b\s*\d*\s*(?:;|$)")
_TAG = re.compile(r"</?[a-z][^<>]*>")
_BRACKET = re.compile(r"\([^()]*\)")
#: No person writes a longer block.
LONGEST = 20_000


_COMMENTS = ("#", "//", "--")
"""Beginnings of a row of code that is a comment."""


class _Rows(NamedTuple):
    """The rows of one block of code."""

    text: list[str]
    groups: list[tuple[int, int]]
    """For each row the rows of comments (from, before) that speak of it: the nearest without a blank row between."""
    top: int
    """How many rows of comments open the block."""
    dead: int
    """The first row below which nothing runs, the number of rows where all do."""


class Stances:
    """The stances of one text; `names` are small-letter words that name its modes and its product."""

    def __init__(self, blocks: Sequence[Block], whole: str, names: Collection[str]) -> None:
        self.blocks = blocks
        self.names = frozenset(names)
        self.languages = languages_of(whole)
        self._lines = [block.line for block in blocks]
        self._read: dict[int, tuple[Sentence, ...]] = {}
        self._at: dict[tuple[int, int, bool], Stance] = {}
        self._led: dict[tuple[int, bool], Stance] = {}
        self._rows: dict[int, _Rows] = {}
        self._groups: dict[tuple[int, int, int], Stance] = {}

    def block_at(self, line: int, column: int) -> Block | None:
        """Return the block in which a place stands (column from 0)."""
        n = bisect_right(self._lines, line) - 1
        if n < 0 or self.blocks[n].last < line:
            return None
        # Cells of one row stand on one line.
        while n and self.blocks[n].kind == "cell" and self.blocks[n].column > column and self._lines[n - 1] == line:
            n -= 1
        return self.blocks[n]

    def blocks_of(self, lines: Set[int]) -> list[Block]:
        """Return the blocks that hold one of the lines."""
        found = dict.fromkeys(n for line in sorted(lines) for n in self._numbers(line))
        return [self.blocks[n] for n in found]

    def _numbers(self, line: int) -> list[int]:
        n = bisect_right(self._lines, line) - 1
        found = []
        while n >= 0 and self.blocks[n].last >= line:
            found.append(n)
            n -= 1
            if self._lines[n] != line:
                break
        return found[::-1]

    def sentences(self, block: Block) -> tuple[Sentence, ...]:
        """Return the sentences of a block of prose, each as its clauses."""
        key = id(block)
        if key not in self._read:
            text = block.folded if len(block.text) <= LONGEST else ""
            if block.kind == "html":
                text = _TAG.sub(lambda tag: " " * (len(tag[0]) - 1) + "\n", text)
            self._read[key] = _sentences(text, self.languages, self.names)
        return self._read[key]

    def clauses(self, lines: Set[int] | None = None) -> Iterator[tuple[Block, Clause]]:
        """Yield every clause of the prose; with `lines` those of the blocks that hold one of them."""
        for block in self.blocks if lines is None else self.blocks_of(lines):
            if block.kind in ("code", "html"):
                continue
            for sentence in self.sentences(block):
                yield from ((block, clause) for clause in sentence)

    def at(self, line: int, column: int, lenient: bool = False) -> Stance:
        """Return the stance of the text towards what stands at a place: line from 1, column from 0.

        `lenient`: for what destroys nothing, words that nobody knows pass.
        """
        key = line, column, lenient
        if key not in self._at:
            self._at[key] = self._stance(line, column, lenient)
        return self._at[key]

    def _stance(self, line: int, column: int, lenient: bool) -> Stance:
        block = self.block_at(line, column)
        if block is None:
            return Stance.UNKNOWN
        if block.kind == "html" and "<!--" in block.text:
            return Stance.UNKNOWN
        own = Stance.SAID
        if block.kind == "code":
            own = self._comment(block, line)
        else:
            own = self._in_prose(block, block.offset(line, column), lenient)
        return _worst(own, self._around(block, lenient))

    def clause_at(self, line: int, column: int) -> Clause | None:
        """Return the clause of prose in which a place stands (column from 0)."""
        block = self.block_at(line, column)
        if block is None or block.kind in ("code", "html"):
            return None
        offset = block.offset(line, column)
        return next(
            (
                clause
                for sentence in self.sentences(block)
                for clause in sentence
                if any(token.start <= offset < token.end for token in clause.tokens)
            ),
            None,
        )

    def _in_prose(self, block: Block, offset: int, lenient: bool) -> Stance:
        found = self.sentences(block)
        for n, sentence in enumerate(found):
            for clause in sentence:
                start, end = clause.span
                if start <= offset < end and any(token.start <= offset < token.end for token in clause.tokens):
                    own = clause.stance(_token_at(clause, offset), lenient)
                    return _worst(
                        own, _before(found[n - 1]) if n else Stance.SAID, self._next(block, found, n, lenient)
                    )
        return Stance.SAID if lenient else Stance.UNKNOWN

    def _next(self, block: Block, found: tuple[Sentence, ...], n: int, lenient: bool) -> Stance:
        behind = found[n + 1] if n + 1 < len(found) else None
        # `Set x. Do not remove it.` keeps what was set.
        if lenient and behind and any(clause.act == "remove" for clause in behind):
            return Stance.SAID
        return _behind(behind) if behind else self._first_of_next(block)

    def _first_of_next(self, block: Block) -> Stance:
        after = block.after
        if after is None or after.kind == "code":
            return Stance.SAID
        first = self.sentences(after)
        return _behind(first[0]) if first else Stance.SAID

    def _comment(self, block: Block, line: int) -> Stance:
        """Return what the comments above a line of code make of it."""
        rows = self._commented(block)
        n = min(line - block.line, len(rows.text) - 1)
        start, end = rows.groups[n]
        stances = [self._first_of_next(block)]
        if behind := _TRAILING.search(rows.text[n]):
            stances.append(self._said_above(rows.text[n][behind.end() :]))
            if end < n:
                start = end  # a line with a comment of its own is not spoken of by one further above
        if start < end:
            stances.append(self._group(block, start, end))
        # The comment that opens a block may speak of all of it.
        if rows.top and (start, end) != (0, rows.top) and self._group(block, 0, rows.top) is not Stance.SAID:
            stances.append(Stance.UNKNOWN)
        if rows.dead <= n:
            stances.append(Stance.UNKNOWN)
        return _worst(Stance.SAID, *stances)

    def _commented(self, block: Block) -> _Rows:
        """Return what the rows of a block of code are to each other; read once a block."""
        known = self._rows.get(block.line)
        if known is None:
            rows = [row.strip() for row in block.text.split("\n")]
            groups = [(0, 0)]
            for n in range(1, len(rows)):
                start, end = groups[n - 1]
                if not rows[n - 1]:
                    start = end = n
                elif rows[n - 1].startswith(_COMMENTS):
                    start, end = (start if end == n - 1 and start < end else n - 1), n
                groups.append((start, end))
            top = next((at for at, row in enumerate(rows) if not row.startswith(_COMMENTS)), 0)
            text = block.text.split("\n")
            dead = next((at for at, row in enumerate(text) if _NEVER_RUN.match(row)), len(text))
            known = self._rows[block.line] = _Rows(text, groups, top, dead)
        return known

    def _group(self, block: Block, start: int, end: int) -> Stance:
        """Return what a group of comments makes of the rows below it."""
        key = block.line, start, end
        if key not in self._groups:
            rows = self._rows[block.line].text[start:end]
            self._groups[key] = _worst(Stance.SAID, *(self._said_above(row.strip().lstrip("#/- ")) for row in rows))
        return self._groups[key]

    def _said_above(self, words: str) -> Stance:
        """Return what a comment or a heading says of what stands below it: a turn only, since its words are anybody's."""
        return _turn(self.words(words), strict=False, lenient=False)

    def words(self, words: str) -> tuple[Sentence, ...]:
        """Return the sentences of words that stand outside the blocks of prose: a comment, the rest of a usage line."""
        return _sentences(fold(words), self.languages, self.names)

    def _once(self, ask: Callable[[Block, bool], Stance], block: Block, lenient: bool) -> Stance:
        """Return what a heading or lead makes of what it leads to, asked once for all that stands below it."""
        key = (id(block), lenient)
        if key not in self._led:
            self._led[key] = ask(block, lenient)
        return self._led[key]

    def _lead(self, lead: Block, lenient: bool) -> Stance:
        """Return what the last sentence of a lead makes of what it leads to: it ends in a colon, points ahead, or is short."""
        found = self.sentences(lead)[-1:]
        if lead.kind == "cell" and _tells(found):
            return Stance.UNKNOWN
        colon = lead.introduces
        if not colon and lead.kind != "cell" and found and not _leads(found[0]):
            return Stance.SAID
        return _turn(found, strict=colon and not lenient, lenient=lenient)

    def _heading(self, heading: Block, lenient: bool) -> Stance:
        """Return what a heading makes of what stands below it; one that is a condition, or a bracket in it, makes nothing of it."""
        found = self.sentences(heading)
        if _tells(found):
            return Stance.UNKNOWN
        turned = any(_turns(clause) for sentence in found for clause in sentence)
        if found and found[0] and found[0][0].tokens[0].kind.startswith("condition") and not turned:
            return Stance.SAID
        if "(" in heading.folded:
            found = _sentences(_BRACKET.sub(" ", heading.folded), self.languages, self.names)
        return _turn(found, strict=False, lenient=lenient)

    def _around(self, block: Block, lenient: bool) -> Stance:
        if lenient not in block.stances:
            stances = [self._once(self._heading, heading, lenient) for heading in block.headings]
            for lead in block.leads:
                if lead.kind != "code":
                    stances.append(self._once(self._lead, lead, lenient))
            others = [cell for cell in block.row if cell is not block]
            if any(map(self._is_verdict, others)) or (
                others and block.row[0] is block and self._names_deed(block) and self._is_judged(block.row)
            ):
                stances.append(Stance.UNKNOWN)
            block.stances[lenient] = _worst(Stance.SAID, *stances)
        return block.stances[lenient]

    def _is_verdict(self, cell: Block) -> bool:
        """Whether a cell does nothing but turn the rest of its row: `no`, `❌`, `never allowed`."""
        found = self.sentences(cell)
        words = [t for sentence in found for clause in sentence for t in clause.tokens if t.kind not in ("part", "end")]
        clauses = [clause for sentence in found for clause in sentence]
        return len(words) <= 6 and any(_turns(clause) and not clause.has_deed for clause in clauses)

    def _names_deed(self, cell: Block) -> bool:
        tokens = [t for sentence in self.sentences(cell) for clause in sentence for t in clause.tokens]
        return any(t.kind == "act" or (t.kind == "thing" and t.value in DEEDS and not t.also) for t in tokens)

    def _is_judged(self, row: Sequence[Block]) -> bool:
        """Whether the cells behind the first one, which names a deed, or their heads, leave doubt about it."""
        cells = [
            *row[1:],
            *(head for cell in row[1:] for head in cell.leads if head.kind == "cell" and head not in row),
        ]
        return any(
            clause.doubt or _turns(clause)
            for cell in cells
            for sentence in self.sentences(cell)
            for clause in sentence
            if not (clause.has_deed and clause.objects)
        )


@lru_cache(maxsize=8192)
def _sentences(text: str, languages: tuple[str, ...], names: frozenset[str]) -> tuple[Sentence, ...]:
    lexicons: list[Lexicon] = [lexicon(language) for language in languages]
    return tuple(tuple(read_sentence(part)) for part in sentences(tokens(text, lexicons, names)))


def _token_at(clause: Clause, offset: int) -> int:
    return next((token.start for token in clause.tokens if token.start <= offset < token.end), offset)


def _worst(*stances: Stance) -> Stance:
    if Stance.DENIED in stances:
        return Stance.DENIED
    return Stance.UNKNOWN if Stance.UNKNOWN in stances else Stance.SAID


def _turns(clause: Clause) -> list[Token]:
    return [t for t in clause.tokens if t.kind in ("negation", "instead", "emphatic") and t.start not in clause.aside]


def _objects(sentence: Sentence) -> bool:
    """Whether a sentence says itself what it is about."""
    return any(
        clause.has_deed and (clause.objects or any(t.kind == "record" for t in clause.tokens)) for clause in sentence
    )


def _before(sentence: Sentence) -> Stance:
    """Return what a sentence makes of the one behind it: a turn without a deed of its own, or one that points ahead."""
    if _objects(sentence) or not any(clause.ahead for clause in sentence):
        return Stance.SAID
    return Stance.UNKNOWN if any(_turns(clause) or clause.doubt for clause in sentence) else Stance.SAID


def _behind(sentence: Sentence) -> Stance:
    """Return what a sentence makes of the one before it: it points back, or is too short to speak of anything else."""
    last = sentence[-1].tokens[-1]
    if _objects(sentence) or (last.kind == "part" and last.value in ":："):
        return Stance.SAID
    words = sum(token.kind not in ("part", "end") for clause in sentence for token in clause.tokens)
    turns = any(_turns(clause) for clause in sentence)
    doubt = any(clause.doubt for clause in sentence)
    points = (
        any(token.kind == "back" or "back" in token.also for token in sentence[0].tokens[:2]) if sentence else False
    )
    if (turns and (points or words <= 3)) or (doubt and (points or words <= 3)):
        return Stance.UNKNOWN
    return Stance.SAID


def _tells(found: tuple[Sentence, ...]) -> bool:
    """Whether a heading opens what is told, not ordered: history, examples, what is out of scope, a version of before."""
    tokens = [token for sentence in found for clause in sentence for token in clause.tokens]
    return any("head" in token.also for token in tokens) or any(
        token.value == "version" and before.kind.startswith("condition") for before, token in pairwise(tokens)
    )


def _leads(sentence: Sentence) -> bool:
    words = sum(token.kind not in ("part", "end") for clause in sentence for token in clause.tokens)
    return words <= 4 or any(clause.ahead for clause in sentence)


def _turn(found: tuple[Sentence, ...], strict: bool, lenient: bool) -> Stance:
    """Return what a lead makes of what it leads to: denied by a turn without a deed of its own behind it, else open.

    A turn of an act of its own (`it is not removed:`) leaves open what else is done.
    """
    worst = Stance.SAID
    for sentence in found:
        for clause in sentence:
            turns = _turns(clause)
            if turns and not (clause.objects and clause.has_deed):
                own = clause.act and clause.act not in CARRIERS
                # `Never for autopilot:` forbids something to one mode.
                of_one = clause.objects or any(token.value == "name" for token in clause.tokens)
                stance = Stance.UNKNOWN if own or of_one or len(turns) > 1 or clause.turned else Stance.DENIED
                if not (own and lenient):
                    worst = _worst(worst, stance)
            elif strict and clause.doubt and clause.doubt != TOLD_OF:
                worst = _worst(worst, Stance.UNKNOWN)
    return worst
