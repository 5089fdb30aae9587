"""Carry out the edits that findings bring along."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from skillgen.audit.report import Report
from skillgen.model.finding import Edit
from skillgen.model.subject import Source


def fix_reports(reports: Iterable[Report]) -> list[Source]:
    """Return the texts that change, changed; edits that overlap an earlier one are left for the next run."""
    changed = []
    for report in reports:
        for text in report.texts:
            if not text.source.fixable:
                continue
            edits = [edit for finding in report.findings if finding.path == text.path for edit in finding.edits]
            if edits:
                changed.append(apply(text.source, edits))
    return changed


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
