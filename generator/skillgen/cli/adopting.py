"""Join the steps of `adopt`: read facts, find the nearest flavor, write and prove the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skillgen.cli.inputs import Inputs
from skillgen.errors import InputError, Problem, UsageError

#: Sections that name modes or fill placeholders; they have to agree before the rest can be compared.
_FIRST = frozenset(
    {
        "product",
        "plugin",
        "command",
        "root",
        "identity",
        "modes",
        "order",
        "flags",
        "fallback",
        "tools",
        "signal",
        "last",
    }
)


@dataclass(frozen=True, slots=True)
class Adopted:
    text: str
    base: str
    changed: int
    unplaced: int
    fixed: int


def adopt_text(path: str, id_: str, inputs: Inputs, wanted: str | None) -> Adopted:
    """Return the flavor file for a text; raises InputError where it cannot be read or the result would not load."""
    from skillgen.adopt.difference import difference, without_defaults
    from skillgen.adopt.nearest import nearest
    from skillgen.adopt.target import find_target
    from skillgen.adopt.writing import write_flavor
    from skillgen.audit.engine import audit
    from skillgen.audit.rules import all_rules
    from skillgen.cli.contracts import Documents
    from skillgen.load.flavors import parse_mapping
    from skillgen.load.subjects import load_subjects
    from skillgen.model.finding import Severity
    from skillgen.model.node import plain
    from skillgen.resolve.contract import resolve

    subjects, problems = load_subjects([path])
    if problems:
        raise InputError(problems)
    reports = audit(subjects, all_rules())
    texts = [text for report in reports for text in report.texts if text.is_cancel and str(text.kind) != "reference"]
    if len(texts) != 1:
        what = "no cancel skill was recognised in it" if not texts else f"it holds {len(texts)} cancel skills; name one"
        raise UsageError(f"{path}: {what}")
    text = texts[0]
    facts = text.facts
    documents = Documents(inputs, list(inputs.files.paths))
    if documents.problems:
        raise InputError(documents.problems)
    contracts = {name: found.contract for name in documents.flavors if (found := documents.resolve(name))}
    base = wanted or nearest(facts, contracts)[0]
    assert documents.skill is not None
    defaults: dict[str, Any] = plain(documents.skill.mapping()["mode"])  # type: ignore[assignment]
    target = find_target(facts, contracts[base], defaults)
    faults = [
        (finding.line, f"{finding.message} ({finding.code})")
        for report in reports
        for finding in report.findings
        if finding.path == text.path and finding.severity is not Severity.NOTE
    ]
    shown = path.rstrip("/").rpartition("/")[2]
    lines = dict(target.lines)

    def written(values: dict[str, Any]) -> str:
        return write_flavor(
            base,
            contracts[base].revision,
            values,
            lines,
            shown,
            unplaced=target.unplaced,
            fixed=[*target.fixed, *faults],
            check=target.check,
        )

    def resolved(content: str) -> dict[str, Any]:
        found: list[Problem] = []
        node = parse_mapping(f"{id_}.yaml", content.encode(), found)
        contract = None
        if node is not None and documents.skill is not None:
            layers = {**documents.flavors, id_: node}
            contract = resolve(id_, documents.skill, layers, {**documents.known, id_: f"{id_}.yaml"}, found)
        if contract is None:
            raise InputError(found)
        return contract.contract.model_dump(mode="json")

    below = contracts[base].model_dump(mode="json")
    # What placeholders of the base bring along by themselves is not written: first the names, then what is left.
    names = {key: value for key, value in target.data.items() if key in _FIRST}
    first = difference(names, below)
    if "modes" in first:
        first["modes"] = without_defaults(first["modes"], below["modes"], defaults)
    values = first
    for _ in range(3):
        now = resolved(written(values))
        left = difference(target.data, now)
        if not left:
            break
        if "modes" in left:
            left["modes"] = without_defaults(left["modes"], now["modes"], defaults)
        values = _over(values, left)
    content = written(values)
    resolved(content)
    changed = sum(1 for _ in _leaves(values)) if values else 0
    return Adopted(content, base, changed, len(set(target.unplaced)), len({*target.fixed, *faults}))


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    out = dict(below)
    for key, value in above.items():
        old = out.get(key)
        out[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return out


def _leaves(value: Any) -> Any:
    if isinstance(value, dict) and value:
        for child in value.values():
            yield from _leaves(child)
    else:
        yield value
