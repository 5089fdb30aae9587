"""Bring reports into a form that a later run can take for its own, if nothing that decides them has changed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from skillgen.audit.report import Report
from skillgen.model.finding import Edit, Finding, Severity
from skillgen.model.subject import File, Source, Tree

Subject = Source | Tree
#: No more reports are remembered.
_MOST = 4000


class Asked:
    """A subject whose questions about files around it are written down, since its report hangs on the answers."""

    def __init__(self, subject: Subject) -> None:
        self.answers: dict[str, bool] = {}
        self.subject: Subject = subject
        if isinstance(subject, Tree):
            self.subject = dataclasses.replace(subject, exists=self._asking(subject.exists))

    def _asking(self, exists: Callable[[str], bool]) -> Callable[[str], bool]:
        def ask(path: str) -> bool:
            self.answers[path] = exists(path)
            return self.answers[path]

        return ask


class Remembered:
    """Reports of earlier runs by what they were made from; `about` is what decides every report beside its subject."""

    def __init__(self, data: bytes, about: Iterable[str]) -> None:
        self._about = "\n".join(about)
        self._reports: dict[str, Any] = _mapping(data)
        self.changed = False

    def dump(self) -> bytes:
        newest = dict(list(self._reports.items())[-_MOST:])
        return json.dumps(newest, separators=(",", ":")).encode()

    def report(self, subject: Subject) -> Report | None:
        """Return the report of a subject, None where there is none or something around it has changed."""
        kept = self._reports.get(self._key(subject))
        if kept is None:
            return None
        try:
            if isinstance(subject, Tree) and any(subject.exists(path) != there for path, there in kept["asked"]):
                return None
            return Report(
                kept["path"], kept["kind"], tuple(map(_finding, kept["findings"])), (),
                kept["waived"], kept["general"], _rows(subject),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError):
            return None

    def keep(self, asked: Asked, report: Report) -> None:
        self._reports[self._key(asked.subject)] = {
            "path": report.path,
            "kind": report.kind,
            "waived": report.waived,
            "general": report.general,
            "asked": sorted(asked.answers.items()),
            "findings": [
                [getattr(one, name) for name in _PLAIN]
                + [str(one.severity), [dataclasses.astuple(e) for e in one.edits]]
                for one in report.findings
            ],
        }
        self.changed = True

    def _key(self, subject: Subject) -> str:
        digest = hashlib.sha256(self._about.encode())
        for part in _parts(subject):
            data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
            # The length keeps one part's end from passing as another's beginning.
            digest.update(f"\n{len(data)}\n".encode() + data)
        return digest.hexdigest()


_PLAIN = ("path", "line", "column", "code", "message", "repair", "end_column")


def _mapping(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _finding(row: list[Any]) -> Finding:
    plain: Mapping[str, Any] = dict(zip(_PLAIN, row, strict=False))
    severity, edits = row[len(_PLAIN) :]
    return Finding(**plain, severity=Severity(severity), edits=tuple(Edit(*edit) for edit in edits))


def _rows(subject: Subject) -> tuple[tuple[str, list[str]], ...]:
    sources = subject.sources if isinstance(subject, Tree) else (subject,)
    return tuple((source.path, source.text.split("\n")) for source in sources)


def _bytes(file: File) -> bytes:
    try:
        return file.read()
    except OSError:
        return b""  # a link to a directory, a file that nobody may read: rules see no more of it


def _parts(subject: Subject) -> Iterable[object]:
    """Yield everything of a subject that a rule can see, but its questions about files around it."""
    if isinstance(subject, Source):
        yield from ("source", subject.path, subject.kind, subject.bom, subject.returns, subject.fixable, subject.text)
        return
    yield from (
        "tree",
        subject.path,
        subject.name,
        subject.bundle,
        subject.skill,
        subject.repository,
        subject.catalogue,
    )
    for path, file in subject.files.items():
        yield from (path, file.size, file.executable, file.link, file.escapes, file.special)
        yield b"" if file.special else _bytes(file)
    for source in subject.sources:
        yield from (source.path, source.kind, source.bom, source.returns, source.fixable, source.text)
