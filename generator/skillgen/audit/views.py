"""Make texts that know how to find their shell fragments and their facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillgen.audit.text import Around, InBundle, Text, Views
from skillgen.model.subject import Source

if TYPE_CHECKING:
    from skillgen.audit.shell import Fragment
    from skillgen.model.facts import Facts


def make_text(
    source: Source, *, skill: InBundle | None = None, bundle: Around | None = None, shell: Any = None
) -> Text:
    """Return a text that reads itself when it is asked to."""
    return Text(source, _VIEWS, skill=skill, bundle=bundle, shell=shell)


# Most texts of a bundle are asked for few views; importing a reader takes longer than reading one text.
def _fragments(text: Text) -> tuple[Fragment, ...]:
    from skillgen.audit.fragments import find_fragments

    return find_fragments(text)


def _facts(text: Text) -> Facts:
    from skillgen.audit.reader.facts import read_facts

    return read_facts(text)


def _is_cancel(text: Text) -> bool:
    from skillgen.audit.reader.recognise import is_cancel

    return is_cancel(text)


_VIEWS = Views(_fragments, _facts, _is_cancel)
