"""Cut one block of prose into tokens: terms of the lexicons, things in code marks, and words that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from skillgen.reader.lexicon import WORD, Lexicon, Role

#: A thing that words speak of: a code span, a quotation, a call, a command, a path, a link, a tag.
_THING = re.compile(
    r"(?P<span>(`+)(?!`)(?:[^`]|(?!\2(?!`))`+)*?(?<!`)\2(?!`))|(?P<comment><!--.*?-->)|(?P<tag></?[a-z][^<>\n]{0,80}>)|"
    r"(?P<quote>\"[^\"\n]{1,300}\"|「[^」\n]{1,300}」|『[^』\n]{1,300}』)|"
    r"(?P<call>(?<![\w.$-])[a-z_][\w.-]*\((?:[^()\n]|\([^()\n]*\))*\))|"
    r"(?P<command>(?<![\w./-])(?:rm|unlink|rmdir|shred)(?:\s+-{1,2}[\w-]+)*\s+(?=[\"'~$.\w/{<*-])(?=\S*[./$~])[^\s,;、。，]+|"
    r"(?<![\w./-])(?:(?:pkill|killall)\s+-?[\w$\"{(-]+|kill\s+(?=[-$\"{(%\d]|pid\b)[\w$\"{(%-]+)(?:\s+[^\s,;]+)?)|"
    r"(?P<url>https?://\S+)|(?P<option>(?<![\w-])--(?!force\b|all\b)[a-z][\w-]*)|"
    r"(?P<path>(?<![\w./-])(?:(?:[~$.<{]|[\w-]+[.])[\w{}<>*$.-]*/[\w{}<>*$./,-]*[\w}>*/]|[~.$]?/[\w{}<>*$./,-]*[\w}>*/]|[\w-]+/(?:[\w{}<>*$.,-]+/)+[\w{}<>*$.,-]*|[\w-]+/(?![\w/])|[\w-]+/[\w{}<>*$-]+\.[a-z]{1,6}|[\w{}<>*$-]+\.(?:json|md|db|sqlite3?|pid|lock|log|marker|ya?ml|toml|txt|state|sh|py|js|mjs)\b))|"
    r"(?P<slash>(?<![\w.])[/$@][a-z][\w:-]*)|(?P<variable>\$\{?\w+\}?)|(?P<placeholder>[{<][\w -]{1,40}[}>])|(?P<version>v?\d+\.(?:\d+|x\b)(?:\.\d+)*(?!\s*(?:s|sec|seconds|ms|%)\b))|(?P<number>\d+(?:[.:]\d+)*%?)|"
    r"(?P<snake>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)",
    re.A | re.S,
)
#: Behind a quotation that ends as a sentence does: another sentence, not the rest of this one.
_ENDED = re.compile(r"\s+`")
#: Punctuation that ends a sentence, and that may part clauses.
ENDS = frozenset(".!?。！？;；")
PARTS = frozenset(",，、:：—–()（）|…→⇒=•")
_PLAIN = frozenset(" \n\t*_#>[]{}<'\"+&@%^\\/-~`·✓✔✅☑▶►➜“”「」『』《》〈〉【】%$　\u200d\ufe0f")
_MARKS = frozenset("❌✗✘✖🚫⛔🛑")


class Token(NamedTuple):
    """`kind` is a role of the lexicon, `thing`, `end`, `part`, `unknown` or `mark`; `value` the act, scope or kind of thing."""

    kind: str
    value: str
    start: int
    end: int
    also: frozenset[str] = frozenset()
    last: bool = False
    """A term of a language whose verbs stand last."""
    form: str = ""
    """How an English act ends: s, ing or ed; `joined` where a language writes no spaces."""


_PATH = frozenset({"path"})


def _inside(thing: re.Match[str]) -> frozenset[str]:
    """Say of a code span whether it holds a path and nothing else: no command, and so no deed by itself."""
    if not thing["span"]:
        return frozenset()
    inner = _THING.fullmatch(thing[0].strip("`").strip())
    return _PATH if inner is not None and inner["path"] else frozenset()


def tokens(text: str, lexicons: Sequence[Lexicon], names: Collection[str]) -> list[Token]:
    """Return the tokens of a folded text; `names` are words that are known to name things of the text."""
    return list(_tokens(text, lexicons, names))


def _tokens(text: str, lexicons: Sequence[Lexicon], names: Collection[str]) -> Iterator[Token]:
    at, last = 0, ""
    things = _THING.finditer(text)
    thing = next(things, None)
    while at < len(text):
        while thing is not None and thing.start() < at:
            thing = next(things, None)
        if thing is not None and thing.start() == at:
            name = thing.lastgroup or _group(thing)
            if name == "version":
                yield Token("hedge", name, at, thing.end())
            else:
                yield Token("thing", name, at, thing.end(), _inside(thing))
            at, last = thing.end(), "thing"
            if name == "quote" and text[at - 2] in ".!?。！？" and _ENDED.match(text, at):
                yield Token("end", text[at - 2], at - 1, at)
            continue
        token = _token(text, at, lexicons, names, last)
        if token is not None:
            yield token
            last = token.kind
            at = token.end
        else:
            at += 1
            last = "" if text[at - 1] in " \n" else last


def _group(match: re.Match[str]) -> str:
    return next(name for name, value in match.groupdict().items() if value is not None)


def _token(text: str, at: int, lexicons: Sequence[Lexicon], names: Collection[str], last: str) -> Token | None:
    char = text[at]
    if char in ENDS:
        after = text[at + 1 : at + 2]
        if char in ".!?" and after and not after.isspace() and after.isascii() and after not in "*_)\"'":
            return Token("part", char, at, at + 1) if char != "." else None
        return Token("end", char, at, at + 1)
    word = WORD.match(text, at) if char.isascii() else None
    if word:
        return _spaced(text, at, word[0], lexicons, names)
    if char.isascii() and text.startswith("--", at):
        for term in ("--force", "--all"):
            if text.startswith(term, at):
                return Token("scope", term[2:], at, at + len(term))
    if not char.isascii():
        found = _joined(text, at, lexicons, last)
        if found:
            return found
        if char in _MARKS:
            return Token("negation", "mark", at, at + 1)
    if char in PARTS:
        return Token("part", char, at, at + 1)
    if text.startswith("->", at) or text.startswith("=>", at):
        return Token("part", "→", at, at + 2)
    if text.startswith(("- ", "-- "), at) and text[at - 1 : at] in (" ", ""):
        return Token("part", "—", at, at + 1)
    if text.startswith("~~", at):
        return Token("unknown", "~~", at, at + 2)
    return None if char in _PLAIN else Token("unknown", char, at, at + 1)


def _spaced(text: str, at: int, word: str, lexicons: Sequence[Lexicon], names: Collection[str]) -> Token:
    for lexicon in lexicons:
        if not lexicon.spaced:
            continue
        for term in lexicon.starts.get(word, ()):
            end = at + len(term)
            if (text.startswith(term, at) and not _is_letter(text, end)) or _across(text, at, term):
                end = _end(text, at, term)
                role = lexicon.roles[term]
                form = _form(term.split(" ")[0]) if role.kind == "act" else ""
                return Token(*_known(role, term), at, end, role.also, form=form)
        if "-" in word and not word.startswith("anti"):
            parts = [lexicon.roles.get(part) for part in word.split("-")]
            if all(parts):
                first = parts[0]
                kinds = {role.kind for role in parts if role}
                kind = "negation" if "negation" in kinds and "cancel" not in word else "neutral" if first else "unknown"
                return Token(kind, "", at, at + len(word))
    end = at + len(word)
    stem = word.removesuffix("'s").removesuffix("'")
    for lexicon in lexicons if stem != word else ():
        if lexicon.spaced and (stemmed := lexicon.roles.get(stem)) and stemmed.kind in ("neutral", "act", "back"):
            return Token("neutral", "name", at, end)
    if word in names or stem in names or (text[end : end + 1].isdigit()):
        return Token("neutral", "name", at, end)
    return Token("unknown", word, at, end)


def _is_letter(text: str, at: int) -> bool:
    return text[at : at + 1].isascii() and text[at : at + 1].isalpha()


def _across(text: str, at: int, term: str) -> bool:
    """Whether a term of several words stands here with more than one space, or a line's end, between them."""
    return " " in term and _end(text, at, term) > 0


def _end(text: str, at: int, term: str) -> int:
    for n, word in enumerate(term.split(" ")):
        if n:
            start = at
            while text[at : at + 1] in (" ", "\n", "*", "_") and text[at : at + 1]:
                at += 1
            if at == start:
                return 0
        if not text.startswith(word, at):
            return 0
        at += len(word)
    return 0 if _is_letter(text, at) else at


def _joined(text: str, at: int, lexicons: Sequence[Lexicon], last: str) -> Token | None:
    """Return the longest term of a language without spaces that starts here."""
    for lexicon in lexicons:
        if lexicon.spaced:
            continue
        for term in lexicon.starts.get(text[at], ()):
            if not text.startswith(term, at):
                continue
            role = lexicon.roles[term]
            kind = role.kind
            if kind == "ending" and last not in ("act", "ending"):
                if "neutral" not in role.also:
                    continue
                kind = "neutral"
            elif "ending" in role.also and last in ("act", "ending") and kind == "neutral":
                kind = "ending"
            form = "" if lexicon.verb_last else "joined"
            kind, value = (kind, role.value) if kind != "head" else _known(role, term)
            return Token(kind, value, at, at + len(term), role.also, lexicon.verb_last, form)
    return None


def _known(role: Role, term: str) -> tuple[str, str]:
    """Return kind and value of a term in a clause; one that says something only as a heading is no known word there."""
    return ("unknown", term) if role.kind == "head" else (role.kind, role.value)


def _form(word: str) -> str:
    """Return how an English verb ends: s, ing or ed."""
    if word.endswith("s") and not word.endswith("ss"):
        return "s"
    return "ing" if word.endswith("ing") else "ed" if word.endswith(("ed", "ped", "ten")) else ""
