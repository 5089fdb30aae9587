"""Read the verbs of a product's own program, and whether nothing but that program may change its state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.fragments import code_spans
from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.reading import reading
from skillgen.model.facts import Fact
from skillgen.reader.clauses import Stance
from skillgen.reader.lexicon import names_of

if TYPE_CHECKING:
    from skillgen.audit.text import Text
    from skillgen.reader.blocks import Block
    from skillgen.reader.stances import Sentence

#: `zed cancel <mode> --force`: a program, a verb, what it is given.
_CALL = re.compile(
    r"(?:\$ |> )?([a-z][a-z0-9]{1,15}(?:-[a-z0-9]{1,15}){0,3}) "
    r"(cancel|stop|abort|halt|end|kill|clear|reset|status|list|ls|show|pause|resume|state|mode|session|run)\b((?: [^\s`|;&#]{1,60}){0,6})",
    re.A,
)
_STOPS = frozenset({"cancel", "stop", "abort", "halt", "end", "kill", "clear", "reset"})


def read_verbs(text: Text) -> Iterator[Fact]:
    """Yield a `verb` for each call of the product's program, and `driven` where only that program may change the state."""
    found = list(_verbs(text))
    yield from found
    programs = {fact.key for fact in found if fact.value.split()[0] in _STOPS}
    if programs and (fact := _driven(text, programs)):
        yield fact


def _verbs(text: Text) -> Iterator[Fact]:
    spans = [(number, column, content) for number, column, content in code_spans(text)]
    code = [
        (n, len(row) - len(row.lstrip()) + 1, row.strip())
        for n in sorted(text.document.code_lines)
        if (row := text.lines[n - 1])
    ]
    for number, column, content in (*spans, *code):
        match = _CALL.match(content) if number >= text.body_line and len(content) < 400 else None
        if match and match[1] not in names_of("programs") and _is_product(text, match[1]):
            words = [word for word in match[3].split() if word[:1] not in "#\"'\\"]
            given = [word for word in words if not word.startswith("-")]
            options = [word for word in words if word.startswith("-")]
            yield Fact("verb", match[1], " ".join([match[2], *given]), number, " ".join(options), column=column)


def _is_product(text: Text, program: str) -> bool:
    """Whether a directory, a command or the label of the text has the program's name."""
    return any(
        f"{before}{program}{after}" in text.low
        for before, after in ((".", "/"), ("/", ":"), ("$", ":"), ("active ", " "), ("/", "-cancel"))
    )


def _driven(text: Text, programs: set[str]) -> Fact | None:
    numbers = set(text.holding(*programs)) | set(text.holding("file", "state", "文件", "파일", "ファイル"))
    read = stances(text)
    for block in read.blocks_of(numbers):
        if block.kind in ("code", "html"):
            continue
        for sentence in read.sentences(block):
            if at := _says_only(block, sentence, programs) or _forbids_writing(text, block, sentence):
                line, column = block.place(at - 1)
                return Fact("driven", "", sorted(programs)[0], line, column=column + 1)
    return None


def _says_only(block: Block, sentence: Sentence, programs: set[str]) -> int:
    """Return where (from 1) a sentence says that a program alone changes the state; 0 where it does not."""
    tokens = [token for clause in sentence for token in clause.tokens]
    only = any(token.kind == "only" for token in tokens) and not any(clause.negated for clause in sentence[:1])
    spans = [
        t for t in tokens if t.kind == "thing" and block.folded[t.start : t.end].strip("`$ ").split(" ")[0] in programs
    ]
    return spans[0].start + 1 if only and spans else 0


def _forbids_writing(text: Text, block: Block, sentence: Sentence) -> int:
    """Return where a sentence forbids to write or remove files of state at all; 0 where it does not."""
    for clause in sentence:
        act = next(
            (
                t
                for t in clause.tokens
                if t.kind == "act" and t.value in ("write", "remove") and t.start not in clause.aside
            ),
            None,
        )
        things = [t for t in clause.objects if t.value in ("path", "span", "call", "command")]
        if act is None or things or clause.stance(act.start) is not Stance.DENIED:
            continue
        words = block.folded[clause.span[0] : clause.span[1]]
        if any(
            word in words for word in ("files", "state", "record", "文件", "状态", "파일", "상태", "ファイル", "状態")
        ) and not any(name in words for name in _modes(text)):
            return act.start + 1
    return 0


def _modes(text: Text) -> list[str]:
    """Return the modes of a text in small letters."""
    return list(reading(text)[0].strong)
