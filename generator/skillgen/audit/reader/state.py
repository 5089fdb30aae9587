"""Read where state lives and what stays: roots, store, session variables, artifacts, kept paths, signal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.artifacts import read_artifacts, read_lists, read_named
from skillgen.audit.reader.governing import Governed, governed
from skillgen.audit.reader.keeps import read_keeps
from skillgen.audit.reader.kept import read_kept
from skillgen.audit.reader.roots import read_roots
from skillgen.audit.reader.variables import read_signal, read_variables

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text
    from skillgen.model.facts import Fact

#: A path or a file name in code marks, file names in brackets, or a bare dot path.
_SPAN = re.compile(r"`[^`\n/.]*[/.][^`\n]*`|[(（][\w.-]+\.\w+\s*[,，、]|\.[a-z][\w-]*/", re.A)


def read_state(text: Text, modes: Modes) -> Iterator[Fact]:
    roots = list(read_roots(text, modes))
    yield from roots
    yield from read_variables(text)
    done: set[int] = set()
    yield from read_lists(text, done)
    said = _said(text, done)
    yield from read_artifacts(text, said)
    yield from read_named(text)
    own = {fact.value.removeprefix("~/").split("/")[0] for fact in roots if fact.kind == "root"}
    yield from read_kept(text, said, own)
    yield from read_keeps(text, modes)
    yield from read_signal(text)


def _said(text: Text, done: set[int]) -> dict[int, tuple[Governed, ...]]:
    """Return by line what the sentences of the prose, path lists left out, do with the paths that they name."""
    code, lines = text.document.code_lines, text.lines
    found = {}
    for number in text.matching(_SPAN):
        line = lines[number - 1]
        if number in done or number < text.body_line or number in code or len(line) > 2000 or line.lstrip()[:1] == "|":
            continue
        if paths := governed(line):
            found[number] = paths
    return found
