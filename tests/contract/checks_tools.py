"""Hold every call that a rendered text spells against what the flavor's tools take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from call_text import Call, Raw, read_call
from skill_text import Bundle, Section, Text

from skillgen.model.contract import Contract

#: Fields of a record that a write may set beside its payload.
_FIELDS = {"active", "current_phase", "completed_at"}


def tool_names(contract: Contract) -> list[str]:
    return [name for name in contract.tools.names.model_dump().values() if name]


def listing_calls(contract: Contract) -> set[str]:
    tools = contract.tools
    return {call for call in (tools.list_call, tools.list_all_call, tools.status_call) if call}


def records(contract: Contract) -> set[str]:
    found = {record for mode in contract.modes.values() for record in mode.records}
    return found | ({contract.last.record} if contract.last.kind != "none" else set())


def every_call_is_spelled_as_the_tool_takes_it(bundle: Bundle, contract: Contract) -> Iterator[str]:
    for text in bundle.texts():
        for span in text.spans:
            named = [name for name in tool_names(contract) if re.match(re.escape(name) + r"\b", span)]
            if not named or span in named or span in listing_calls(contract):
                continue
            call = read_call(span)
            if call is None:
                yield f"{text.name}: {span} is no call"
                continue
            for what in _call(contract, call):
                yield f"{text.name}: {span}: {what}"


def reaches_others(contract: Contract) -> bool:
    """Whether some form of the command selects every session."""
    flags = contract.flags
    return "all" in (flags.none.scope, flags.force.scope, flags.all.scope, flags.both.scope)


def _call(contract: Contract, call: Call) -> Iterator[str]:
    tools, given = contract.tools, list(call.arguments)
    if call.tool not in (tools.names.read, tools.names.write, tools.names.clear):
        yield "is no call that the contract spells"
        return
    names = tools.arguments
    first = [names.workspace] if names.workspace else []
    first += [names.session, names.mode] if tools.style == "object" else [names.mode, names.session]
    if call.style != tools.style:
        yield f"is not in the style {tools.style}"
    if given[: len(first)] != first:
        yield f"begins with {given[: len(first)]}, not {first}"
    allowed = {names.payload} - {""}
    if not names.payload_whole:
        allowed |= {*contract.outcome_fields.deactivate, *contract.outcome_fields.terminalize}
        allowed |= _FIELDS | ({"state"} if not names.payload else set())
    extra = set(given[len(first) :])
    if extra and call.tool != tools.names.write:
        yield f"takes no {sorted(extra)}"
    if not extra <= allowed:
        yield f"takes no {sorted(extra - allowed)}"
    line = tools.command_line
    if call.options != ((line.argument, *line.switches) if line else ()):
        yield f"is given {call.options}"
    session = call.arguments.get(names.session)
    if tools.style != "object" and session != "<session_id>":
        yield f"names the session {session}"
    if tools.style == "object" and session != Raw(names.session):
        yield f"names the session {session}"
    if call.arguments.get(names.mode) not in records(contract) | {"<record>"}:
        yield f"names a record {call.arguments.get(names.mode)} that the contract does not have"


def no_tool_is_named_but_the_flavors_own(bundle: Bundle, contract: Contract) -> Iterator[str]:
    known = set(tool_names(contract))
    for text in bundle.texts():
        for found in re.findall(
            r"\b(?:mcp__[\w-]+?__)?state_(?:read|write|clear|list_active|get_status|\w+_non_git)\b", text.body
        ):
            query = contract.tools.deferred.query if contract.tools.deferred else ""
            if found not in known and found not in query:
                yield f"{text.name}: the tool {found} is not this flavor's"


def listings_stand_where_the_session_is_found(bundle: Bundle, contract: Contract) -> Iterator[str]:
    tools = contract.tools
    section = bundle.main.section("Session and detection")
    for call in (tools.list_call, tools.status_call):
        if call and call not in section.spans:
            yield f"{call} is missing"
    everything = bundle.main.section("All sessions")
    if not reaches_others(contract):
        if everything.nodes:
            yield "speaks of all sessions, which no form selects"
    elif tools.list_all_call:
        if tools.list_all_call not in everything.spans:
            yield f"{tools.list_all_call} is missing"
    elif contract.store.kind == "files":
        state = f"{contract.root.directory}/{getattr(contract.root, 'state', '')}"
        if f"{state}/{contract.store.sessions}/" not in everything.spans:
            yield "nothing says where all sessions are found"
    if tools.list_all_call not in ("", tools.list_call):
        elsewhere = [title for title, part in bundle.main.sections.items() if tools.list_all_call in part.spans]
        if set(elsewhere) - {"All sessions", f"Cancel {contract.product.name}"}:
            yield f"{tools.list_all_call} stands in {elsewhere}"


def deferred_tools_are_loaded_first(bundle: Bundle, contract: Contract) -> Iterator[str]:
    step = next((item for item in bundle.run if item.titles == ["Tools"]), None)
    deferred = contract.tools.deferred
    rules = Section("Tools", (step.node,)) if step else Section("Tools", ())
    if deferred is None:
        if "deferred" in rules.text:
            yield "speaks of deferred tools"
    elif "deferred" not in rules.text:
        yield "does not say that the tools may be deferred"
    elif deferred.loader and f'{deferred.loader}(query="{deferred.query}")' not in rules.spans:
        yield f"{deferred.loader} is not called with {deferred.query}"


def traps_of_the_tools_are_told(bundle: Bundle, contract: Contract) -> Iterator[str]:
    state = bundle.text("references/state.md").text
    rules = bundle.main.section("Rules").text
    for sentence in contract.tools.dangers:
        if _words(sentence) not in rules:
            yield f"SKILL.md: the danger {sentence!r} is missing"
    for sentence in (*contract.tools.dangers, *contract.tools.replies, *contract.asides):
        if _words(sentence) not in state:
            yield f"state.md: {sentence!r} is missing"
    for sentence in contract.notes:
        if _words(sentence) not in rules:
            yield f"SKILL.md: the note {sentence!r} is missing"
    for name in (
        *tool_names(contract),
        *contract.tools.rejects,
        *contract.tools.rejects_reads,
        *contract.tools.write_merges,
    ):
        if name not in bundle.text("references/state.md").section("State tools").spans:
            yield f"state.md: {name} is missing"
    if _words(contract.tools.list_returns) not in bundle.main.section("Session and detection").text:
        yield "SKILL.md: what a listing returns is missing"


def _words(value: str) -> str:
    return " ".join(value.replace("`", "").split())


#: What no text of any flavor may spell, and why: the verdicts strike it.
FORBIDDEN = {
    "clears every session": r"\bstate_clear\((?![^)]*session)[^)]*\)",
    "clears all": r"\ball(?:_sessions)?\s*[=:]\s*true\b(?<!state_list_active\(all=true)",
    "runs an agent instead of a tool": r"subagent\.py|cancel_signal\.py",
    "deletes branches": r"omni_team\.py\"? cleanup|branch -D|cleanup --force",
    "removes trees": r"\brm -r?f\b",
    "kills sessions by prefix or unquoted": r"kill-session -t (?!\"=)|list-sessions|grep '\^",
    "switches a flag by substring": r"==\s*\*",
    "runs SQL": r"\b(?:DELETE FROM|UPDATE \w+ SET)\b",
}


def forbidden_calls_are_never_spelled(bundle: Bundle, contract: Contract) -> Iterator[str]:
    for text in bundle.texts():
        for why, pattern in FORBIDDEN.items():
            for match in re.finditer(pattern, _without_listings(text, contract)):
                yield f"{text.name}: {match[0]} {why}"


def _without_listings(text: Text, contract: Contract) -> str:
    body = text.body
    for call in listing_calls(contract):
        body = body.replace(f"`{call}`", "")
    return body


CHECKS = (
    every_call_is_spelled_as_the_tool_takes_it,
    no_tool_is_named_but_the_flavors_own,
    listings_stand_where_the_session_is_found,
    deferred_tools_are_loaded_first,
    traps_of_the_tools_are_told,
    forbidden_calls_are_never_spelled,
)
