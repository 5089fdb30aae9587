"""Say of a clause of known words why it may be no order: somebody else does the deed, or something is only said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillgen.reader.tokens import Token

#: Groups of neutral words that may stand between a deed and who does it, or what leads to it.
_SMALL = frozenset({"adverbs", "determiners"})
#: Acts of which no frame makes another deed.
#: Groups of words that name somebody else.
_ELSE = frozenset({"", "workers"})
_MILD = frozenset({"read", "keep", "ask"})


def frame_doubt(tokens: Sequence[Token]) -> str:
    """Return what makes a clause doubtful, '' where nothing does; `tokens` without those of a condition."""
    for n, token in enumerate(tokens):
        if token.kind != "act" or token.last or token.value in _MILD:
            continue
        if doubt := _before(tokens, n) or _behind(tokens, n):
            return doubt
    return ""


def _back(tokens: Sequence[Token], n: int, passed: frozenset[str] = _SMALL) -> Iterator[Token]:
    """Yield what stands before a token in its part, nearest first, without neutral words of some groups."""
    for token in reversed(tokens[:n]):
        if token.kind in ("part", "join", "end", "ends"):
            return
        if token.kind != "neutral" or token.value not in passed:
            yield token


def _before(tokens: Sequence[Token], n: int) -> str:
    """Return what stands before a deed and takes it from the reader: `from`, `who`, a subject, something that is to do it."""
    act = tokens[n]
    before = list(_back(tokens, n))
    if not before:
        return ""
    nearest = before[0]
    if act.form == "joined":
        led = next((token for token in before if token.kind == "act"), None)
        return "stopped" if led is not None and led.value in ("stop", "end") else ""
    if nearest.kind == "act":
        return "stopped" if tokens[n - 1] is nearest and nearest.value in ("stop", "end") and act.form == "ing" else ""
    if nearest.value == "relative" and len(before) > 1:
        return "relative"
    if nearest.value == "turners":
        return "turned" if act.form == "ing" else ""
    if nearest.value == "to":
        return _leads_to(before[1:])
    if nearest.value == "modals" or act.form == "s":
        return _somebody(list(_back(tokens, n, _SMALL | {"modals", "be"})))
    if not act.form and nearest.kind == "neutral" and not any(_opens(token) for token in before):
        return _somebody(before)
    return ""


def _opens(token: Token) -> bool:
    """Whether a token makes what stands behind it no subject: `for all workers remove x`."""
    return token.kind != "neutral" or token.value == "prepositions"


def _somebody(before: Sequence[Token]) -> str:
    nearest = before[0] if before else None
    return "somebody" if nearest and nearest.kind == "neutral" and nearest.value in _ELSE else ""


def _leads_to(before: Sequence[Token]) -> str:
    """Return what is doubtful about that which stands before `to` and a deed."""
    if not before or any(token.kind in ("act", "thing") for token in before):
        return ""
    nearest = before[0]
    if nearest.value == "modals":
        return _somebody([token for token in before if token.value not in ("modals", "be")])
    return "to" if nearest.kind == "neutral" and nearest.value in _ELSE else ""


def _behind(tokens: Sequence[Token], n: int) -> str:
    """Return what is said of a deed behind it, or who else does it: `removing x is a relic`, `is removed by the server`."""
    act = tokens[n]
    for at in range(n + 1, len(tokens)):
        token = tokens[at]
        if token.kind in ("part", "join", "end", "ends", "act"):
            return ""
        if act.form == "ed" and token.value == "by":
            agent = next(_ahead(tokens, at), None)
            return "somebody" if agent and agent.kind == "neutral" and agent.value in _ELSE else ""
        if act.form in ("", "ing") and token.value == "be" and tokens[at - 1].kind in ("thing", "record"):
            said = next(_ahead(tokens, at), None)
            return "said of it" if said and said.kind in ("neutral", "unknown") and said.value != "asked" else ""
    return ""


def _ahead(tokens: Sequence[Token], n: int) -> Iterator[Token]:
    for token in tokens[n + 1 :]:
        if token.kind in ("part", "join", "end", "ends"):
            return
        if token.kind != "neutral" or token.value not in _SMALL:
            yield token
