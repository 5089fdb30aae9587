"""Find the modes of a text, and which of them each line is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillgen.audit.reader.modes import Modes
from skillgen.audit.reader.place import Places

if TYPE_CHECKING:
    from skillgen.audit.text import Text


def reading(text: Text) -> tuple[Modes, Places]:
    """Return the modes of the text and the places that are about them, found once."""
    return text.once(_read)


def _read(text: Text) -> tuple[Modes, Places]:
    modes = Modes(text)
    return modes, Places(text, modes)
