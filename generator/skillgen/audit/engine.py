"""Run rules over subjects: apply selection and waivers, stamp findings, grade.

Writing a rule
==============
A rule that is a pattern, or a question about lines, commands or shell, is one file of YAML with its cases, `sg<number>_<name>.yaml` (its fields:
`skillgen/audit/asked.py`). Any other is one module in `skillgen/audit/rules/`, `sg<number>_<name>.py`:

    \"\"\"A flag is found by substring.

    What it checks: …
    Why it matters: …
    How to fix it: …
    \"\"\"
    CODE = "SG201"                  # never reused
    TITLE = "flag found by substring"
    SEVERITY = Severity.ERROR       # error and warning fail an audit, a note never does
    SCOPE = Scope.TEXT              # what `check` is called with
    CANCEL_ONLY = False             # true: only texts in which the reader recognised a cancel skill (texts alone)

    def check(subject: Text) -> Iterator[Hit]:
        yield Hit(line=3, column=5, end_column=9, message="what is there", repair="what to write instead")

`Scope.TEXT` gets a `skillgen.audit.text.Text` (one SKILL.md, command, prompt or reference), `Scope.SKILL` a
`skillgen.audit.tree.Skill` (a directory with a SKILL.md), `Scope.BUNDLE` a `skillgen.audit.tree.Bundle` (a plugin
root), `Scope.MARKETPLACE` the same for a plugin root and for the root of a repository that lists plugins. A rule reads
its subject and nothing else: no disk, clock or environment; `File.read()` gives a file's bytes.
The engine stamps path, code and severity; a hit about another file of a bundle says so in `Hit.path` (relative to the
root). Cases stand in `tests/audit/cases/<CODE>.yaml`; at least one looks like a breach and is none.

Code ranges: SG1 front matter and the Agent Skills specification, SG2 shell, SG3 scope and session, SG4 manifests and
bundles, SG5 a text against itself, SG6 residue of search and replace, SG7 references, hosts and hidden characters,
SG9 waivers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Protocol

from skillgen.audit.causes import cut, one_a_cause
from skillgen.audit.choice import choose_codes
from skillgen.audit.hit import Hit
from skillgen.audit.report import Report
from skillgen.audit.text import Text
from skillgen.audit.tree import Bundle, Skill
from skillgen.audit.views import make_text
from skillgen.audit.waivers import apply_waivers
from skillgen.model.finding import Edit, Finding, Severity
from skillgen.model.subject import Source, Tree

__all__ = ["Edit", "Hit", "Report", "Rule", "Scope", "Severity", "audit", "choose"]


MOST_HITS = 2_000
"""So many hits of one rule are taken from one text; whoever repairs those finds the rest in the next run."""


class Scope(StrEnum):
    TEXT = "text"
    SKILL = "skill"
    BUNDLE = "bundle"
    MARKETPLACE = "marketplace"


class Rule(Protocol):
    """The shape of a rule module; see this module's docstring."""

    __doc__: str | None
    CODE: str
    TITLE: str
    SEVERITY: Severity
    SCOPE: Scope
    CANCEL_ONLY: bool

    def check(self, subject: Any) -> Iterator[Hit]: ...


def choose(rules: Sequence[Rule], select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """Return the rules whose code starts with a selected prefix and with no ignored one.

    Raises `UsageError` for a prefix that names no rule.
    """
    codes = choose_codes([rule.CODE for rule in rules], select, ignore)
    return tuple(rule for rule in rules if rule.CODE in codes)


def audit(subjects: Iterable[Source | Tree], rules: Sequence[Rule], shell: Any = None) -> tuple[Report, ...]:
    """Hold every subject against the rules; `shell` holds what real shells said about the blocks (may be None)."""
    reports = []
    for subject in subjects:
        if isinstance(subject, Source):
            reports.append(_report(subject.path, "text", [make_text(subject, shell=shell)], [], [], rules))
        else:
            if subject.catalogue:
                root = Bundle(subject, shell)
                chosen = [rule for rule in rules if rule.SCOPE is Scope.MARKETPLACE]
                reports.append(_report(subject.path, "marketplace", [], [], [root], chosen))
                continue
            bundle = Bundle(subject, shell) if subject.bundle else None
            skills = bundle.skills if bundle else (Skill(subject, shell),)
            texts = bundle.texts if bundle else skills[0].texts
            kind = "bundle" if bundle else "skill"
            reports.append(_report(subject.path, kind, texts, skills, [bundle] if bundle else [], rules))
    return tuple(reports)


def _report(
    path: str,
    kind: str,
    texts: Sequence[Text],
    skills: Sequence[Skill],
    bundles: Sequence[Bundle],
    rules: Sequence[Rule],
) -> Report:
    findings: list[Finding] = []
    by_scope: dict[Scope, Sequence[Any]] = {
        Scope.TEXT: texts,
        Scope.SKILL: skills,
        Scope.BUNDLE: bundles,
        Scope.MARKETPLACE: bundles,
    }
    for rule in rules:
        for subject in by_scope[rule.SCOPE]:
            if rule.CANCEL_ONLY and isinstance(subject, Text) and not subject.is_cancel:
                continue
            findings.extend(_stamp(rule, subject, hit) for hit in islice(rule.check(subject), MOST_HITS))
    general = bool(texts) and not any(text.is_cancel for text in texts)
    for text in texts:
        text.release()
    kept, waived = apply_waivers(findings, texts, {rule.CODE for rule in rules})
    return Report(path, kind, one_a_cause(sorted(set(kept), key=_place)), tuple(texts), waived, general)


def _stamp(rule: Rule, subject: Text | Skill | Bundle, hit: Hit) -> Finding:
    path = subject.path
    if hit.path:
        path = f"{subject.root}/{hit.path}"
    return Finding(
        path=path,
        line=hit.line,
        column=hit.column,
        code=rule.CODE,
        severity=hit.severity or rule.SEVERITY,
        message=cut(hit.message),
        repair=cut(hit.repair),
        end_column=hit.end_column,
        edits=hit.edits,
    )


def _place(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.path, finding.line, finding.column, finding.code, finding.message
