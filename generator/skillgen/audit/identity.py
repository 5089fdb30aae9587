"""Say by which names a product calls itself, and which of them belong to another one."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.audit.language import opens_with_credit
from skillgen.audit.product import PREFIX, namespace

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: Labels of the family's products, which a copied text brings along.
FAMILY = re.compile(r"om[a-z]|omni|rcs|pep", re.A)
#: Products from which most others were copied.
UPSTREAMS = frozenset({"omc", "omx"})
#: Before the colon of a command, but no plugin: Codex lists its prompts as `/prompts:name`.
NO_PLUGIN = frozenset({"prompts", "project", "user", "skill", "skills", "commands", "agent", "http", "https"})
_TOP = re.compile(r"(?:~/)?\.[\w-]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+", re.A)


# A bundle asks about the same few names again and again.
@lru_cache(maxsize=1024)
def letters(name: str) -> str:
    """Return a name in small letters and digits: `.oh-my-x` -> `ohmyx`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache(maxsize=1024)
def alike(one: str, other: str, loose: bool = False) -> bool:
    """Whether two names can belong to one product: equal, one within the other, or one the initials of the other.

    `loose` also takes any letter of the last word for its initial (`omp`, `oh-my-copilot`).
    """
    a, b = letters(one), letters(other)
    if not a or not b:
        return False
    if a == b or (min(len(a), len(b)) >= 3 and (a in b or b in a)):
        return True
    return _abbreviates(a, other, loose) or _abbreviates(b, one, loose)


def _abbreviates(short: str, name: str, loose: bool) -> bool:
    parts = [part.lower() for part in _PART.findall(name)]
    initials = "".join(part[0] for part in parts)
    if len(short) < 2 or len(parts) < 2:
        return False
    return initials.startswith(short) or (
        loose and len(short) == len(parts) and short[:-1] == initials[:-1] and short[-1] in parts[-1]
    )


def own_namespace(text: Text) -> str:
    """Return the plugin prefix of the text's own command, else the one that it uses most, '' without one."""
    return text.once(_namespaces)[0]


def prefixes(text: Text) -> tuple[str, ...]:
    """Return the plugin prefixes of all commands in the text, once each."""
    return text.once(_namespaces)[1]


def _namespaces(text: Text) -> tuple[str, tuple[str, ...]]:
    places = ((match[1], text.line_at(match.start())) for match in PREFIX.finditer(text.source.text))
    found = [name for name, number in places if not opens_with_credit(text.lines[number - 1])]
    return _own_namespace(text, found), tuple(dict.fromkeys(found))


def _own_namespace(text: Text, found: list[str]) -> str:
    counts = Counter(name for name in found if name not in NO_PLUGIN)
    if not counts:
        return ""
    own = [namespace(value) for value in text.facts.values("invocation")]
    best = max(counts, key=lambda name: (counts[name] + own.count(name), -found.index(name)))
    names = [name for name in (text.facts.first("root"), text.facts.first("label")) if name]
    if "" in own and names and not any(alike(best, name) for name in names):
        return ""  # the text's own command has no prefix, and this one is another product's
    return best


def identity(text: Text) -> tuple[str, str, str]:
    """Return the plugin prefix, the first state root and the label, '' for what the text does not say."""
    root = text.facts.first("root")
    top = _TOP.match(root)
    return own_namespace(text), top[0] if top else root, text.facts.first("label")


def own_names(text: Text) -> tuple[str, ...]:
    """Return the names by which the product calls itself: plugin prefix, state root, label.

    A label or root that names another product than the prefix does is none of its names.
    """
    prefix, root, label = identity(text)
    strange = strangers(prefix, root, label)
    return tuple(
        name for kind, name in (("", prefix), ("root", root), ("label", label)) if name and kind not in strange
    )


def own_name(text: Text) -> str:
    """Return what to call the product in a message."""
    prefix, root, label = identity(text)
    if label and "label" not in strangers(prefix, root, label):
        return label
    return prefix or root or "this one"


@lru_cache(maxsize=256)
def strangers(prefix: str, root: str, label: str) -> tuple[str, ...]:
    """Return which of root and label name another product than the rest of the identity.

    Names may differ freely (a plugin `tools` of a product Nova with `.nova/`); only a label that belongs to a product of
    the family, or an upstream's root, is a stranger beside names that are not like it.
    """
    strange: list[str] = []
    if prefix and root and _family(root) in UPSTREAMS and not alike(prefix, root):
        strange.append("root")
    others = [name for name in (prefix, "" if strange else root) if name]
    # A root of any other name may be anybody's, so it can speak for the label, never against it.
    against = prefix or (_family(root) and not strange)
    if _family(label) and against and not any(alike(label, other, loose=True) for other in others):
        strange.append("label")
    return tuple(strange)


def _family(name: str) -> str:
    """Return the family label that a root or label is, '' when it is none."""
    short = letters(name)
    return short if FAMILY.fullmatch(short) else ""
