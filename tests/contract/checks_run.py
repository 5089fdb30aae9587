"""Hold the run that a text begins with against the contract: its steps, its command, what it needs no second reading for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from call_text import read_acts
from skill_text import Bundle, Item, plain, spans

from skillgen.model.contract import Contract


def steps(contract: Contract) -> list[str]:
    """Return the titles of the steps, in their order."""
    team = next((mode.title for mode in contract.modes.values() if mode.action == "shutdown"), "Team")
    there = {
        "Identity": contract.identity.kind != "none",
        "Tools": contract.tools is not None,
        "Team": contract.team.kind != "none",
        "Last record": contract.last.kind != "none",
    }
    names = ("Arguments", "Identity", "Tools", "Look", "Team", "Order", "Last record", "Look again", "Report")
    named = {"Team": "Team" if team.casefold() == "team" else team}
    return [named.get(name, name) for name in names if there.get(name, True)]


def step(bundle: Bundle, title: str) -> Item | None:
    return next((item for item in bundle.run if item.titles == [title]), None)


def directory(contract: Contract) -> str:
    return contract.host.skill_directory or "<skill>"


def command(contract: Contract) -> str:
    """Return the line that a reader can copy."""
    call = f'python3 "{directory(contract)}/scripts/cancel.py"'
    named = contract.host.session if contract.identity.kind != "none" else ""
    return f'{call} --session-id "{named}" --dry-run' if named else f"{call} --dry-run"


def the_text_begins_with_the_run(bundle: Bundle, contract: Contract) -> Iterator[str]:
    titles = list(bundle.main.sections)
    if titles[1:2] != ["Run"]:
        yield f"the first section is {titles[1:2]}"
    told = [item.titles for item in bundle.run]
    if told != [[title] for title in steps(contract)]:
        yield f"the steps are {told}, expected {steps(contract)}"
    numbers = [item.number for item in bundle.run]
    if numbers != [str(number) for number in range(1, len(numbers) + 1)]:
        yield f"the steps are numbered {numbers}"


def the_script_comes_first_and_its_line_can_be_copied(bundle: Bundle, contract: Contract) -> Iterator[str]:
    look, order = step(bundle, "Look"), step(bundle, "Order")
    blocks = [fence.content for fence in look.node.walk() if fence.type == "fence"] if look else []
    if blocks != [command(contract) + "\n"]:
        yield f"the command is {blocks}, expected {command(contract)}"
    if order is None or "--dry-run" not in order.spans:
        yield "no step says that the run acts without --dry-run"
    said = look.text if look else ""
    if not contract.host.skill_directory and f"<skill> is {contract.host.tells}" not in said:
        yield "nothing says where the skill lies"
    if f"<skill> being {contract.host.tells}" not in bundle.text("references/state.md").section("Script").text:
        yield "state.md does not say where the skill lies"
    if f"where there is none, go to step {len(steps(contract))}." not in said:
        yield "a run without a plan is not sent to the report"
    if contract.tools and "The script comes first" not in plain(bundle.main.section("Run").nodes[0]):
        yield "nothing says that the script comes first"


def the_session_of_the_host_is_filled_in(bundle: Bundle, contract: Contract) -> Iterator[str]:
    identity = step(bundle, "Identity")
    if identity and contract.host.session and contract.host.session not in identity.spans:
        yield f"{contract.host.session} is not in the step on identity"
    filled = set(re.findall(r"\$\{\w+\}", bundle.main.body))
    known = {contract.host.session, contract.host.skill_directory}
    if filled - known:
        yield f"{sorted(filled - known)} is no variable that the host fills in to good effect"
    for name in bundle.names:
        if name != "SKILL.md" and (left := re.findall(r"\$\{\w+\}", bundle.text(name).body)):
            yield f"{name}: nobody fills in {left}"


def what_bars_the_script_is_cleared_by_tool_first(bundle: Bundle, contract: Contract) -> Iterator[str]:
    look = step(bundle, "Look")
    told = [(call.tool, call.arguments.get("mode")) for call in read_acts(look.node)] if look else []
    clear = contract.tools.names.clear if contract.tools else ""
    wanted = [(clear, mode.records[0]) for mode in contract.modes.values() if mode.bars_script and contract.tools]
    if told != wanted:
        yield f"before the look the text clears {told}, expected {wanted}"


def the_text_says_how_long_a_run_may_take(bundle: Bundle, contract: Contract) -> Iterator[str]:
    team, order = contract.team, step(bundle, "Order")
    longest = 0
    if team.kind == "tmux":
        longest = team.grace_s + team.interrupt_s + 1
    elif team.kind == "program":
        longest = team.start_s + team.limit_s
    elif team.kind == "orchestrator":
        longest = team.grace_s + team.kill_s + 1
    told = re.findall(r"takes (\d+) s", order.text) if order else []
    if told != ([str(longest)] if longest else []):
        yield f"a stubborn team takes {told} s, expected {longest}"


def exit_codes_stand_with_the_run(bundle: Bundle, contract: Contract) -> Iterator[str]:
    order = step(bundle, "Order")
    if order is None or "Exit 0 complete, 1 unresolved, 2 refused, nothing changed" not in order.text:
        yield "the exit codes are missing"


def an_agent_takes_no_session_by_itself(bundle: Bundle, contract: Contract) -> Iterator[str]:
    if contract.identity.kind == "none":
        return
    rules = bundle.main.section("Rules")
    rule = next((item for item in rules.items if "belongs to other sessions" in plain(item)), None)
    wide = [f"--{name}" for name in ("force", "all") if getattr(contract.flags, name).scope == "all"]
    if rule is None or "unless the user asks for it by name" not in plain(rule) or spans(rule) != wide:
        yield f"no rule keeps the agent from other sessions and {wide}"


def the_report_claims_only_what_is_known(bundle: Bundle, contract: Contract) -> Iterator[str]:
    report = bundle.main.section("Report")
    if "Claim only what you saw or were told" not in report.text or '"not known"' not in report.text:
        yield "nothing says that the rest is not known"
    if contract.messages.none_hint and "only where nothing is active elsewhere" not in report.text:
        yield "the hint is offered where other sessions are active"


def one_finished_report_is_shown(bundle: Bundle, contract: Contract) -> Iterator[str]:
    blocks = [node.content for node in bundle.main.section("Report").nodes if node.type == "fence"]
    messages = [mode.message.replace("{phase}", "execution") for mode in contract.modes.values()]
    if len(blocks) != 1 or not any(message in blocks[0] for message in messages):
        yield f"the example of a report is {blocks}"
    elif not 3 <= len(blocks[0].splitlines()) <= 6 or re.search(r"\{\w+\}", blocks[0]):
        yield f"the example is not short or not finished: {blocks[0]}"


def verdicts_are_for_maintainers(bundle: Bundle, contract: Contract) -> Iterator[str]:
    if contract.verdicts and "For maintainers, never needed for a run" not in bundle.text("references/state.md").text:
        yield "state.md does not say whom the verdicts are for"


def what_the_script_does_without_python_is_true(bundle: Bundle, contract: Contract) -> Iterator[str]:
    call = f'bash "{directory(contract)}/scripts/cancel.sh"'
    section = bundle.main.section("Script")
    if call not in section.spans:
        yield f"{call} is missing"
    nothing = "not even" in section.text and "can do anything" in section.text
    if nothing != (contract.store.kind == "rows"):
        yield f"without python3: {section.text}"


CHECKS = (
    the_text_begins_with_the_run,
    the_script_comes_first_and_its_line_can_be_copied,
    the_session_of_the_host_is_filled_in,
    what_bars_the_script_is_cleared_by_tool_first,
    the_text_says_how_long_a_run_may_take,
    exit_codes_stand_with_the_run,
    an_agent_takes_no_session_by_itself,
    the_report_claims_only_what_is_known,
    one_finished_report_is_shown,
    verdicts_are_for_maintainers,
    what_the_script_does_without_python_is_true,
)
