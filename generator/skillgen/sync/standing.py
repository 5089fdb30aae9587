"""Grade a copy as it lies on the disk, and as it would after files of it were written and removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from skillgen.errors import InputError, Problem
from skillgen.load.copies import Copy
from skillgen.load.decode import decode
from skillgen.load.kinds import kind_of
from skillgen.load.subjects import load_subjects
from skillgen.model.finding import Finding, Severity
from skillgen.model.subject import File, Kind, Source, Tree


@dataclass(frozen=True, slots=True)
class Standing:
    """What an audit says of the skill with the command beside it."""

    grade: str
    findings: tuple[Finding, ...]
    """Errors and warnings; notes cost nothing."""

    @property
    def errors(self) -> int:
        return sum(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def codes(self) -> Mapping[str, int]:
        """Code -> how often, sorted."""
        codes = sorted(finding.code for finding in self.findings)
        return {code: codes.count(code) for code in dict.fromkeys(codes)}


def stand(copy: Copy) -> Standing:
    """Return how the copy stands now; raise InputError for a text that cannot be read."""
    return _judge(_subjects(copy))


def stand_after(copy: Copy, files: Mapping[str, bytes], removed: Collection[str]) -> Standing:
    """Return how it would stand with these files; paths are relative to the copy's root."""
    subjects: list[Source | Tree] = []
    found = _subjects(copy)
    tree = next((one for one in found if isinstance(one, Tree)), None)
    skill = os.path.join(copy.root, copy.skill)
    if tree is None:
        tree = Tree(skill, copy.skill.rsplit("/", 1)[-1], {}, (), skill=True, repository=True)
    inside = {path[len(copy.skill) + 1 :]: data for path, data in files.items() if path.startswith(f"{copy.skill}/")}
    gone = {path[len(copy.skill) + 1 :] for path in removed if path.startswith(f"{copy.skill}/")}
    every = {path: file for path, file in tree.files.items() if path not in gone and path not in inside}
    every |= {
        path: File(path, len(data), path.startswith("scripts/"), _make_reader(data)) for path, data in inside.items()
    }
    sources = [source for source in tree.sources if source.path[len(tree.path) + 1 :] in every.keys() - inside.keys()]
    problems: list[Problem] = []
    for path, data in inside.items():
        if path.endswith(".md"):
            kind = Kind.SKILL if path == "SKILL.md" else Kind.REFERENCE
            sources += filter(None, [decode(data, len(data), f"{tree.path}/{path}", kind, problems)])
    exists = tree.exists
    after = replace(
        tree,
        files=dict(sorted(every.items())),
        sources=tuple(sorted(sources, key=lambda source: source.path)),
        exists=lambda path: path in every or (path not in gone and exists(path)),
    )
    subjects.append(after)
    for source in found:
        if isinstance(source, Source):
            held = files.get(copy.command)
            name = os.path.join(copy.root, copy.command)
            made = decode(held, len(held), name, kind_of(name), problems) if held is not None else source
            subjects += [made] if made else []
    if problems:
        raise InputError(problems)
    return _judge(subjects)


def _subjects(copy: Copy) -> list[Source | Tree]:
    paths = [os.path.join(copy.root, copy.skill)] if copy.there else []
    paths += [os.path.join(copy.root, copy.command)] if copy.command else []
    subjects, problems = load_subjects(paths)
    if problems:
        raise InputError(problems)
    return subjects


def _judge(subjects: list[Source | Tree]) -> Standing:
    from skillgen.audit.engine import audit
    from skillgen.audit.grade import grade
    from skillgen.audit.rules import all_rules

    findings = [finding for report in audit(subjects, all_rules()) for finding in report.findings]
    return Standing(grade(findings), tuple(one for one in findings if one.severity is not Severity.NOTE))


def _make_reader(data: bytes) -> Callable[[], bytes]:
    return lambda: data
