"""Join the steps of `adopt`: read facts, choose a base, work out the flavor, prove it, account for every fact."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from skillgen.build.inputs import Inputs
from skillgen.errors import InputError, Problem, UsageError
from skillgen.model.resolved import value_at

if TYPE_CHECKING:
    from skillgen.adopt.deciding import Decided
    from skillgen.adopt.ledger import Ledger
    from skillgen.adopt.wanted import Target
    from skillgen.audit.report import Report
    from skillgen.audit.text import Text
    from skillgen.build.contracts import Documents
    from skillgen.load.repository import Repository
    from skillgen.model.pin import Pin
    from skillgen.model.question import Answer, Path, Question
    from skillgen.sync.whole import Whole

_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Adopted:
    text: str
    base: str
    contract: dict[str, Any]
    """What the flavor resolves to with the least in place of what is open."""
    changed: int
    ledger: Ledger
    fixed: int
    questions: tuple[Question, ...]
    """What is open in the flavor; nothing is built of it before each has its answer."""
    least: tuple[Path, ...]
    """Values that harm least, since the text does not speak of them."""
    answered: Mapping[Path, Answer]
    reading: Reading
    pin: bytes
    """What lies beside the flavor: the facts of the text that a newer one is held against."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The text that an answer is held against."""

    path: str
    text: Text
    whole: Whole


class Answers(Protocol):
    """Somebody who answers: a file, or a maintainer on the terminal."""

    def answer(self, questions: Sequence[Question], target: Target, reading: Reading) -> Mapping[Path, Answer]:
        """Return the answers that hold; asked again with what is still open, and with what an answer opened."""


ANSWERED = "Answered, and by what:"
SAFEST = "nobody says so; it harms least (--safest)"


def adopt_text(
    path: str,
    id_: str,
    inputs: Inputs,
    wanted: str | None,
    *,
    answers: Answers | None = None,
    safest: bool = False,
) -> Adopted:
    """Return the flavor file for a text; what neither it nor an answer says is open, or with `safest` what harms least.

    Raises UsageError where the text carries no flavor, InputError where it cannot be read.
    """
    from skillgen.adopt.deciding import decide
    from skillgen.adopt.evidence import Evidence
    from skillgen.adopt.gate import find_indecision, refusal
    from skillgen.adopt.ledger import judge
    from skillgen.adopt.names import find_names
    from skillgen.adopt.nearest import nearest
    from skillgen.adopt.records import shared_record
    from skillgen.adopt.target import find_target
    from skillgen.adopt.wanted import Skill
    from skillgen.build.contracts import Documents
    from skillgen.load.repository import read_repository
    from skillgen.model.node import plain
    from skillgen.model.pin import dump_pin
    from skillgen.reader.lexicon import spoken
    from skillgen.sync.around import Around

    alone, report, whole = _read_skill(path)
    text = whole.text
    reading = Reading(path, text, whole)
    documents = Documents(inputs, list(inputs.files.paths))
    if documents.problems:
        raise InputError(documents.problems)
    contracts = {name: found.contract for name in documents.flavors if (found := documents.resolve(name))}
    repository = read_repository(path)
    pin = _pin(repository, alone)
    around = Around(repository, whole.where, pin.upstream if pin.upstream["sha256"] else None)
    facts = around.facts(text.facts)
    evidence = Evidence(text.source.text, around.where)
    names = find_names(facts, evidence, contracts)
    if why := refusal(facts, names):
        raise UsageError(
            f"{path}: {why}",
            "write the flavor by hand (skillgen new ID), or keep the text and hold it with skillgen audit",
        )
    if not wanted and (why := find_indecision(facts, contracts)):
        raise UsageError(f"{path}: {why}", f"name one with --base ({', '.join(contracts)})")
    base = wanted or nearest(facts, contracts, evidence)
    assert documents.skill is not None
    skill = Skill.of(plain(documents.skill))
    given: dict[Path, Answer] = {}
    while True:
        target = find_target(facts, evidence, names, contracts[base], skill, answers=given, around=around)
        decided = decide(target)
        # An answer may take the ground from under another question, or open one.
        more = answers.answer(decided.questions, target, reading) if answers and decided.questions else {}
        if not more:
            break
        given.update(more)
    if file := shared_record(target):
        raise UsageError(
            f"{path}: its modes share the record {file}, and a flavor keeps one record a mode; write the flavor by hand (skillgen new ID)"
        )
    values, result = _prove(path, id_, target, documents)
    below = contracts[base].model_dump(mode="json")
    ledger = judge(text.facts, target.renames.keys, result, below)
    faults = _faults(report, text, target, result)
    carried = [what for _, what in _find_carried(report, text, result)]
    if language := spoken(text.source.text):
        carried.append(
            f"language: The text is in {language}; what the bundle says of itself is in English. Messages are the text's."
        )
    changed = sum(1 for _ in _iterate_leaves(values)) if values else 0
    marks = _mark(values, target, decided, safest)
    content = _write(path, values, result, target, ledger, faults, carried, marks, decided)
    assert _resolve_text(path, id_, content, documents) == result
    questions = () if safest else tuple(decided.questions)
    if questions:
        for question in questions:
            for key in question.stands:
                _set_at(
                    values, key, {"unknown": question.text, "base": question.base[key], "least": question.least[key]}
                )
        content = _write(path, values, result, target, ledger, faults, carried, marks, decided)
    return Adopted(
        content,
        base,
        result,
        changed,
        ledger,
        len(faults),
        questions,
        tuple(decided.least),
        given,
        reading,
        dump_pin(pin),
    )


def _mark(values: dict[str, Any], target: Target, decided: Decided, safest: bool) -> dict[Path, str]:
    """Write out what was answered and what is taken for the least, though the base may say the same; return who says so."""
    marks = {}
    for key, answer in target.answers.items():
        value = value_at(target.data, key)
        if value is not None or answer.value is None:
            at = key if value is not None else key[:1]
            marks[at] = answer.mark
            _set_at(values, at, value)
    for question in decided.questions:
        for key in question.stands:
            _set_at(values, key, question.least[key])
            if safest:
                marks[key] = SAFEST
    return marks


def _set_at(values: dict[str, Any], path: Path, value: Any) -> None:
    for step in path[:-1]:
        below = values.get(step)
        values[step] = values = below if isinstance(below, dict) else {}
    values[path[-1]] = value


def _read_skill(path: str) -> tuple[Text, Report, Whole]:
    """Return the text of the cancel skill, its report, and the text with its references and commands, each line with its place."""
    from skillgen.audit.engine import audit
    from skillgen.audit.rules import all_rules
    from skillgen.load.subjects import load_subjects
    from skillgen.sync.whole import Whole

    subjects, problems = load_subjects([path])
    if problems:
        raise InputError(problems)
    reports = audit(subjects, all_rules())
    every = [(text, report) for report in reports for text in report.texts if str(text.kind) != "reference"]
    found = [(text, report) for text, report in every if text.is_cancel]
    skills = {text.root for text, _ in found if text.path.endswith("/SKILL.md")}
    # What lies in the directory of a skill is part of it.
    found = [
        (text, report) for text, report in found if text.root in skills or text.root.rpartition("/")[0] not in skills
    ]
    named = [(text, report) for text, report in every if "cancel" in text.front.string("name")]
    if not found and len(named) == 1 and len(named[0][0].facts.modes()) < 2:
        found = named  # what the text lacks says more than that it was not recognised
    if len(found) != 1:
        if found:
            raise UsageError(f"{path}: it holds {len(found)} cancel skills; name one")
        raise UsageError(f"{path}: no cancel skill was recognised in it; name the file that tells how to cancel")
    text, report = found[0]
    return text, report, Whole.of(text, report.texts)


def pin_text(path: str) -> bytes:
    """Return the facts of a text as they lie beside its flavor; the text carries a cancel skill."""
    from skillgen.load.repository import read_repository
    from skillgen.model.pin import dump_pin

    return dump_pin(_pin(read_repository(path), _read_skill(path)[0]))


def _pin(repository: Repository, text: Text) -> Pin:
    """Return the facts of the text alone, and the release that it is of; what is not known of that is ''."""
    import hashlib
    import os

    from skillgen.load.files import read
    from skillgen.model.pin import Pin, kept

    package, version = repository.release
    inside = os.path.isfile(text.path) and bool(repository.root)
    path = os.path.relpath(os.path.realpath(text.path), repository.root) if inside else os.path.basename(text.path)
    digest = hashlib.sha256(read(text.path)).hexdigest() if os.path.isfile(text.path) else ""
    upstream = {"package": package, "version": version, "path": path.replace(os.sep, "/"), "sha256": digest}
    return Pin(upstream, tuple(kept(text.facts.every)))


def _prove(path: str, id_: str, target: Target, documents: Documents) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values that, laid over the base, give the target, and the contract that they resolve to.

    What placeholders of the base bring along by themselves is not written: first the names, then what is left.
    """
    from skillgen.adopt.difference import difference, without_defaults

    below = target.base.model_dump(mode="json")
    names = {key: value for key, value in target.data.items() if key in _FIRST}
    values = difference(names, below)
    if "modes" in values:
        values["modes"] = without_defaults(values["modes"], below["modes"], target.skill.mode, target.skill.pool)
    if target.described:
        values.setdefault("front", {})["description"] = target.described
    for _ in range(_ROUNDS):
        now = _resolve_text(path, id_, _write_bare(target, values), documents)
        left = difference(target.data, now)
        if not left:
            return values, now
        values = _overlay(values, left)
    raise AssertionError(f"{path}: the flavor does not settle: {left}")


#: Sections that name modes or fill placeholders; they have to agree before the rest can be compared.
_FIRST = frozenset(
    [
        "host",
        "product",
        "plugin",
        "command",
        "root",
        "store",
        "identity",
        "modes",
        "order",
        "flags",
        "fallback",
        "tools",
        "signal",
        "last",
        "team",
        "bridge",
        "global_pass",
    ]
)


def _write_bare(target: Target, values: Mapping[str, Any]) -> str:
    from skillgen.adopt.evidence import Evidence
    from skillgen.adopt.writing import Notes, write_flavor

    notes = Notes({}, Evidence(""), "", {}, {})
    return write_flavor(target.base.flavor, target.base.revision, values, "", notes, ())


def _resolve_text(path: str, id_: str, content: str, documents: Documents) -> dict[str, Any]:
    """Return the contract of a flavor file that is not written; its problems are told of the text, which the user has."""
    from skillgen.load.flavors import parse_mapping
    from skillgen.resolve.contract import resolve

    found: list[Problem] = []
    node = parse_mapping(f"{id_}.yaml", content.encode(), found)
    contract = None
    if node is not None and documents.skill is not None:
        layers = {**documents.flavors, id_: node}
        contract = resolve(
            id_, documents.skill, layers, {**documents.known, id_: f"{id_}.yaml"}, documents.hosts, found
        )
    if contract is None:
        wrong = "; ".join(f"{one.what}, {one.repair}" for one in found)
        repair = "mend the text, or write the flavor by hand (skillgen new ID)"
        raise UsageError(f"{path}: what it says makes no sound flavor: {wrong}", repair)
    return contract.contract.model_dump(mode="json")


def _faults(report: Report, text: Text, target: Target, result: dict[str, Any]) -> list[tuple[int, str]]:
    from skillgen.model.finding import Severity

    kept = {code for code, _ in _find_carried(report, text, result)}
    found = [
        (finding.line, f"{finding.message} ({finding.code})")
        for finding in report.findings
        if finding.path == text.path and finding.severity is not Severity.NOTE and finding.code not in kept
    ]
    return sorted({*target.fixed, *found})


def _write(
    path: str,
    values: dict[str, Any],
    result: dict[str, Any],
    target: Target,
    ledger: Ledger,
    faults: list[tuple[int, str]],
    carried: list[str],
    marks: Mapping[Path, str],
    decided: Decided,
) -> str:
    from skillgen.adopt.evidence import shown
    from skillgen.adopt.inherited import inherited
    from skillgen.adopt.ledger import worded
    from skillgen.adopt.renames import one_key
    from skillgen.adopt.writing import Listing, Notes, write_flavor

    base = target.base
    below = base.model_dump(mode="json")
    counts = f"{ledger.total} facts: {len(ledger.placed)} placed, {len(ledger.equal)} equal to {base.flavor}, {len(ledger.unplaced)} without a place"
    held = [one_key(fact, target.renames.keys) for fact in (*ledger.placed, *ledger.equal)]
    unplaced = sorted({(fact.line, worded(fact)) for fact in ledger.unplaced})
    order = (
        []
        if ("order", "") not in target.lines
        else [f"order: {', '.join(key for group in result['order'] for key in group)}"]
    )
    told = [".".join(key) for key in (*decided.least, *target.answers)]
    told += [".".join(key) for question in decided.questions for key in (*question.keys, *question.stands)]
    listings = (
        Listing(
            "The text gives no order; this one is the base's for what both have, then the text's sequence:",
            tuple(order),
        ),
        Listing(
            ANSWERED,
            tuple(
                f"{'.'.join(key)}: {json.dumps(answer.value, ensure_ascii=False)} ({answer.mark})"
                for key, answer in target.answers.items()
            ),
        ),
        Listing(
            "The text does not speak of these; what harms least holds, whatever the base says:",
            tuple(f"{'.'.join(key)}: {shown(value)}" for key, value in decided.least.items()),
        ),
        Listing("These values still speak of the base; write your own:", tuple(target.residue)),
        Listing(
            f"The text does not say this; it is as in {base.flavor}, or made from your names. Check that it is true of your product:",
            (
                *_not_in(set(told), inherited(result, below, held, target.lines, target.evidence)),
                *_find_made(target),
                *carried,
            ),
        ),
        Listing(
            "Forbidden by the text, or said in words that nobody can be sure of; the milder is done instead:",
            tuple(
                f"{', '.join(map(target.evidence.where, fact.lines or (fact.line,)))}: {worded(fact)} ({'forbidden' if fact.stance == 'denied' else 'not certain'})"
                for fact in sorted((*target.facts.denied, *target.facts.unsure), key=lambda fact: fact.line)
            ),
        ),
        Listing(
            f"Could not be placed ({counts}); decide by hand:",
            tuple(f"{target.evidence.where(line)}: {what}" for line, what in unplaced),
        ),
        Listing(
            "Not carried over, since the base does it right:",
            tuple(f"{target.evidence.where(line)}: {what}" for line, what in faults),
        ),
    )
    notes = Notes(target.lines, target.evidence, base.flavor, target.derived(), marks)
    source = path.rstrip("/").rpartition("/")[2]
    return write_flavor(base.flavor, base.revision, values, source, notes, listings)


def _not_in(told: set[str], rows: list[str]) -> list[str]:
    """Leave out of a listing of values those that are open, answered or the least: they are not the base's."""
    return [row for row in rows if row.partition(": ")[0] not in told]


def _find_made(target: Target) -> Iterator[str]:
    """Yield what was neither read nor taken from the base, but made: messages, and lists made of the modes' records."""
    if target.kin:
        return
    modes = target.data["modes"]
    made = [key for key in modes if ("modes", key, "message") not in target.lines]
    if made:
        yield f"messages: made from the titles of {', '.join(made)}"
    paths = [item["path"] for item in target.data["global_pass"]["artifacts"]]
    if listed := [path for path in paths if not target.lines.get(("global_pass", "artifacts", path))]:
        yield f"global_pass.artifacts: made of the modes' records: {', '.join(listed)}"


def _find_carried(report: Report, text: Text, result: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the code and what to check of each fault that the flavor takes over from the text, since it is a fact."""
    from skillgen.adopt.hosts import set_variable

    directory = result["root"]["directory"]
    for finding in report.findings:
        if finding.path == text.path and finding.code == "SG608" and f"{directory}/" in finding.message:
            yield (
                "SG608",
                f"root.directory: {directory} is another product's; where both are installed each clears the other's records",
            )
            break
    variables = result["identity"].get("variables", [])
    host = result["host"]
    if variables and (sets := set_variable(host["id"])) and sets not in variables:
        yield "SG304", f"identity.variables: {host['name']} sets {sets} and none of these; put it before them"


def _overlay(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    out = dict(below)
    for key, value in above.items():
        old = out.get(key)
        same = isinstance(old, dict) and isinstance(value, dict) and value.get("kind", None) in (None, old.get("kind"))
        out[key] = _overlay(old, value) if same and isinstance(old, dict) else value
    return out


def _iterate_leaves(value: Any) -> Any:
    if isinstance(value, dict) and value:
        for child in value.values():
            yield from _iterate_leaves(child)
    else:
        yield value
