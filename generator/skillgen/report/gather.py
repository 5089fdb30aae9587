"""Gather what the report shows: contracts, their differences, grades of the bundles, states of forks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

from skillgen import __version__
from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.conform.proof import load_proof
from skillgen.conform.verdict import LAWS
from skillgen.drift.meaning import json_changes
from skillgen.model.fork import State
from skillgen.report.data import Fork, Grade, Page, Proven, plain_changes
from skillgen.sync.bases import Bases
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import Fork as Checked
from skillgen.sync.on_disk import stand_of
from skillgen.sync.run import Outcome, Wish, go_through
from skillgen.sync.targets import Targets


def gather(inputs: Inputs, ids: Sequence[str], forks: Sequence[str], own: Sequence[str], day: str = "") -> Page:
    """Return the page's data; raises InputError or UsageError as the commands do that show the same.

    Without `ids` it is of all flavors, and with forks of those that they carry.
    """
    targets = Targets(inputs)
    for id_ in ids:
        inputs.known(id_)
    wish = Wish(tuple(forks), "", "check", "", False, False)
    examiner = Examiner(targets, Bases(targets, own), contents=False)
    outcomes = go_through(wish, examiner)
    carried = {id_ for one in outcomes if one.fork for id_ in (one.fork.recorded.id, one.fork.target.id)}
    every = [id_ for id_ in inputs.files.paths if not carried or id_ in carried] or list(inputs.files.paths)
    chosen = list(dict.fromkeys(ids)) or every
    resolved = resolve_all(inputs, chosen)
    contracts = {id_: one.contract.model_dump(mode="json") for id_, one in resolved.items()}
    changes = {
        f"{a} {b}": plain_changes(json_changes(contracts[a], contracts[b]))
        for a in contracts
        for b in contracts
        if a != b
    }
    states = [_fork(outcome, wish) for outcome in outcomes]
    proofs = {id_: _gather_proof(id_, inputs) for id_ in chosen}
    return Page(contracts, changes, _grades(targets, chosen), __version__, proofs, states, day)


def _gather_proof(id_: str, inputs: Inputs) -> Proven | None:
    proof = load_proof(id_, inputs.files.paths[id_])
    if proof is None:
        return None
    laws = {law: says for law, says in LAWS.items() if any(law in row for row in proof.table.values())}
    reasons = tuple(reason.model_dump() for reason in proof.reasons)
    return Proven(f"{proof.program} {proof.version}", proof.barred, proof.missing, laws, proof.table, reasons)


def _fork(outcome: Outcome, wish: Wish) -> Fork:
    fork = outcome.fork
    if fork is None:
        return Fork(outcome.root, "", 2, error=outcome.error)
    shown = [file for file in fork.files if file.state is not State.CURRENT or file.detail]
    rows = tuple(
        {"path": file.path, "state": file.state.value, "edited": file.edited, "detail": file.detail} for file in shown
    )
    return Fork(outcome.root, fork.title, outcome.code(wish), rows, len(fork.files) - len(shown), grade=_on_disk(fork))


def _on_disk(fork: Checked) -> Grade | None:
    standing = stand_of(fork)
    if standing is None:
        return None
    words = tuple(
        f"{os.path.relpath(one.path, fork.root)}:{one.line}: {one.code} {one.message}" for one in standing.findings
    )
    return Grade(standing.grade, standing.errors, len(standing.findings) - standing.errors, 0, words)


def _grades(targets: Targets, ids: Sequence[str]) -> dict[str, Grade]:
    """Audit the bundles as they would be written now."""
    from skillgen.audit.engine import audit
    from skillgen.audit.grade import grade
    from skillgen.audit.rules import all_rules
    from skillgen.load.subjects import load_subjects
    from skillgen.pack.write import Writer

    found = {}
    with tempfile.TemporaryDirectory(prefix="skillgen-") as top:
        for id_ in ids:
            with Writer(os.path.join(top, id_)) as writer:
                for path, file in targets.render(id_)[1].items():
                    writer.stage(path, file.data, file.mode)
                writer.commit()
            subjects, _ = load_subjects([os.path.join(top, id_)])
            findings = [finding for report in audit(subjects, all_rules()) for finding in report.findings]
            levels = [str(finding.severity) for finding in findings]
            counts = (levels.count("error"), levels.count("warning"), levels.count("note"))
            words = tuple(
                f"{finding.path[len(top) + 1 :]}:{finding.line}: {finding.code} {finding.message}"
                for finding in findings
            )
            found[id_] = Grade(grade(findings), counts[0], counts[1], counts[2], words)
    return found
