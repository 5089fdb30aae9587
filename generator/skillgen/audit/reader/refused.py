"""Find the flags that a text refuses, or says that there are none of, each with the reason that it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.ordering import stances

if TYPE_CHECKING:
    from skillgen.audit.text import Text
    from skillgen.reader.blocks import Block
    from skillgen.reader.clauses import Clause
    from skillgen.reader.stances import Sentence
    from skillgen.reader.tokens import Token

FLAG = re.compile(r"(?<![\w-])--(?:force|all)\b(?!-)", re.A)
_PROGRAM = re.compile(
    r"\b(?:python3?|git|node|npm|npx|rm|tmux|bash|docker|sh|omc|curl)\s+\S|\.(?:py|sh|mjs|js)\b", re.A
)
#: A usage line with a comment behind it: `/x:cancel --all   # every session`.
COMMENT = re.compile(r"\s(?:#+|//|→|->|=>|—|–|:)\s")
#: An order to refuse a flag, alone or first of several things: "Reject `--all`, unknown flags, and mixed flags before mutation."
_FIRST_OF_SEVERAL = re.compile(
    r"[\s`*_-]*(?:reject|refuse)\s+[`*\"']*--(?:force|all)[`*\"']*(?=\s*(?:,|;|$)|\s+(?:and|or)\s)", re.I | re.A
)
#: Words after which something is refused in some cases only.
_SOMETIMES = re.compile(
    r"\b(?:without|unless|if|when|until|while|except|outside|from|but|only|once|after|with|provided|in case|as long)\b",
    re.I | re.A,
)
#: What leads from the refusal to its reason.
_REASON = re.compile(r"[\s`*)]*(?:[:：;；—–]|\s-\s|,?\s*(?:because|since|as)\b)\s*", re.A)
_QUOTED = re.compile(r"[\"“「]([^\"”」\n]+)[\"”」]")
#: Groups of words with which a refusal says no more than that.
_NO_MORE = frozenset({"be", "determiners", "subjects", "name", "taken", "modals", "adverbs", "to"})


def refused_flags(text: Text) -> dict[tuple[int, int], str]:
    """Return the place (line from 1, column from 0) of each flag that its clause, or its row, refuses, and why ('' unsaid)."""
    return text.once(_refused_flags)


def _refused_flags(text: Text) -> dict[tuple[int, int], str]:
    numbers = set(text.holding("--force", "--all"))
    read = stances(text)
    found: dict[tuple[int, int], str] = {}
    for number in sorted(numbers & text.document.code_lines):
        line = text.lines[number - 1]
        flags = [match.start() for match in FLAG.finditer(line[:400])]
        said = COMMENT.search(line, flags[-1]) if flags else None
        if said and (said_of := read.words(line[said.end() :])) and _refuses(line[said.end() :], said_of[0][0]):
            found.update(((number, at), "") for at in flags)
    for block in read.blocks_of(numbers) if numbers else ():
        if block.kind in ("code", "html", "heading"):
            continue
        for sentence in read.sentences(block):
            found.update((block.place(at), why) for at, why in _in_sentence(block, sentence))
        if block.kind == "cell" and block.row and block.row[0] is block and (why := _in_row(text, block)) is not None:
            found.update((block.place(match.start()), why) for match in FLAG.finditer(block.folded))
    return found


def _in_sentence(block: Block, sentence: Sentence) -> Iterator[tuple[int, str]]:
    for clause in sentence:
        start, end = clause.span
        flags = [match.start() for match in FLAG.finditer(block.folded, start, end)]
        first = _FIRST_OF_SEVERAL.match(block.folded, start, end)
        if flags and _refuses(block.folded, clause):
            yield from ((at, _reason(block, sentence, clause)) for at in flags)
        elif first and not _SOMETIMES.search(block.folded, start, sentence[-1].span[1]):
            yield first.end() - len(first[0].rpartition("--")[2]) - 2, ""


def _in_row(text: Text, block: Block) -> str | None:
    """Return why the other cells of a row refuse what its first cell names, '' where they do not say, None where they do not."""
    for cell in block.row[1:]:
        for sentence in stances(text).sentences(cell):
            if sentence and _refuses(cell.folded, sentence[0]):
                return _reason(cell, sentence, sentence[0])
    return None


def _refuses(words: str, clause: Clause) -> bool:
    """Whether a clause says of its flags only that they are not taken: whatever else it says might be what is forbidden."""
    rest = list(_rest(words, clause))
    turns = [token for token in rest if token.kind in ("negation", "emphatic")]
    if not turns or clause.condition or not all(map(_says_no_more, rest)):
        return False
    named = any(token.value == "taken" or token.value == "refuse" for token in rest)
    lacks = all(token.value == "lack" for token in turns)
    return (named and len(turns) == 1) or (lacks and bool(FLAG.search(words, *clause.span)))


def _rest(words: str, clause: Clause) -> Iterator[Token]:
    """Yield the tokens of a clause up to the reason that it gives."""
    for n, token in enumerate(clause.tokens):
        at = clause.tokens[n - 1].end if n else token.start
        if n and _REASON.match(words, at):
            return
        if token.kind == "thing" and FLAG.search(words, token.start, token.end):
            continue
        if token.kind == "scope" and words.startswith("--", token.start):
            continue
        yield token


def _says_no_more(token: Token) -> bool:
    if token.kind in ("negation", "emphatic", "part", "join", "end", "ending"):
        return True
    if token.kind == "unknown":
        return not token.value.isascii() and len(token.value) == 1  # an ending
    if token.kind == "act":
        return token.last and token.value == "run"  # `対応していません`: carries the noun before it
    return token.kind == "neutral" and (token.value in _NO_MORE or token.end - token.start == 1)


def _reason(block: Block, sentence: Sentence, clause: Clause) -> str:
    """Return what a sentence says behind a refusal and a colon, a dash or "because"; a quotation counts alone."""
    stop = sentence[-1].span[1]
    last = max(
        (token.end for token in _rest(block.folded, clause) if token.kind not in ("end", "part")),
        default=clause.span[0],
    )
    for match in FLAG.finditer(block.folded, clause.span[0], clause.span[1]):
        if lead := _REASON.match(block.text, max(last, match.end())):
            quoted = _QUOTED.match(block.text, lead.end())
            reason = quoted[1] if quoted else block.text[lead.end() : stop]
            return " ".join(reason.split()).rstrip(".。 ")
    lead = _REASON.match(block.text, last)
    return " ".join(block.text[lead.end() : stop].split()).rstrip(".。 ") if lead else ""


def is_own(line: str, at: int) -> bool:
    """Whether a flag belongs to the skill rather than to another program named before it on the line."""
    return not _PROGRAM.search(line[max(0, line.rfind("`", 0, at)) : at])
