"""A text that lies is found out: each check fails on the lie that it is there for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bundles import CHECKS, contract, problems, shipped
from skill_text import Bundle
from test_stale_text import FACTS

#: What is done to the text: flavor, file, words, other words, the check that must see it.
LIES = {
    "no team first": ("rcs", "SKILL.md", "Workers stop first (see", "See (", "workers_stop_first"),
    "a number twice": ("pep", "SKILL.md", "\n6. **Swarm**", "\n\ntext\n\n6. **Swarm**", "one_numbered_list"),
    "a clear of what must stay": (
        "rcs",
        "SKILL.md",
        '`state_write(mode="forge", session_id="<session_id>", active=false, current_phase="cancelled", '
        'completed_at="<ISO 8601 time>")`',
        '`state_clear(mode="forge", session_id="<session_id>")`',
        "each_mode_does_its_action",
    ),
    "a write before the read": (
        "omni",
        "SKILL.md",
        '`state_read(mode="<record>", session_id="<session_id>")`, then `state_write',
        "`state_write",
        "short_words_are_defined",
    ),
    "no way out": ("rcs", "SKILL.md", "--mode pipeline", "--mode swarm", "what_the_tools_reject"),
    "a pause without its condition": ("omc", "SKILL.md", "Only if the read had", "Since the read had", "writes_send"),
    "a payload of its own": (
        "omni",
        "SKILL.md",
        "body={<every other field as read>",
        "body={}, x={<rest>",
        "short_words_are_defined",
    ),
    "a link without its veto": ("pep", "SKILL.md", "`linked_to_ralph`", "`linked`", "links_stand_with_their_owner"),
    "a detail gone": ("omc", "SKILL.md", "If that write fails, stop:", "If that write fails:", "details_stand"),
    "a helper gone": ("rcs", "SKILL.md", "`forge-plan-state.json` and ", "", "details_stand"),
    "another last record": (
        "omc",
        "SKILL.md",
        "`skill-active`, by the script alone",
        "clear `skill-active`",
        "the_last_record_comes_last",
    ),
    "a clear without a session": (
        "omc",
        "references/team.md",
        'state_clear(mode="team", session_id="<session_id>")',
        'state_clear(mode="team")',
        "every_call_is_spelled",
    ),
    "a read without a session": (
        "omni",
        "SKILL.md",
        'state_read(mode="team", session_id="<session_id>")',
        'state_read(mode="team")',
        "every_call_is_spelled",
    ),
    "arguments in another style": (
        "omd",
        "SKILL.md",
        '({ cwd, sessionId, mode: "<record>" })',
        '(mode="<record>", sessionId="<session_id>")',
        "every_call_is_spelled",
    ),
    "no workspace": (
        "omd",
        "SKILL.md",
        '({ cwd, sessionId, mode: "<record>" })',
        '({ sessionId, mode: "<record>" })',
        "every_call",
    ),
    "half a call": (
        "pep",
        "SKILL.md",
        '`state_clear(mode="<record>", ',
        '`state_clear mode="<record>", ',
        "every_call",
    ),
    "a tool of another flavor": (
        "omni",
        "SKILL.md",
        "Call `state_read(",
        "Call `state_list_active` or `state_read(",
        "no_tool",
    ),
    "a listing of all by default": (
        "omc",
        "SKILL.md",
        'Call `state_list_active(session_id="<session_id>")`',
        "Call `state_list_active(all=true)`",
        "listings_stand",
    ),
    "tools not loaded": ("omni", "SKILL.md", "may be deferred", "are there", "deferred_tools"),
    "another word": ("omni", "SKILL.md", 'and "pause" is', "and pausing is", "short_words_are_defined"),
    "a word for another record": (
        "rcs",
        "SKILL.md",
        "pause `blueprint`",
        "pause `autopilot`",
        "each_mode_does_its_action",
    ),
    "no way to begin": ("rcs", "SKILL.md", "## Run\n", "## First\n\nRead.\n\n## Run\n", "the_text_begins_with_the_run"),
    "a step gone": (
        "omc",
        "SKILL.md",
        "**Last record**: the script takes it too; only it can.",
        "Then:",
        "the_text_begins",
    ),
    "a line that cannot be copied": (
        "pep",
        "SKILL.md",
        'python3 "${CLAUDE_SKILL_DIR}/scripts/cancel.py"',
        "python3 scripts/cancel.py",
        "the_script_comes_first",
    ),
    "no place of the skill": (
        "omni",
        "SKILL.md",
        "; `<skill>` is the base directory",
        "; the skill is",
        "the_script_comes",
    ),
    "a plan that is none": ("omd", "SKILL.md", "go to step 9", "go to step 5", "the_script_comes"),
    "a session that nobody fills in": (
        "omc",
        "SKILL.md",
        "is `${CLAUDE_SESSION_ID}`",
        "is known",
        "the_session_of_the_host",
    ),
    "the bundle's own plugin root": (
        "omc",
        "references/team.md",
        '"<product>/scripts',
        '"${CLAUDE_PLUGIN_ROOT}/scripts',
        "the_session_of_the_host_is_filled_in",
    ),
    "a guard that is not told": (
        "omc",
        "SKILL.md",
        'state_clear(mode="ultragoal", session_id="<session_id>")` first',
        'state_clear(mode="ralph", session_id="<session_id>")` first',
        "what_bars_the_script",
    ),
    "a run that may be cut off": ("rcs", "SKILL.md", "takes 18 s", "takes 10 s", "the_text_says_how_long"),
    "another exit code": ("omd", "SKILL.md", "1 unresolved", "1 refused", "exit_codes_stand"),
    "another session taken": (
        "rcs",
        "SKILL.md",
        " unless the user asks for it by name",
        "",
        "an_agent_takes_no_session",
    ),
    "a claim": ("pep", "SKILL.md", "Claim only what you saw or were told", "Say that it is done", "the_report_claims"),
    "a hint where others are active": (
        "omni",
        "SKILL.md",
        "only where nothing is active elsewhere",
        "always",
        "the_report_claims",
    ),
    "an example of nothing": (
        "rcs",
        "SKILL.md",
        "Autopilot cancelled at phase: execution.",
        "Done.",
        "one_finished_report",
    ),
    "verdicts for a run": (
        "omc",
        "references/state.md",
        "For maintainers, never needed for a run",
        "See",
        "verdicts_are_for",
    ),
    "a shell that does too much": (
        "omni",
        "SKILL.md",
        "not even `bash",
        "there is `bash",
        "what_the_script_does_without",
    ),
    "a danger untold": ("omni", "SKILL.md", "destroys resume data", "is harmless", "traps_of_the_tools"),
    "a forbidden fallback": (
        "omni",
        "references/team.md",
        '"<product>/scripts/omni_team.py" cancel',
        '"<product>/scripts/subagent.py"',
        "forbidden",
    ),
    "a forbidden clean-up": (
        "omni",
        "references/team.md",
        'omni_team.py" cancel <run_id>',
        'omni_team.py" cleanup <run_id>',
        "forbidden",
    ),
    "a clear of everything": ("omni", "SKILL.md", "A clear of everything", "`state_clear(all=true)`", "forbidden"),
    "a tree removed": ("rcs", "references/team.md", "Remove `.rcs/", "`rm -rf .rcs/", "forbidden"),
    "a session killed by prefix": (
        "rcs",
        "references/team.md",
        'kill-session -t "=rcs',
        "kill-session -t =rcs",
        "forbidden",
    ),
    "one flag is two": (
        "omc",
        "SKILL.md",
        "cancel --force`: this session;",
        "cancel --force`: every session;",
        "every_form",
    ),
    "a form gone": ("rcs", "SKILL.md", " or `$rcs:cancel --all`", "", "every_form"),
    "a keyword too many": ("omd", "SKILL.md", "`cancelomd` or", "`cancel`, `cancelomd` or", "all_ways"),
    "variables in another order": (
        "rcs",
        "SKILL.md",
        "`RCS_SESSION_ID`, `CODEX_SESSION_ID`",
        "`CODEX_SESSION_ID`, `RCS_SESSION_ID`",
        "the_session_is_found",
    ),
    "no refusal": (
        "omc",
        "SKILL.md",
        "refuse, and pick no discovered session",
        "take the newest",
        "the_session_is_found",
    ),
    "another directory": (
        "omd",
        "SKILL.md",
        "Records are `.omd/state/sessions/",
        "Records are `.omd/sessions/",
        "records_stand",
    ),
    "no home slot": (
        "omc",
        "references/state.md",
        "- `~/.omc/state/<mode>-state.json`",
        "- `~/.omc/<mode>-state.json`",
        "records_stand_where_they_lie",
    ),
    "another message": ("omni", "references/modes.md", "Ralph cancelled.", "Ralph canceled.", "every_message"),
    "a message without quotes": (
        "rcs",
        "SKILL.md",
        '"No active RCS modes detected."',
        "No active RCS modes.",
        "every_message",
    ),
    "a retired mode alive": ("omc", "references/modes.md", "Retired: it is cleaned up", "It runs", "every_mode"),
    "another resume": ("rcs", "references/modes.md", "| `/autopilot` |", "| `/autopilot --resume` |", "every_mode"),
    "a line of the report gone": ("rcs", "references/team.md", "  - Force killed: {killed}\n", "", "reports_have"),
    "a signal that lives on": ("omc", "references/state.md", "30000 ms", "60000 ms", "the_rest_of_the_host"),
    "a limit gone": ("omc", "references/state.md", "never `autopilot`, ", "never ", "the_rest_of_the_host"),
    "a verdict gone": ("omd", "references/state.md", "- D1:", "- D0:", "verdicts"),
    "a legacy file too many": (
        "pep",
        "references/global-pass.md",
        "- `.pep/state/boulder.json`\n",
        "- `.pep/state/boulder.json`\n- `.pep/state/notes.json`\n",
        "the_global_pass_removes",
    ),
    "a pid file at once": (
        "rcs",
        "references/global-pass.md",
        " once its process is gone or is not ours",
        "",
        "the_global_pass",
    ),
    "plans not guarded": (
        "pep",
        "SKILL.md",
        "No flag removes `.pep/plans/`",
        "No flag removes `.pep/logs/`",
        "what_is_kept",
    ),
    "plans removed": (
        "pep",
        "references/global-pass.md",
        "- `.pep/state/boulder.json`\n",
        "- `.pep/plans/x.md`\n",
        "nothing_kept_is_removed",
    ),
    "a pass without a gate": ("omc", "SKILL.md", "only if all succeeded", "in any case", "the_pass_waits"),
    "workers by another name": (
        "pep",
        "references/team.md",
        "`pep-team-<team>-<worker>`",
        "`pep-team-*`",
        "the_bridge",
    ),
    "no patience": ("omc", "SKILL.md", "up to 15 s", "up to 1 s", "teams_are_stopped"),
    "teammates untold": ("omd", "SKILL.md", "`--silent NAME`", "nothing", "teams_are_stopped"),
    "answers untold": ("pep", "references/team.md", "`--responded NAME`", "nothing", "teams_are_stopped"),
    "no place of the runs": ("omni", "SKILL.md", "`--team-root DIR`", "luck", "teams_are_stopped"),
    "any process": ("omni", "references/team.md", "`_subagent_wrapper.py`", "anything", "teams_are_stopped"),
    "no quote": ("rcs", "references/team.md", '-t "=rcs-team-<team>"', '-t "=rcs-team"', "teams_are_stopped"),
    "half an overlay": ("rcs", "references/team.md", "`<!-- RCS:TEAM:WORKER:END -->`", "the end", "teams_are_stopped"),
}


def tampered(flavor: str, file: str, words: str, others: str, directory: Path) -> Bundle:
    shutil.copytree(shipped(flavor).root, directory)
    path = directory / "skills" / "cancel" / file
    source = path.read_text()
    assert words in source, f"{words!r} is not in {file}"
    path.write_text(source.replace(words, others))
    return Bundle(directory)


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_in_the_text_is_found(lie: str, tmp_path: Path) -> None:
    flavor, file, words, others, check = LIES[lie]
    found = problems(tampered(flavor, file, words, others, tmp_path / flavor), contract(flavor))
    assert any(what.startswith(check) for what in found), found


def test_every_check_has_a_lie_that_it_finds() -> None:
    told = [check for *_, check in LIES.values()] + [check for *_, check in FACTS.values()]
    assert [check.__name__ for check in CHECKS if not any(check.__name__.startswith(one) for one in told)] == []
