"""Say when a fact and a value of a contract are the same thing."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from skillgen.model.contract import Contract

#: One mode under the name of its record and under its title.
_RECORDS = {"ralplan": "plan-consensus", "blueprint": "plan-consensus", "plan": "plan-consensus"}


def canonical(key: str, known: Collection[str]) -> str:
    """Return the key under which a contract with these modes knows a mode."""
    other = _RECORDS.get(key, key)
    return key if key in known or other not in known else other


def own_words(contract: Contract) -> set[str]:
    """Return the lower-case names by which a flavor calls itself."""
    return {contract.product.name.lower(), contract.product.title.lower(), contract.plugin.name.lower()}


def store_of(contract: Contract) -> str:
    return "sqlite" if contract.store.kind == "rows" else "files"


def flag_rule(contract: Contract) -> str:
    """Return `same` or `split`."""
    return "same" if contract.flags.force == contract.flags.all else "split"


def relative_order(keys: Sequence[str], contract: Contract) -> list[str]:
    """Return those of the keys that the contract knows, in the contract's order."""
    return [key for group in contract.order for key in group if key in keys]


def hyphenate(text: str) -> str:
    """Return a name in small letters, digits and hyphens; '' where nothing of it is one."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def words(text: str) -> str:
    """Return a message without what Markdown and typography do to it."""
    text = re.sub(r"\\([|\\*_`])", r"\1", text)
    return " ".join(re.sub(r"[`*]", "", text).replace("“", '"').replace("”", '"').replace("’", "'").split())
