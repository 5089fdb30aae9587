"""Make texts that know how to find their shell fragments and their facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skillgen.audit.text import Around, InBundle, Text, Views
from skillgen.model.facts import Facts
from skillgen.model.subject import Source
from skillgen.reader.fold import plain_typography

if TYPE_CHECKING:
    from skillgen.audit.shell import Fragment
    from skillgen.model.facts import Fact


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

    plain = plain_typography(text.source.text)
    if plain == text.source.text:
        return read_facts(text)
    twin = Text(replace(text.source, text=plain), text.views, skill=text.skill, bundle=text.bundle, shell=text.shell)
    return Facts(_as_written(fact, plain, text) for fact in read_facts(twin).every)


def _as_written(fact: Fact, plain: str, text: Text) -> Fact:
    """Return the fact with its value as the text has it, typography and all."""
    at = plain.find(fact.value, text.starts[fact.line - 1]) if fact.line else -1
    return fact if at < 0 else fact._replace(value=text.source.text[at : at + len(fact.value)])


def _is_cancel(text: Text) -> bool:
    from skillgen.audit.reader.recognise import is_cancel

    return is_cancel(text)


_VIEWS = Views(_fragments, _facts, _is_cancel)
