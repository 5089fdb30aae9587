"""Hold the cancel order of a rendered text against the contract: items, steps, links, calls."""

from __future__ import annotations

from collections.abc import Iterator

from call_text import Call, Raw, read_acts, read_call
from skill_text import Bundle, Item, Node, plain, spans

from skillgen.model.contract import Contract
from skillgen.model.mode import Mode

SESSION = {"keywords": "<session_id>", "object": "sessionId"}


def words(value: str) -> str:
    """Return a contract's sentence as a reader sees it: one line, code spans without their marks."""
    return " ".join(value.replace("`", "").split())


def calls(node: Node) -> list[Call]:
    return [call for span in spans(node) if (call := read_call(span))]


def acts(node: Node, contract: Contract) -> list[tuple[str, str]]:
    """Return (tool, record) of what a part of the order does, the short words taken as the text defines them."""
    names, found = contract.tools.names, []
    for call in read_acts(node):
        record = str(call.arguments.get("record" if call.style == "short" else contract.tools.arguments.mode))
        if call.tool == "clear":
            found.append((names.clear, record))
        elif call.tool in ("pause", "end"):
            found += [(names.read, record)] if contract.tools.write == "replace" and call.tool == "pause" else []
            found.append((names.write, record))
        else:
            found.append((call.tool, record))
    return found


def short_words_are_defined_as_the_tools_take_them(bundle: Bundle, contract: Contract) -> Iterator[str]:
    """Before the list stands what "clear" and "pause" call, whenever the list uses the word."""
    nodes = bundle.main.section("Cancel order").nodes
    before = next((node for node in nodes if node.type == "paragraph"), None)
    defined = [] if before is None else calls(before)
    names, spelled = contract.tools.names, contract.tools.arguments
    used = {call.tool for item in bundle.order for call in read_acts(item.node) if call.style == "short"}
    for word in sorted(used):
        wanted = {"clear": [names.clear], "pause": [names.write], "end": [names.write]}[word]
        if word == "pause" and contract.tools.write == "replace":
            wanted = [names.read, names.write]
        if before is None or f'"{word}" is' not in plain(before).replace('"End"', '"end"'):
            yield f"{word} is used and not defined"
        elif [call.tool for call in defined if call.tool in wanted and _is(word, call, contract)] != wanted:
            yield f"{word} is not defined as {wanted}"
    for call in (call for call in defined if call.tool in (names.read, names.write, names.clear)):
        if call.arguments.get(spelled.mode) != "<record>":
            yield f"{call.tool} is defined for {call.arguments.get(spelled.mode)}"
        if call.tool == names.write:
            yield from _payload(
                contract, "terminalize" if _is("end", call, contract) else "deactivate", "<record>", call
            )


def _is(word: str, call: Call, contract: Contract) -> bool:
    """Whether a call may be what a short word stands for: of two writes the one with a phase is the end."""
    ends = "current_phase" in call.arguments
    return call.tool != contract.tools.names.write or ends == (word == "end")


def items_of(bundle: Bundle, contract: Contract) -> dict[str, tuple[Item, Node]]:
    """Return for each mode its item and the part of the item that is its own."""
    found = {}
    for item, group in zip(bundle.order, contract.order, strict=False):
        for key in group:
            found[key] = (item, item.part(contract.modes[key].title))
    return found


def one_numbered_list_with_titles_first(bundle: Bundle, contract: Contract) -> Iterator[str]:
    lists = [node for node in bundle.main.section("Cancel order").nodes if node.type == "ordered_list"]
    if len(lists) != 1:
        yield f"{len(lists)} numbered lists"
    numbers = [item.number for item in bundle.order]
    if numbers != [str(number) for number in range(1, len(contract.order) + 1)]:
        yield f"numbers {numbers} for {len(contract.order)} items"
    titles = [item.titles for item in bundle.order]
    expected = [[contract.modes[key].title for key in group] for group in contract.order]
    if titles != expected:
        yield f"titles {titles}, expected {expected}"


def workers_stop_first(bundle: Bundle, contract: Contract) -> Iterator[str]:
    before = bundle.main.section("Cancel order").paragraphs[:1]
    if not before or "Workers stop first" not in plain(before[0]):
        yield "no sentence before the list says that workers stop first"


def each_mode_does_its_action(bundle: Bundle, contract: Contract) -> Iterator[str]:
    placed = items_of(bundle, contract)
    for key, mode in contract.modes.items():
        if key not in placed:
            yield f"{key} has no item"
            continue
        item, part = placed[key]
        got = acts(part, contract)
        yield from (f"{key}: {what}" for what in _action(contract, mode, got, part))
        if len(item.titles) == 1 and mode.label and mode.label not in item.head:
            yield f"{key}: the label {mode.label} is missing"
        if mode.action == "shutdown" and "Team" not in plain(part):
            yield f"{key}: does not point at the section on teams"


def _action(contract: Contract, mode: Mode, got: list[tuple[str, str]], part: Node) -> Iterator[str]:
    names = contract.tools.names
    known = [record for record in mode.records if record not in contract.tools.rejects]
    if mode.action == "clear":
        expected = [(names.clear, record) for record in known]
        if got != expected:
            yield f"calls {got}, expected {expected}"
    elif mode.action == "deactivate":
        reads = contract.tools.write == "replace"
        if not reads and got != [(names.write, record) for record in known]:
            yield f"calls {got}"
        if reads and [call for call in got if call[0] == names.read] != [(names.read, record) for record in known]:
            yield f"does not read each of {known} before it writes"
        if reads and got[:2] != [(names.read, known[0]), (names.write, known[0])]:
            yield f"does not read and write {known[0]} first"
        if (names.clear, known[0]) in got:
            yield "clears what it must keep"
    elif mode.action == "terminalize":
        if got != [(names.write, record) for record in known]:
            yield f"calls {got}"
    elif got:
        yield f"{mode.action} calls {got}"
    if mode.action == "global" and "global pass" not in plain(part):
        yield "does not say that only the global pass stops it"
    for prefix in mode.nested if mode.action == "deactivate" else ():
        if f"{prefix}*" not in spans(part):
            yield f"rows {prefix}* are missing"


def what_the_tools_reject_goes_to_the_script(bundle: Bundle, contract: Contract) -> Iterator[str]:
    for key, (_, part) in items_of(bundle, contract).items():
        mode = contract.modes[key]
        unknown = mode.action != "global" and set(mode.records) <= set(contract.tools.rejects)
        if unknown and f"--mode {key}" not in spans(part):
            yield f"{key}: the tools do not know it, and the script is not named"


def writes_send_what_they_must(bundle: Bundle, contract: Contract) -> Iterator[str]:
    tools = contract.tools
    for key, (_, part) in items_of(bundle, contract).items():
        mode = contract.modes[key]
        for call in calls(part):
            if call.tool == tools.names.write:
                record = str(call.arguments.get(tools.arguments.mode))
                yield from (f"{key}: {what}" for what in _payload(contract, mode.action, record, call))
        if mode.pause_with:
            mark = ": " if tools.style == "object" else "="
            wanted = f'{tools.arguments.payload}{mark}{{{mode.pause_with}: "<exact run id>"}}'
            if wanted not in spans(part):
                yield f"{key}: no write hands back {mode.pause_with}"
            if f"Only if the read had {mode.pause_with}" not in plain(part):
                yield f"{key}: {mode.pause_with} is handed back without its condition"


def _payload(contract: Contract, action: str, record: str, call: Call) -> Iterator[str]:
    arguments = contract.tools.arguments
    given = {name: call.arguments[name] for name in call.arguments if name not in (arguments.mode, arguments.session)}
    if action == "terminalize":
        when = str(given.pop("completed_at", ""))
        own = {name: value.replace("{time}", when) for name, value in contract.outcome_fields.terminalize.items()}
        if given != {"active": False, "current_phase": "cancelled", **own} or not when:
            yield f"a terminal write sends {given}"
        return
    payload = given.pop(arguments.payload or "state", None)
    if arguments.payload_whole:
        if given or not isinstance(payload, Raw) or not payload.endswith("active: false}"):
            yield f"a write sends {given} and {payload}"
    elif given != {"active": False, **contract.outcome_fields.deactivate}:
        yield f"a write sends {given}"
    replaces = contract.tools.write == "replace" and record not in contract.tools.write_merges
    if replaces and "<every other field as read" not in str(payload):
        yield "a replacing write does not send the rest back"
    if not replaces and payload is not None:
        yield "a merging write sends more than it changes"


def links_stand_with_their_owner(bundle: Bundle, contract: Contract) -> Iterator[str]:
    placed = items_of(bundle, contract)
    for key, mode in contract.modes.items():
        section = bundle.text("references/modes.md").section(mode.title)
        told = [plain(item) for item in section.items if plain(item).startswith("Linked")]
        for link in mode.links:
            title = contract.modes[link.to].title
            fields = [field for field in (link.flag, link.names, link.back, link.present) if field]
            if not any(title in line and all(field in line for field in fields) for line in told):
                yield f"modes.md, {key}: the link to {title} with {fields} is missing"
            both = " ".join(plain(placed[name][1]) for name in (key, link.to))
            if title not in both or not all(field in both for field in fields):
                yield f"SKILL.md, {key}: the link to {title} with {fields} is missing"
        if len(told) != len(mode.links):
            yield f"modes.md, {key}: tells {len(told)} links, the contract has {len(mode.links)}"


def details_stand_in_their_item(bundle: Bundle, contract: Contract) -> Iterator[str]:
    for key, (_, part) in items_of(bundle, contract).items():
        for detail in contract.modes[key].detail:
            if words(detail) not in plain(part):
                yield f"{key}: {detail!r} is missing"
        for helper in contract.modes[key].helpers if contract.modes[key].action == "terminalize" else ():
            if helper not in spans(part):
                yield f"{key}: {helper} is not removed"


def the_last_record_comes_last(bundle: Bundle, contract: Contract) -> Iterator[str]:
    nodes = bundle.main.section("Cancel order").nodes
    after = nodes[-1] if nodes and nodes[-1].type == "paragraph" else None
    last = contract.last
    if last.kind == "none":
        if after is not None:
            yield "something follows the cancel order"
    elif after is None:
        yield f"nothing says that {last.record} goes last"
    elif last.kind == "entries":
        if not {last.entries, f"{last.record}-state.json"} <= set(spans(after)):
            yield f"the last step names {spans(after)}"
    elif last.kind == "ledger":
        if last.record not in spans(after) or "by the script alone" not in plain(after) or acts(after, contract):
            yield f"the last step is not the script's alone: {plain(after)}"
    else:
        got = acts(after, contract)
        if got != [(contract.tools.names.clear, last.record)]:
            yield f"the last step calls {got}"


CHECKS = (
    short_words_are_defined_as_the_tools_take_them,
    one_numbered_list_with_titles_first,
    workers_stop_first,
    each_mode_does_its_action,
    what_the_tools_reject_goes_to_the_script,
    writes_send_what_they_must,
    links_stand_with_their_owner,
    details_stand_in_their_item,
    the_last_record_comes_last,
)
