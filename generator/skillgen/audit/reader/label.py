"""Read the product's label: the word that names it in sentences and messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from skillgen.audit.identity import letters
from skillgen.hosts import follows_hosts, known_hosts
from skillgen.model.facts import Fact
from skillgen.reader.lexicon import names_of

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text

_NAME = r"[A-Za-z][\w.-]*\w"
_BEFORE_MODE = re.compile(
    rf"\b(?:[Aa]ctive|[Aa]ny|[Aa]ll|[Nn]o|[Ee]very|[Cc]urrent|[Rr]unning)\s+(?:[Aa]ctive\s+|[Rr]unning\s+)?((?:[A-Z][\w.-]*\w\s+){{1,2}}[A-Z][\w.-]*\w|{_NAME})"
    r"\s+(?:execution\s+|workflow\s+)?(?:modes?\b|모드|モード|模式)",
    re.A,
)
_BEFORE_FOREIGN_MODE = re.compile(
    rf"({_NAME})\s?(?:的?(?:活动|执行|任何|所有|工作)?模式|의?\s?(?:실행 |활성 )?모드|の?(?:実行)?モード| ?(?:版|판)(?= ?(?:的|の|의)? ?(?:cancel|取消|취소|キャンセル)))",
    re.A,
)
#: What else a product runs; the word before it is its label only when something beside says so.
_BEFORE_RUN = re.compile(
    rf"\b(?:[Aa]ctive|[Aa]ny|[Aa]ll|[Nn]o|[Ee]very|[Cc]urrent|[Rr]unning|[Tt]he|[Aa]n?)\s+(?:active\s+|running\s+|current\s+)?"
    rf"((?:[A-Z][\w.-]*\w\s+){{1,2}}[A-Z][\w.-]*\w|{_NAME})\s+"
    r"(?:workflow |execution |background )?(?:workflows?|sessions?|projects?|executions?|runs?|teams?|loops?|jobs?|state|tasks?|runtime)\b",
    re.A,
)
_RUN_WORDS = re.compile(r"\b(?:workflow|session|project|execution|run|team|loop|job|state|task|runtime)s?\b", re.A)
_SPEAKER = re.compile(r"^[ \t]*(?:#.*)?\[([A-Za-z][\w .-]{1,24}?)\]\s+\w", re.A | re.M)
#: `[RALPH CANCELLED]` says what happened, not who speaks.
_STATUS = re.compile(r"cancell?ed|stopped|done|ended|failed|skipped|cleared|active|mode", re.I)
_PROGRAM = re.compile(
    r"^[ \t]*(?:\$ |> )?([a-z][\w-]{1,20}) (?:cancel|stop|abort|status|doctor|resume|run|runtime|kill)\b", re.A | re.M
)
_ROOT = re.compile(r"(?<![\w/.@*-])\.([a-z][\w-]+)/", re.A)
_NAMESPACE = re.compile(r"(?<![\w/.])[/$]([A-Za-z][\w-]*):[A-Za-z]", re.A)
_PREFIX = re.compile(r"([a-z][a-z0-9]*(?:-[a-z0-9]+)*?)-(?:cancel|stop|abort)", re.A)
_SEVERAL = re.compile(r"[A-Z][\w-]{0,24}(?: [A-Z][\w-]{0,24}){1,6}", re.A)
_PART = re.compile(r"[-_.]|(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"(?<![\w/.:$`<{@-])[A-Za-z][\w.-]*\w(?![\w/:(@}>]|\.\w|-\w)", re.A)

#: So many votes for one word settle it.
_ENOUGH = 8


@follows_hosts
def _not_ours() -> re.Pattern[str]:
    """Return what matches the names of hosts, of their makers and of programs, by which no product is called."""
    known = {id_.removesuffix("-code") for id_ in known_hosts()} | names_of("makers")
    begins = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    whole = "|".join(map(re.escape, sorted(names_of("tools"))))
    return re.compile(rf"(?:{begins})|(?:{whole})$", re.I)


def read_label(text: Text, modes: Modes) -> Iterator[Fact]:
    """Yield at most one fact: the word before `mode` first, then the word that root, namespace or program spell too."""
    yield from text.once(_label, modes)


def _label(text: Text, modes: Modes) -> tuple[Fact, ...]:
    return tuple(_read_label(text, modes))


def _read_label(text: Text, modes: Modes) -> Iterator[Fact]:
    spelled = _Spelled(text)
    votes: Counter[str] = Counter()
    first: dict[str, int] = {}
    enough = False
    for number in text.holding("mode", "Mode", "模式", "모드", "モード", "版", "판"):
        line = text.lines[number - 1]
        if len(line) > 4000:
            continue
        foreign = () if line.isascii() else _BEFORE_FOREIGN_MODE.finditer(line)
        for match in (*_BEFORE_MODE.finditer(line), *foreign):
            if _may_be_label(match[1], modes, spelled):
                votes[match[1]] += 1
                first.setdefault(match[1], number)
                enough = enough or votes[match[1]] >= _ENOUGH
        if enough:
            break
    if not votes:
        for number in text.matching(_RUN_WORDS):
            line = text.lines[number - 1]
            for match in _BEFORE_RUN.finditer(line) if len(line) < 4000 else ():
                word = match[1]
                said = any(letters(part) in spelled.names for part in (word, *word.split("-"))) or (
                    word.isupper() and word not in names_of("acronyms") and len(word) > 2
                )
                if (
                    said
                    and word not in names_of("acronyms")
                    and not _not_ours().match(word)
                    and word.lower() not in names_of("common")
                ):
                    votes[word] += 1
                    first.setdefault(word, number)
    if not votes:
        votes, first = _by_spelling(text, modes, spelled)
    if votes:
        word, _ = max(votes.items(), key=lambda pair: (pair[1], -first[pair[0]]))
        where = first[word]
        if word == word.lower() and (
            named := re.search(rf"[a-z,] ({word.capitalize()})\b(?![-/:.]\w)", text.source.text)
        ):
            word, where = named[1], text.line_at(named.start(1))
        yield Fact("label", "", word, where)


def _may_be_label(word: str, modes: Modes, spelled: _Spelled) -> bool:
    low = word.lower()
    if (
        word in names_of("acronyms")
        or low in names_of("common")
        or low.endswith(("-specific", "-aware", "_mode"))
        or "mode" in low
    ):
        return False
    if modes.known(low):
        return False
    return word != low or letters(word) in spelled.names or not spelled.names


class _Spelled:
    """The letters of the names that paths, commands and programs use, looked for only when a word has to be weighed."""

    def __init__(self, text: Text) -> None:
        self._text = text

    @cached_property
    def names(self) -> set[str]:
        return set(self._sources)

    @cached_property
    def sure(self) -> set[str]:
        """Those that two kinds of names spell: a path and a command, say."""
        return {name for name, count in self._sources.items() if count > 1}

    @cached_property
    def _sources(self) -> Counter[str]:
        whole = self._text.source.text
        fences = "\n".join(fence.text for fence in self._text.document.fences if not fence.indented)
        prefix = _PREFIX.match(self._text.front.string("name").lower())
        speakers = [name for name in _SPEAKER.findall(whole) if not _STATUS.search(name)]
        kinds = (_ROOT.findall(whole), _NAMESPACE.findall(whole), speakers, _PROGRAM.findall(fences))
        found: Counter[str] = Counter()
        for names in (*kinds, [prefix[1]] if prefix else []):
            found.update({letters(name) for name in names if not _not_ours().match(name.lstrip("."))})
        for name in names_of("anybodys"):
            found.pop(name, None)
        return found


def _by_spelling(text: Text, modes: Modes, spelled: _Spelled) -> tuple[Counter[str], dict[str, int]]:
    """Count the capitalised spellings of a known name in prose and headings."""
    votes: Counter[str] = Counter()
    first: dict[str, int] = {}
    if not spelled.names:
        return votes, first
    whole = text.source.text
    longer: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for match in _WORD.finditer(whole):
        word = match[0]
        if len(word) > 40 or "_" in word or word in names_of("acronyms"):
            continue
        if word == word.lower():
            titled = whole.startswith(" Cancel", match.end()) and letters(word) in spelled.names
            if titled or letters(word) in spelled.sure:
                small[word] += 1
                first.setdefault(word, text.line_at(match.start()))
            continue
        parts = _PART.split(word)
        exact = letters(word) in spelled.names
        if exact or (len(parts) > 1 and len(parts[0]) > 2 and letters(parts[0]) in spelled.names):
            (votes if exact else longer)[word] += 1
            first.setdefault(word, text.line_at(match.start()))
    for match in _SEVERAL.finditer(whole):
        words = match[0].split()
        for start in range(len(words) - 1):
            for end in range(start + 2, min(start + 4, len(words)) + 1):
                if letters("".join(words[start:end])) in spelled.names:
                    votes[name := " ".join(words[start:end])] += 1
                    first.setdefault(name, text.line_at(match.start()))
    return votes or longer or small, first
