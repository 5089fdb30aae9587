"""Find what a fork's text says beyond the canonical one: steps and guards that nobody else has yet."""

from __future__ import annotations

import os

from skillgen.build.contracts import resolve_all
from skillgen.drift.fold import fold
from skillgen.drift.own_lines import line_digest, numbered_own_lines
from skillgen.load.files import read
from skillgen.model.fork import State
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import Fork
from skillgen.sync.names import contract_names, text_names

Ahead = dict[str, list[tuple[int, str]]]
"""Path where it lies -> line numbers and lines."""


def ahead_of(fork: Fork, examiner: Examiner) -> Ahead:
    """Return the lines of edited Markdown files that neither their base nor the current rendering has.

    Names are the product's or any other's: a text that only calls things otherwise is not ahead.
    """
    edited = [
        file.path
        for file in fork.files
        if file.edited and file.path.endswith(".md") and file.state in (State.EDITED, State.OUTDATED, State.CONFLICT)
    ]
    if not edited:
        return {}
    contract = resolve_all(examiner.targets.inputs, [fork.target.id])[fork.target.id].contract
    found = {}
    places = {fork.place(path): path for path in fork.target.files}
    for place in edited:
        target = os.path.join(fork.root, place)
        path = places.get(place)
        if path is None or not os.path.isfile(target) or os.path.islink(target):
            continue
        text = fold(read(target)).data.decode("utf-8", "replace")
        names = (*contract_names(contract), *text_names(text))
        lines = numbered_own_lines(text, _list_known(fork, examiner, path, names), names)
        if lines:
            found[place] = lines
    return found


def known_of(fork: Fork, examiner: Examiner, path: str) -> tuple[set[str], tuple[str, ...]]:
    """Return the digests of what the canonical texts of a file say, and the names that count for any product's."""
    contract = resolve_all(examiner.targets.inputs, [fork.target.id])[fork.target.id].contract
    text = fold(read(os.path.join(fork.root, fork.place(path)))).data.decode("utf-8", "replace")
    names = (*contract_names(contract), *text_names(text))
    return _list_known(fork, examiner, path, names), names


def _list_known(fork: Fork, examiner: Examiner, path: str, names: tuple[str, ...]) -> set[str]:
    rendered = examiner.targets.render(fork.target.id)[1].get(path)
    texts = [rendered.data] if rendered else []
    old = fork.recorded.files.get(path)
    base = examiner.bases.find(old.digest, path, fork.recorded, fork.root) if old else None
    if base is not None:
        texts.append(base)
    return {line_digest(line, names) for data in texts for line in data.decode("utf-8", "replace").split("\n")}
