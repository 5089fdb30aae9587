"""Read a text into facts, each with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillgen.audit.reader.actions import read_actions
from skillgen.audit.reader.links import read_links
from skillgen.audit.reader.messages import read_messages
from skillgen.audit.reader.names import read_names
from skillgen.audit.reader.reading import reading
from skillgen.audit.reader.resume import read_resumes
from skillgen.audit.reader.state import read_state
from skillgen.audit.reader.team import read_team
from skillgen.audit.reader.tools import read_tools
from skillgen.audit.reader.verbs import read_verbs
from skillgen.model.facts import Facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillgen.audit.text import Text
    from skillgen.model.facts import Fact


def read_facts(text: Text) -> Facts:
    """Return every fact that the text states; an empty collection for a text without any."""
    modes, places = reading(text)
    told = (
        *read_names(text, modes),
        *read_state(text, modes),
        *read_tools(text),
        *modes.facts(),
        *read_links(text, modes, places),
        *read_actions(text, modes, places),
        *read_messages(text, modes, places),
        *read_team(text, modes, places),
        *read_verbs(text),
    )
    return Facts((*_apart(told), *read_resumes(text, modes, places, told)))


def _apart(told: tuple[Fact, ...]) -> Iterator[Fact]:
    """The facts, with flags that select different sessions as two: nothing else of the text can make them one."""
    widths = {
        flag: {fact.value for fact in told if (fact.kind, fact.key, fact.stance) == ("scope", flag, "said")}
        for flag in ("--force", "--all")
    }
    differ = all(widths.values()) and widths["--force"].isdisjoint(widths["--all"])
    for fact in told:
        yield fact._replace(value="split") if differ and (fact.kind, fact.value) == ("flags", "same") else fact
