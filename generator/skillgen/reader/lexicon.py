"""Know what words do to a clause: term sets of one language, each from one YAML file."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ruamel.yaml import YAML

_KANA, _HAN, _HANGUL = re.compile("[ぁ-ヿ]"), re.compile("[一-鿿]"), re.compile("[가-힣]")
#: A word of a language that has spaces.
WORD = re.compile(r"[a-z](?:[a-z]|['-](?=[a-z]))*", re.A)
LANGUAGES = ("en", "zh", "ko", "ja")
#: Of two roles of one term the first here counts.
_ROLES = (
    "pseudo", "negation", "instead", "emphatic", "ends", "except", "condition", "condition-after", "scope", "other", "hedge",
    "record", "act", "only", "join", "back", "ahead", "ending", "neutral", "head",
)  # fmt: skip


class Role(NamedTuple):
    """What a term does: its kind, and for acts and scopes which; `also` are the other kinds it can have."""

    kind: str
    value: str = ""
    also: frozenset[str] = frozenset()


class Lexicon:
    """The terms of one language; `starts` gives by first word (or character) the terms that open with it, longest first."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.spaced = data["letters"] == "latin"
        """Words stand between spaces; else terms are found anywhere."""
        self.verb_last = data["verb"] == "last"
        found: dict[str, list[Role]] = {}
        for kind, value, terms in _terms(data):
            for term in terms:
                found.setdefault(str(term).lower(), []).append(Role(kind, value))
        self.roles = {term: _first(roles) for term, roles in found.items()}
        starts: dict[str, list[str]] = {}
        for term in sorted(self.roles, key=len, reverse=True):
            starts.setdefault(_start(term, self.spaced), []).append(term)
        self.starts = {start: tuple(terms) for start, terms in starts.items()}


def _start(term: str, spaced: bool) -> str:
    """Return the word, or the character, by which a term is looked up: of `e.g.` and `and/or` the first letters."""
    word = WORD.match(term) if spaced else None
    return word[0] if word else term[0]


def _first(roles: list[Role]) -> Role:
    best = min(roles, key=lambda role: _ROLES.index(role.kind))
    return best._replace(also=frozenset(role.kind for role in roles))


def _terms(data: dict[str, Any]) -> Any:
    for act, terms in data["acts"].items():
        yield "act", act, terms
    for name, terms in data["negation"].items():
        named = name in ("before", "refuse", "lack")
        yield ("negation" if named else name), (name if named and name != "before" else ""), terms
    yield "condition", "", data["conditions"]["before"]
    yield "condition-after", "", data["conditions"]["after"]
    for term in data["joins"]:
        yield "join", term, (term,)
    for scope, terms in data["scopes"].items():
        yield "scope", scope, terms
    yield "back", "", data["points"]["back"]
    yield "back", "relative", data["points"].get("relative", ())
    yield "ahead", "", data["points"]["ahead"]
    for name, kind in (
        ("except", "except"),
        ("others", "other"),
        ("hedges", "hedge"),
        ("records", "record"),
        ("only", "only"),
        ("heads", "head"),
    ):
        yield kind, "", data[name]
    for group, terms in data["neutral"].items():
        yield "neutral", "" if group == "plain" else group, terms
    yield "ending", "", data.get("endings", ())


@cache
def lexicon(language: str) -> Lexicon:
    """Return the terms of a language of `LANGUAGES`."""
    text = files("skillgen.reader").joinpath("words", f"{language}.yaml").read_text(encoding="utf-8")
    return Lexicon(YAML(typ="safe").load(text))


@cache
def names_of(group: str) -> frozenset[str]:
    """Return the names of a group of `names.yaml`, which belong to no product."""
    text = files("skillgen.reader").joinpath("words", "names.yaml").read_text(encoding="utf-8")
    return frozenset(map(str, YAML(typ="safe").load(text)[group]))


def languages_of(text: str) -> tuple[str, ...]:
    """Return the languages whose letters a text has: English always; Chinese or Japanese by how many of the letters are kana."""
    if text.isascii():
        return ("en",)
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    hangul = _HANGUL.search(text) is not None
    east = ("ja",) if kana * 8 > han else ("zh",) if han else ()
    return ("en", *(("ko",) if hangul else ()), *east)


def spoken(text: str) -> str:
    """Return the English name of the language of a text, '' for English or where other letters are rare."""
    found = {
        "Korean": len(_HANGUL.findall(text)),
        "Japanese": len(_KANA.findall(text)),
        "Chinese": len(_HAN.findall(text)),
    }
    if found["Japanese"] * 8 > found["Chinese"]:
        found["Japanese"] += found.pop("Chinese")
    language = max(found, key=lambda name: found[name])
    return language if found[language] * 12 > len(text) else ""
