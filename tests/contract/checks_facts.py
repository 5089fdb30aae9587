"""Hold what a rendered text tells beside the order against the contract: forms, identity, messages, reports, verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from checks_tools import reaches_others
from skill_text import Bundle, Node, plain, spans

from skillgen.model.contract import Contract
from skillgen.model.flags import Selection

FLAGS = {"none": "", "force": " --force", "all": " --all", "both": " --force --all"}


def words(value: str) -> str:
    return " ".join(value.replace("`", "").split())


def _selections(contract: Contract) -> list[Selection]:
    flags = contract.flags
    return [flags.none, flags.force, flags.all, flags.both]


def every_form_says_what_it_selects(bundle: Bundle, contract: Contract) -> Iterator[str]:
    told: dict[str, str] = {}
    for item in bundle.main.section("Forms").items:
        for span in spans(item):
            if span.startswith(contract.command.form):
                told[span] = plain(item).partition(": ")[2]
            elif span not in re.findall("`([^`]+)`", " ".join(form.refused for form in _selections(contract))):
                yield f"{span} is no form"
    same = contract.flags.both in (contract.flags.force, contract.flags.all)
    forms = {name: contract.command.form + flags for name, flags in FLAGS.items()}
    for name, form in forms.items():
        selection = getattr(contract.flags, name)
        if form not in told:
            if not (name == "both" and same):
                yield f"{form} is missing"
            continue
        text = told[form]
        if selection.refused:
            if not text.startswith("refused; do nothing") or words(selection.refused) not in text:
                yield f"{form}: {text!r}, but it is refused: {selection.refused}"
            continue
        if ("every session" in text) != (selection.scope == "all") or ("this session" in text) == (
            selection.scope == "all"
        ):
            yield f"{form}: {text!r}, but the scope is {selection.scope}"
        if ("not waited for" in text) != (selection.urgency == "forced"):
            yield f"{form}: {text!r}, but the urgency is {selection.urgency}"
        if ("global pass" in text) != (selection.scope == "all" and bool(contract.global_pass.artifacts)):
            yield f"{form}: {text!r} about the global pass"
    yield from (f"{span} is no form" for span in told if span not in forms.values())


def all_ways_to_invoke_it_are_named(bundle: Bundle, contract: Contract) -> Iterator[str]:
    forms = bundle.main.section("Forms")
    for way in (*contract.command.also, *contract.command.keywords):
        if way not in forms.spans:
            yield f"{way} is missing"
    if words(contract.command.matching) not in forms.text:
        yield f"{contract.command.matching!r} is missing"
    known = {*contract.command.also, *contract.command.keywords, *re.findall("`([^`]+)`", contract.command.matching)}
    for paragraph in forms.paragraphs:
        for span in spans(paragraph):
            if span not in known and not span.startswith("--"):
                yield f"{span} invokes nothing"


def the_session_is_found_as_the_contract_says(bundle: Bundle, contract: Contract) -> Iterator[str]:
    identity = contract.identity
    for text, section in (("SKILL.md", "Session and detection"), ("references/state.md", "Identity")):
        part = bundle.text(text).section(section)
        # Where the host fills the id in, the run has it, and which variables the script reads is a matter of the reference.
        filled = text == "SKILL.md" and contract.host.session
        variables = [] if filled else list(getattr(identity, "variables", ()))
        found = [span for span in part.spans if re.fullmatch(r"[A-Z][A-Z0-9_]+", span)]
        if list(dict.fromkeys(found)) != variables:
            yield f"{text}: variables {found}, expected {variables}"
        if identity.pattern not in part.spans:
            yield f"{text}: the pattern {identity.pattern} is missing"
        if words(identity.note) not in part.text:
            yield f"{text}: {identity.note!r} is missing"
    told = bundle.main.section("Session and detection").text
    follows = {"refuse": "refuse", "root": "slot", "root-if-unclaimed": "ask for the id"}
    if follows[identity.missing] not in told or any(
        words in told for key, words in follows.items() if key != identity.missing and words != "slot"
    ):
        yield f"what follows from a missing id is not {identity.missing}"


def records_stand_where_they_lie(bundle: Bundle, contract: Contract) -> Iterator[str]:
    root, store = contract.root, contract.store
    detection = bundle.main.section("Session and detection")
    state = bundle.text("references/state.md").section("Where it lies")
    if store.kind == "files":
        base = f"{root.directory}/{getattr(root, 'state', '')}"
        record = f"{base}/{store.sessions}/<session_id>/{store.record.replace('{mode}', '<mode>')}"
        if record not in detection.spans or record not in state.spans:
            yield f"{record} is missing"
        if f"{base}/" not in state.spans:
            yield f"{base}/ is missing"
        for field in store.owner:
            if field.replace("/", ".") not in state.spans:
                yield f"the owner's field {field} is missing"
        for slot in store.slots:
            place = "/".join(["~" if slot.at == "home" else root.directory, *filter(None, [slot.path])])
            place = f"{place}/{store.record}".replace("{session}", "<session_id>").replace("{mode}", "<mode>")
            item = next((item for item in state.items if place in spans(item)), None)
            words = [*slot.records, *filter(None, [slot.project])]
            if item is None or not set(words) <= set(spans(item)):
                yield f"state.md: the slot {place} with {words} is missing"
            elif ("or nobody" in plain(item)) != (slot.ownerless == "own"):
                yield f"state.md: what has no owner in {place} is not {slot.ownerless}"
        if store.lock.kind == "mutation-file":
            for name in (f"<record>{store.lock.suffix}", store.lock.team_suffix, store.lock.ledger_suffix):
                if name not in state.spans:
                    yield f"the lock {name} is missing"
    else:
        for name in (store.table, *store.inactive_states):
            if name not in detection.spans:
                yield f"{name} is missing"
        for name in (store.table, store.mode, store.session, store.body, store.updated):
            if name not in state.spans:
                yield f"state.md: {name} is missing"
    for name, value in root.model_dump(mode="json").items():
        given = value if isinstance(value, list) else [value]
        if name.endswith(("variable", "variables", "marker")):
            yield from (f"state.md: {one} is missing" for one in given if one and one not in state.spans)
    for value in getattr(root, "override", None) or ():
        if value[1] not in state.spans:
            yield f"state.md: {value[1]} is missing"
    if f"{contract.stale_s // 3600} hours" not in detection.text:
        yield "the age of a stale record is missing"


def every_message_stands_word_for_word(bundle: Bundle, contract: Contract) -> Iterator[str]:
    report = bundle.main.section("Report").text
    widest = [contract.messages.force] if reaches_others(contract) else []
    for message in (contract.messages.none, *widest):
        if f'"{words(message)}' not in report:
            yield f"SKILL.md: {message!r} is missing"
    if words(contract.messages.none_hint) not in report:
        yield f"SKILL.md: {contract.messages.none_hint!r} is missing"
    modes = bundle.text("references/modes.md")
    for key, mode in contract.modes.items():
        section = modes.section(mode.title)
        for message in (mode.message, mode.message_more, mode.linked_message):
            if message and f'"{words(message)}"' not in section.text:
                yield f"modes.md, {key}: {message!r} is missing"
        told = [plain(item) for item in section.items if plain(item).startswith("Message")]
        if told != [f'Message: "{words(mode.message)}"']:
            yield f"modes.md, {key}: tells {told}"


def every_mode_is_told_of(bundle: Bundle, contract: Contract) -> Iterator[str]:
    modes = bundle.text("references/modes.md")
    for key, mode in contract.modes.items():
        section = modes.section(mode.title)
        if words(mode.does) not in section.text:
            yield f"{key}: what it does is missing"
        names = [
            key,
            *mode.records,
            *mode.markers,
            *(f"{prefix}*" for prefix in mode.nested),
            *(name.replace("{mode}", mode.records[0]) for name in mode.helpers),
        ]
        yield from (f"{key}: {name} is missing" for name in names if name not in section.spans)
        if ("Retired: " in section.text) != mode.retired:
            yield f"{key}: retired is {mode.retired}, the text says otherwise"
        if mode.settings:
            wanted = [mode.settings.file, mode.settings.field, mode.settings.running, mode.settings.stopped]
            wanted += [f"{contract.root.directory}/{root}" for root in mode.settings.roots]
            yield from (f"{key}: {name} is missing" for name in wanted if name not in section.spans)
    rows = modes.tables[0] if modes.tables else []
    titles = [plain(row[0]) for row in rows]
    if titles != [mode.title for mode in contract.modes.values()]:
        yield f"the table of what is kept has rows {titles}"
        return
    for row, mode in zip(rows, contract.modes.values(), strict=True):
        if plain(row[1]) != words(mode.keeps or "nothing"):
            yield f"{mode.title} keeps {plain(row[1])!r}, expected {mode.keeps!r}"
        if spans(row[2]) != list(mode.resume):
            yield f"{mode.title} resumes with {spans(row[2])}, expected {list(mode.resume)}"


def reports_have_their_lines(bundle: Bundle, contract: Contract) -> Iterator[str]:
    report = bundle.main.section("Report").text
    for line in contract.report:
        if words(line) not in report:
            yield f"SKILL.md: {line!r} is missing"
    fences = [
        fence
        for fence in bundle.text("references/team.md").fences
        if fence.content.split("\n")[:-1] == list(contract.team.report)
    ]
    if len(fences) != 1:
        yield "team.md: the report on a team is missing or differs"


def the_rest_of_the_host_is_told(bundle: Bundle, contract: Contract) -> Iterator[str]:
    state = bundle.text("references/state.md")
    host = state.section("Host")
    for sentence in (contract.host.name, contract.host.agent, contract.stop_hook):
        if words(sentence) not in host.text:
            yield f"state.md: {sentence!r} is missing"
    if not contract.stop_hook and "No stop hook" not in host.text:
        yield "state.md: does not say that there is no stop hook"
    signal = contract.signal
    names = [
        str(value)
        for name, value in signal.model_dump(mode="json").items()
        if name in ("file", "source", "never_mode", "reason")
    ]
    names += list(getattr(signal, "modes", ()))
    yield from (f"state.md: {name} of the signal is missing" for name in names if name not in host.spans)
    if signal.kind == "session-file" and f"{signal.ttl_ms} ms" not in host.text:
        yield "state.md: the signal's life is missing"
    if contract.last.kind != "none" and contract.last.record not in host.spans:
        yield f"state.md: {contract.last.record} is missing"
    limits = _limits(state.section("Script").paragraphs)
    if limits != list(contract.fallback.never):
        yield f"state.md: the shell script never touches {limits}, expected {list(contract.fallback.never)}"


def _limits(paragraphs: list[Node]) -> list[str]:
    """Return what stands as code behind the word `never`."""
    for paragraph in paragraphs:
        inline = paragraph.children[0].children
        for number, child in enumerate(inline):
            if child.type == "text" and "never " in child.content:
                found = []
                for later in inline[number + 1 :]:
                    if later.type == "code_inline":
                        found.append(later.content)
                    elif "." in later.content:
                        return found
                return found
    return []


def verdicts_are_listed(bundle: Bundle, contract: Contract) -> Iterator[str]:
    if not contract.verdicts:
        return
    told = [plain(item) for item in bundle.text("references/state.md").section("Verdicts").items]
    expected = [f"{verdict.id}: {words(verdict.says)}" for verdict in contract.verdicts]
    if told != expected:
        yield f"verdicts differ: {sorted(set(told) ^ set(expected))}"


CHECKS = (
    every_form_says_what_it_selects,
    all_ways_to_invoke_it_are_named,
    the_session_is_found_as_the_contract_says,
    records_stand_where_they_lie,
    every_message_stands_word_for_word,
    every_mode_is_told_of,
    reports_have_their_lines,
    the_rest_of_the_host_is_told,
    verdicts_are_listed,
)
