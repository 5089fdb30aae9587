"""Another product's keyword.

What it checks: a keyword such as `cancelomc` whose last part is the name of another product than the text's own (its
plugin prefix, state root or label). A keyword that the skill's contract.json or front matter declares, or that the sentence
calls an old or further name, is no breach.

Why it matters: nothing in this product matches it: the user says the word and nothing happens; or, with both
installed, the other product's cancel runs.

How to fix it: use the keyword that this product's hook really matches, or drop the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.identity import letters, own_name, own_names
from skillgen.audit.language import sentence
from skillgen.audit.product import declared
from skillgen.audit.text import Text

CODE = "SG601"
TITLE = "another product's keyword"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_SUFFIX = re.compile(r"(?:cancel|stop|abort|halt|kill|quit)(om[a-z]{1,2}|omni|rcs|pep)$", re.A)
#: The sentence says that the word is an old or further one and is understood all the same.
_DECLARED = re.compile(
    r"\b(?:legacy|alias(?:es)?|also (?:accept|match|understand|recogni[sz]e)\w*|accepts? also|still (?:accept|match|work|understand)\w*|"
    r"deprecated|compatib\w+|formerly|old (?:word|name|keyword)s?|inherited)\b|旧|别名|兼容|遗留|레거시|호환|별칭|互換|別名|レガシー",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    suffixed = [(fact, match) for fact in subject.facts.of("keyword") if (match := _SUFFIX.match(fact.value))]
    own = [letters(name) for name in own_names(subject)] if suffixed else []
    if not own:
        return
    places: dict[int, list[str]] = {}
    for fact, match in suffixed:
        if any(match[1] in name or name in match[1] for name in own) or declared(subject, fact.value):
            continue
        line = subject.lines[fact.line - 1]
        column = line.find(fact.value) + 1
        if _DECLARED.search(" ".join(sentence(line, max(column - 1, 0)))):
            continue
        places.setdefault(fact.line, []).append(fact.value)
    for number, words in places.items():
        column = max(subject.lines[number - 1].find(words[0]), 0) + 1
        many = len(words) > 1
        yield Hit(
            number,
            f"{' and '.join(words)} {'are keywords' if many else 'is the keyword'} of another product than {own_name(subject)}",
            f"use the {'keywords' if many else 'keyword'} that this product matches",
            column,
            column + len(words[0]),
        )
