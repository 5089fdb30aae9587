"""Let no word of the base stand in what another product says, nor a mode that is gone."""

from __future__ import annotations

import re
from typing import Any

from skillgen.adopt.names import Names
from skillgen.adopt.wanted import Path, Target
from skillgen.model.contract import Contract

#: Lists of sentences; one that speaks of another product goes.
_SENTENCES = frozenset({"notes", "asides", "dangers", "replies", "detail", "report", "verdicts"})
#: Single sentences that may be empty.
_OPTIONAL = frozenset(
    ["matching", "note", "hidden_by", "stop_hook", "what", "label", "linked_message", "message_more", "none_hint"]
)
#: Who answers for the bundle and where it is listed; no word of a product.
_OURS = frozenset({("plugin", "author"), ("plugin", "marketplace"), ("plugin", "category"), ("flavor",), ("revision",)})


def base_words(contract: Contract, names: Names, keywords: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the words by which a contract's product is known and the text's product is not, the longest first."""
    product, plugin = contract.product, contract.plugin
    root = contract.root.directory
    words = {product.name, product.title, plugin.name, root, plugin.package, product.author, product.homepage}
    words |= {contract.command.form.lstrip("/$").rpartition(":")[0], *contract.command.keywords}
    words |= {f"{product.name.upper().replace('-', '_')}_", f"{root.lstrip('.').upper()}_"}
    own = {word.casefold() for word in (names.name, names.namespace, names.directory, names.form, *keywords)}
    own |= {f"{names.name}_".casefold(), f"{names.directory.lstrip('.')}_".casefold()}
    return tuple(
        sorted((word for word in words if len(word) > 1 and word.casefold() not in own), key=len, reverse=True)
    )


def word_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Match one of the words standing by itself, in any case; one with `_` at its end begins a variable's name."""
    parts = [re.escape(word) + ("" if word.endswith("_") else r"(?![A-Za-z0-9])") for word in words]
    return re.compile(r"(?<![A-Za-z0-9_])(?:" + "|".join(parts or ["(?!)"]) + ")", re.I)


def scrub(target: Target, names: Names) -> list[str]:
    """Take out sentences with such words; return the keys whose value still has one and cannot go."""
    residue: list[str] = []
    never = target.data["fallback"]["never"] if target.kin or target.data["tools"] else []
    target.data["fallback"]["never"] = [key for key in never if key in target.data["modes"]]
    if not target.kin:
        keywords = target.facts.values("keyword")
        pattern = word_pattern(base_words(target.base, names, keywords))
        _walk(target.data, (), lambda text: _told_of(pattern, text, target), residue)
    gone = [
        word
        for key, mode in target.base.modes.items()
        if key not in target.data["modes"] and key not in target.renames.modes
        for word in (key, mode.title)
    ]
    if gone:
        lost = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, gone)) + r")(?![\w-])")
        _walk(target.data, (), lambda text: lost.search(text) is not None, None)
    # What it says when is of modes that are gone.
    if (hook := target.data["tool_hook"]) and not hook["note"]:
        target.data["tool_hook"] = None
    # A climb by the session's file is none where no such file is known.
    if target.data["root"].get("authority") and not target.data["identity"].get("file"):
        target.data["root"]["authority"] = None
    return residue


def _told_of(pattern: re.Pattern[str], text: str, target: Target) -> bool:
    """Whether a text has such a word that the adopted text does not write in the same way."""
    for match in pattern.finditer(text):
        start = re.search(r"[\w./-]*$", text[: match.start()])
        end = re.match(r"[\w./-]*", text[match.end() :])
        token = (start[0] if start else "") + match[0] + (end[0] if end else "")
        if token == match[0] or not target.evidence.says(token.rstrip(".")):
            return True
    return False


def _walk(data: Any, path: Path, told: Any, residue: list[str] | None) -> None:
    for name, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
        here = (*path, str(name))
        if here in _OURS or here == ("front", "description") or here[:1] == ("verdicts",):
            continue
        if isinstance(value, list) and name in _SENTENCES:
            data[name] = [item for item in value if not (isinstance(item, str) and told(item))]
        elif isinstance(value, (dict, list)):
            _walk(value, here, told, residue)
        elif isinstance(value, str) and value and told(value):
            if name in _OPTIONAL:
                data[name] = ""
            elif residue is not None:
                residue.append(".".join(here))
