"""Cut the tokens of a block into clauses, and say of each what it does, to what, under which condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from skillgen.reader.frames import frame_doubt
from skillgen.reader.tokens import Token

#: Acts that only carry what stands behind them: `run x`, `use x`.
CARRIERS = frozenset({"run", "read"})
#: Things that are a deed by themselves.
TOLD_OF = "told of"
DEEDS = frozenset({"call", "command", "span"})


class Stance(Enum):
    """Whether a text orders something, forbids it, or leaves it open."""

    SAID = "said"
    DENIED = "denied"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class Clause:
    """One clause; `span` are offsets in its block, `doubt` says why nobody can be sure of it, '' where one can."""

    tokens: list[Token]
    act: str = ""
    negated: int = 0
    """How many words turn it."""
    carried: bool = False
    """So may a word that nobody knows."""
    doubt: str = ""
    condition: bool = False
    scope: str = ""
    ahead: bool = False
    """It speaks of what follows it."""
    back: bool = False
    """It speaks of what stands before it."""
    objects: list[Token] = field(default_factory=list)
    aside: set[int] = field(default_factory=set)
    """Starts of the tokens that belong to a condition."""

    @property
    def span(self) -> tuple[int, int]:
        return self.tokens[0].start, self.tokens[-1].end

    @property
    def has_deed(self) -> bool:
        return any(_is_deed(token) and token.start not in self.aside for token in self.tokens)

    def stance(self, at: int, lenient: bool = False) -> Stance:
        """Return the stance towards what stands at an offset of the block; `lenient` lets words pass that nobody knows."""
        if self.negated == 1 and not self.turned and not self.condition:
            return Stance.DENIED
        if self.negated or self.turned or self.reached:
            return Stance.UNKNOWN
        if lenient:
            return Stance.SAID
        doubt = self.doubt
        if doubt == TOLD_OF and not self._is_subject(at):
            doubt = ""  # what the subject does is said, only the subject itself is no order
        doubtful = self.carried or doubt or self.condition_doubt or at in self.aside
        return Stance.UNKNOWN if doubtful else Stance.SAID

    def _is_subject(self, at: int) -> bool:
        """Whether a thing stands at an offset, before all acts of the clause."""
        first = next((t.start for t in self.tokens if t.kind == "act" and t.start not in self.aside), at)
        return at <= first and any(token.start == at and token.kind == "thing" for token in self.tokens)

    reached: bool = False
    """A negation of an earlier (or, where verbs stand last, a later) clause of its sentence may reach it."""
    turned: bool = False
    """What stands behind the deed turns something else, or the deed: nobody can tell."""
    condition_doubt: bool = False


def _is_deed(token: Token) -> bool:
    return (token.kind == "act" and token.value not in ("read",)) or (token.kind == "thing" and token.value in DEEDS)


def sentences(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each sentence, its end with it."""
    current: list[Token] = []
    for token in tokens:
        current.append(token)
        if token.kind == "end":
            yield current
            current = []
    if current:
        yield current


def read_sentence(tokens: list[Token]) -> list[Clause]:
    """Return the clauses of one sentence."""
    aside = _conditions(tokens)
    clauses = [Clause(part) for part in _parts(tokens, aside)]
    clauses = _merged(clauses, aside)
    asked = tokens[-1].kind == "end" and tokens[-1].value in "?？"
    for clause in clauses:
        _judge(clause, aside, asked)
    _share(clauses)
    _carry(clauses)
    return clauses


def _conditions(tokens: list[Token]) -> set[int]:
    """Return the starts of the tokens that belong to a condition."""
    aside: set[int] = set()
    inside = False
    part = 0
    for n, token in enumerate(tokens):
        if token.kind == "part" and token.value not in "/=":
            inside = False
            part = n + 1
        elif token.kind == "condition":
            inside = True
        elif token.kind == "condition-after":
            aside.update(one.start for one in tokens[part : n + 1])
            part = n + 1
        elif inside and token.kind in ("join", "neutral") and token.value == "then":
            inside = False
        if inside:
            aside.add(token.start)
    return aside


def _parts(tokens: list[Token], aside: set[int]) -> list[list[Token]]:
    """Cut at punctuation, at words that end or join, and before a turn that stands between two deeds."""
    parts: list[list[Token]] = [[]]
    for n, token in enumerate(tokens):
        here = parts[-1]
        cut = token.kind in ("part", "ends") or (token.kind == "join" and _deed_ahead(tokens, n + 1))
        if (
            token.kind in ("negation", "instead")
            and not token.last
            and any(one.kind == "act" and _is_deed(one) for one in here)
            and _deed_ahead(tokens, n + 1)
        ):
            cut = True
        if cut and here:
            parts.append([])
        parts[-1].append(token)
        if token.kind == "instead" and token.last:
            parts.append([])
    return [part for part in parts if part]


def _deed_ahead(tokens: list[Token], start: int) -> bool:
    """Whether a deed stands before the next cut."""
    before: Token | None = None
    for token in tokens[start:]:
        if token.kind in ("part", "end", "ends", "join"):
            return False
        # `is not part of cancel`: a word that is a noun as well, behind a small one.
        noun = before is not None and before.value in ("determiners", "turners") and "neutral" in token.also
        if _is_deed(token) and not noun:
            return True
        before = token
    return False


def _merged(clauses: list[Clause], aside: set[int]) -> list[Clause]:
    """Join a part without a deed to the clause behind it where none stands before it, else to the one before."""
    out: list[Clause] = []
    lead: list[Token] = []
    for clause in clauses:
        own = any(_is_deed(token) and token.start not in aside for token in clause.tokens)
        if own:
            out.append(Clause([*lead, *clause.tokens]))
            lead = []
        elif out and clause.tokens[0].kind != "ends":
            out[-1].turned = out[-1].turned or _contrasts(clause.tokens, aside)
            out[-1].tokens.extend(clause.tokens)
        else:
            lead.extend(clause.tokens)
    if lead:
        out.append(Clause(lead))
    return out


def _contrasts(tokens: list[Token], aside: set[int]) -> bool:
    """Whether a part without a deed turns something, but nothing says that it turns the deed before it: `not the plan`."""
    turns = any(token.kind in ("negation", "instead") and token.start not in aside for token in tokens)
    return turns and any(
        token.kind == "thing" or (token.kind == "neutral" and token.end - token.start > 3) for token in tokens
    )


def _judge(clause: Clause, aside: set[int], asked: bool) -> None:
    clause.aside = {token.start for token in clause.tokens if token.start in aside}
    strong = emphatic = 0
    for n, token in enumerate(clause.tokens):
        kind = token.kind
        if kind == "part" and token.value in ":：" and n and "head" in clause.tokens[n - 1].also:
            clause.doubt = clause.doubt or "told"  # `History: …`
        if kind == "thing":
            clause.objects.append(token)
        if kind == "scope" and not clause.scope:
            clause.scope = token.value
        if kind == "back" or "back" in token.also:
            clause.back = True
        if kind == "ahead" or "ahead" in token.also:
            clause.ahead = True
        if token.start in clause.aside:
            clause.condition = True
            if (
                kind == "unknown"
                or (kind == "hedge" and "neutral" not in token.also)
                or (kind == "act" and token.value == "ask")
            ):
                clause.condition_doubt = True
            continue
        strong += kind in ("negation", "instead")
        emphatic += kind == "emphatic"
        if kind in ("unknown", "hedge", "other", "except"):
            clause.doubt = clause.doubt or (token.value if kind == "unknown" else kind)
        if _is_deed(token) and kind == "act" and (not clause.act or clause.act in CARRIERS):
            clause.act = token.value
    clause.negated = strong
    clause.doubt = (
        clause.doubt or _odd(clause) or frame_doubt([t for t in clause.tokens if t.start not in clause.aside])
    )
    if emphatic and not strong:
        clause.doubt = clause.doubt or "emphatic"
    if asked:
        clause.doubt = clause.doubt or "?"


def _odd(clause: Clause) -> str:
    """Return why a clause with a deed in code marks is no plain order: it keeps or asks, or the deed is its subject."""
    tokens = [token for token in clause.tokens if token.start not in clause.aside]
    thing = next(
        (n for n, token in enumerate(tokens) if token.kind == "thing" and token.value in DEEDS and not token.also), -1
    )
    if thing < 0 or any(token.last for token in tokens):
        return ""
    acts = [n for n, token in enumerate(tokens) if token.kind == "act"]
    if any(tokens[n].value in ("keep", "ask", "pause") for n in acts):
        return "kept or asked"
    if thing and tokens[thing - 1].kind == "ends":
        return "but"
    if not any(n < thing for n in acts) and any(n > thing and tokens[n].value != "write" for n in acts):
        return TOLD_OF
    return ""


def _share(clauses: list[Clause]) -> None:
    """Let what a clause is followed by, behind a colon or a word that joins, and that does nothing itself, share its negation."""
    for before, clause in pairwise(clauses):
        first = clause.tokens[0]
        goes_on = first.kind == "join" or (first.kind == "part" and first.value in ":：")
        if goes_on and before.negated and not clause.negated and not any(t.kind == "act" for t in clause.tokens):
            clause.negated = before.negated


def _carry(clauses: list[Clause]) -> None:
    """Let a negation, or a word that nobody knows, reach the other clauses of the sentence that it may govern."""
    turned = doubted = False
    for clause in clauses:
        if clause.tokens[0].kind == "ends":
            turned = doubted = False
        clause.reached, clause.carried = turned, doubted
        turned = turned or any(
            t.kind == "negation" and not t.last and t.start not in clause.aside for t in clause.tokens
        )
        doubted = doubted or any(
            token.kind in ("hedge", "emphatic") or (token.kind == "unknown" and not _is_object(clause.tokens, n))
            for n, token in enumerate(clause.tokens)
        )
    turned = doubted = False
    for clause in reversed(clauses):
        clause.reached, clause.carried = clause.reached or turned, clause.carried or doubted
        points = any(token.kind == "back" or "back" in token.also for token in clause.tokens[:2])
        doubted = doubted or bool(points and (clause.doubt or clause.negated))
        turned = turned or any(t.kind == "negation" and t.last and t.start not in clause.aside for t in clause.tokens)
        if clause.tokens[0].kind == "ends":
            turned = doubted = False


def _is_object(tokens: Sequence[Token], n: int) -> bool:
    """Whether a word that nobody knows is what an act before it is done to, so that it governs no other clause: `stop the crew`."""
    if tokens[n].value == "~~":
        return False
    for at in range(n - 1, -1, -1):
        token = tokens[at]
        if token.value == "determiners":
            return any(one.kind == "act" and not one.last for one in tokens[:at])
        if token.kind != "unknown" and (token.kind != "neutral" or token.value not in ("", "workers")):
            return False
    return False
