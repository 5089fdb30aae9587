"""Carry out the edits that findings bring along."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from skillgen.audit.report import Report
from skillgen.model.finding import Edit
from skillgen.model.subject import Kind, Source

_FRONT = re.compile(r"---\n.*?^---\n\n*", re.S | re.M)


def fix_reports(reports: Iterable[Report]) -> list[Source]:
    """Return the texts that change, changed; edits that overlap an earlier one are left for the next run."""
    changed = []
    for report in reports:
        for text in report.texts:
            if not text.source.fixable:
                continue
            found = [finding.edits for finding in report.findings if finding.path == text.path and finding.edits]
            if not found:
                continue
            made = (
                _mend_markdown(text.source, found) if _is_markdown(text.source) else apply(text.source, chain(*found))
            )
            if made.text != text.source.text:
                changed.append(made)
    return changed


def _is_markdown(source: Source) -> bool:
    return source.kind is not Kind.PROMPT and source.path.endswith((".md", ".mdx", ".mdc"))


def _mend_markdown(source: Source, found: Sequence[Sequence[Edit]]) -> Source:
    """Return the source with each finding's edits that leave headings, lists, tables and the rest what they are.

    A text in normal form is in normal form afterwards.
    """
    from skillgen.model.markdown import normal, same_shape

    made = apply(source, chain(*found))
    if not same_shape(_body(source.text), _body(made.text)):
        kept: list[Edit] = []
        for edits in found:
            tried = apply(source, [*kept, *edits])
            if same_shape(_body(source.text), _body(tried.text)):
                kept += edits
        made = apply(source, kept)
    body = _body(source.text)
    every = len(source.returns) == source.text.count("\n")
    if normal(body) != body or (source.returns and not every):
        return made
    new = _body(made.text)
    text = made.text[: len(made.text) - len(new)] + normal(new)
    ends = tuple(at for at, character in enumerate(text) if character == "\n") if every else ()
    return replace(made, text=text, returns=ends)


def _body(text: str) -> str:
    """Return what stands below the front matter."""
    front = _FRONT.match(text)
    return text[front.end() :] if front else text


def apply(source: Source, edits: Iterable[Edit]) -> Source:
    """Return the source with the edits applied; its other line ends stay as they were."""
    text = source.text
    out: list[str] = []
    returns: list[int] = []
    last = length = 0
    pending = list(source.returns)
    for edit in sorted(set(edits), key=lambda edit: (edit.start, edit.end)):
        if edit.start < last:
            continue
        returns.extend(at - last + length for at in pending if last <= at < edit.start)
        out += [text[last : edit.start], edit.text]
        length += edit.start - last + len(edit.text)
        last = edit.end
    returns.extend(at - last + length for at in pending if last <= at)
    out.append(text[last:])
    return replace(source, text="".join(out), returns=tuple(returns))
