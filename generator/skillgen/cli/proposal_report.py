"""Show a proposal: the facts with their places, the change to the flavor, and what stays an edit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from skillgen.cli.say import say
from skillgen.model.visible import escaped

if TYPE_CHECKING:
    from skillgen.sync.fork import Fork
    from skillgen.sync.propose import Proposal


def show_proposal(root: str, fork: Fork, proposal: Proposal) -> None:
    """Print it; the diff is what `git apply` takes at the root of the model."""
    if not proposal.facts:
        say(f"{root}: no local edit that the reader understands as a fact of {proposal.file}")
    else:
        say(f"{root}: {len(proposal.facts)} local edits can be data in {proposal.file}", bold=True)
        for fact in proposal.facts:
            say(escaped(f"  {'.'.join(fact.key)}: {_shorten(fact.value)}  ({fact.where})"))
        for line in proposal.diff:
            say(line, fg={"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))
        for problem in proposal.problems:
            say(escaped(f"  not usable as it is: {problem}"), fg="red")
        if proposal.own and not proposal.problems:
            say(f"  {proposal.survives} of {proposal.own} own lines would then be rendered for every fork")
    for path, lines in sorted(fork.ahead.items()):
        say(f"  {path} says what the canonical text does not:")
        for number, line in lines:
            say(escaped(f"    line {number}: {line.strip()[:160]}"))


def proposal_data(proposal: Proposal) -> dict[str, Any]:
    """Return the proposal as JSON."""
    return {
        "file": proposal.file,
        "facts": [
            {"key": ".".join(fact.key), "value": _as_plain(fact.value), "where": fact.where} for fact in proposal.facts
        ],
        "diff": "".join(f"{line}\n" for line in proposal.diff),
        "problems": proposal.problems,
        "own_lines": proposal.own,
        "surviving_lines": proposal.survives,
    }


def _as_plain(value: Any) -> Any:
    from skillgen.adopt.difference import DROP

    return None if value is DROP else value


def _shorten(value: Any) -> str:
    text = json.dumps(_as_plain(value), ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:97]}..."
