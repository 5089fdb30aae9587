"""Read where state lives and what stays: roots, store, session variables, artifacts, kept paths, signal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.artifacts import read_artifacts, read_lists
from skillgen.audit.reader.keeps import read_keeps
from skillgen.audit.reader.kept import read_kept
from skillgen.audit.reader.roots import read_roots
from skillgen.audit.reader.variables import read_signal, read_variables

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text
    from skillgen.model.facts import Fact

#: A path or a file name in code marks, or file names in brackets.
_SPAN = re.compile(r"`[^`\n/.]*[/.][^`\n]*`|[(（][\w.-]+\.\w+\s*[,，、]", re.A)


def read_state(text: Text, modes: Modes) -> Iterator[Fact]:
    yield from read_roots(text)
    yield from read_variables(text)
    code = text.document.code_lines
    lines = [
        n for n in text.matching(_SPAN) if n >= text.body_line and n not in code and len(text.lines[n - 1]) <= 2000
    ]
    done: set[int] = set()
    yield from read_lists(text, done)
    yield from read_artifacts(text, lines, done)
    yield from read_kept(text, lines, done)
    yield from read_keeps(text, modes)
    yield from read_signal(text)
