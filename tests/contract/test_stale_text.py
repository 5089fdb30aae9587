"""A fact that changes in YAML makes the shipped text wrong, and a build makes it right again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bundles import build, contract, problems, shipped

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs

Data = dict[str, Any]


def put(*path: str | int, value: Any) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        inner: Any = data
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value

    return change


def swap(first: int, second: int) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        order = data["order"]
        order[first], order[second] = order[second], order[first]

    return change


def drop(*path: str | int) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        inner: Any = data
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]

    return change


FACTS: dict[str, tuple[str, Callable[[Data], None], str]] = {
    "order": ("rcs", swap(4, 6), "one_numbered_list_with_titles_first"),
    "group": ("omc", put("order", 5, value=["pipeline", "ultrapilot"]), "one_numbered_list_with_titles_first"),
    "patience": ("omni", put("team", "kill_s", value=7), "the_text_says_how_long"),
    "title": ("pep", put("modes", "swarm", "title", value="Swarm Mode"), "one_numbered_list_with_titles_first"),
    "label": ("rcs", put("modes", "team", "label", value="by panes"), "each_mode_does_its_action"),
    "second link": (
        "pep",
        put("modes", "ralph", "links", 1, value={"to": "ultraqa"}),
        "links_stand_with_their_owner",
    ),
    "link by presence": (
        "omni",
        put("modes", "ralph", "links", 0, value={"to": "ultrawork", "present": "parallel", "back": "linked_to_ralph"}),
        "links_stand_with_their_owner",
    ),
    "guard": ("omc", put("modes", "ralph", "bars_script", value=True), "what_bars_the_script"),
    "directory of the skill": ("rcs", put("host", "skill_directory", value="${SKILL}"), "the_script_comes_first"),
    "session of the host": ("omc", put("host", "session", value="${OTHER_ID}"), "the_session_of_the_host"),
    "action": ("omni", put("modes", "ultraqa", "action", value="deactivate"), "each_mode_does_its_action"),
    "record": ("rcs", put("modes", "plan-consensus", "records", value=["plan"]), "each_mode_does_its_action"),
    "link": ("pep", put("modes", "ralph", "links", 0, "flag", value="owns"), "links_stand_with_their_owner"),
    "no link": ("omc", drop("modes", "autopilot", "links", 1), "links_stand_with_their_owner"),
    "pause": ("omc", put("modes", "autopilot", "pause_with", value="runToken"), "writes_send_what_they_must"),
    "merge": ("rcs", put("tools", "write", value="replace"), "short_words_are_defined"),
    "last": ("omni", put("last", "record", value="skill-live"), "the_last_record_comes_last"),
    "tool": ("pep", put("tools", "names", "clear", value="state_drop"), "no_tool_is_named_but_the_flavors_own"),
    "argument": (
        "omd",
        put("tools", "arguments", "session", value="sid"),
        "every_call_is_spelled_as_the_tool_takes_it",
    ),
    "payload": (
        "omni",
        put("tools", "arguments", "payload", value="data"),
        "every_call_is_spelled_as_the_tool_takes_it",
    ),
    "listing": ("omc", put("tools", "list_all_call", value="state_list_active(every=true)"), "listings_stand_where"),
    "rejected": ("rcs", put("tools", "rejects", value=["ecomode"]), "each_mode_does_its_action"),
    "loader": ("omc", put("tools", "deferred", "query", value="select:x"), "deferred_tools_are_loaded_first"),
    "scope": ("omc", put("flags", "force", value={"scope": "all", "urgency": "forced"}), "every_form_says"),
    "urgency": ("pep", put("flags", "all", value={"scope": "all", "urgency": "graceful"}), "every_form_says"),
    "command": ("rcs", put("command", "form", value="/stop"), "every_form_says"),
    "keyword": ("omd", put("command", "keywords", value=["cancelomd"]), "all_ways_to_invoke_it"),
    "variable": ("omc", drop("identity", "variables", 1), "the_session_is_found"),
    "pattern": ("rcs", put("identity", "pattern", value="^[a-z]{1,8}$"), "the_session_is_found"),
    "missing": ("pep", put("identity", "missing", value="refuse"), "the_session_is_found"),
    "slot": ("omni", put("identity", "missing", value="root-if-unclaimed"), "the_session_is_found"),
    "own slot": ("rcs", put("identity", "missing", value="root"), "the_session_is_found"),
    "root": ("pep", put("root", "directory", value=".pop"), "records_stand_where_they_lie"),
    "database": ("omni", put("store", "table", value="states"), "records_stand_where_they_lie"),
    "home slot": ("omc", put("store", "slots", 0, "project", value="project_root"), "records_stand_where_they_lie"),
    "ownerless": ("omc", put("store", "slots", 0, "ownerless", value="own"), "records_stand_where_they_lie"),
    "message": ("rcs", put("modes", "forge", "message", value="Forge is over."), "every_message_stands"),
    "none": ("omd", put("messages", "none", value="Nothing runs."), "every_message_stands"),
    "retired": ("omc", put("modes", "ultraqa", "retired", value=False), "every_mode_is_told_of"),
    "resume": ("omc", put("modes", "ultragoal", "resume", value=["/ultragoal"]), "every_mode_is_told_of"),
    "keeps": ("omd", put("modes", "ralplan", "keeps", value="nothing"), "every_mode_is_told_of"),
    "report": ("omni", put("team", "report", 1, value="  - Asked: {signaled}"), "reports_have_their_lines"),
    "signal": ("omc", put("signal", "ttl_ms", value=20_000), "the_rest_of_the_host_is_told"),
    "fallback": ("omc", put("fallback", "never", value=["team"]), "the_rest_of_the_host_is_told"),
    "verdict": ("pep", put("verdicts", 0, "says", value="It is so."), "verdicts_are_listed"),
    "legacy": ("rcs", drop("global_pass", "artifacts", 3), "the_global_pass_removes_exactly_the_list"),
    "condition": ("pep", put("global_pass", "artifacts", 0, "kind", value="pid"), "the_global_pass_removes_exactly"),
    "gate": ("omc", put("global_pass", "gate", value="none"), "the_pass_waits_for_every_session"),
    "kept": ("omd", put("kept", 0, "path", value=".omd/drafts"), "what_is_kept_is_listed_and_guarded"),
    "bridge": ("omc", put("bridge", "session", value="w-{team}-{worker}"), "the_bridge_is_named_exactly"),
    "wait": ("rcs", put("team", "grace_s", value=20), "teams_are_stopped_as_the_contract_says"),
    "program": ("omni", put("team", "program", value="scripts/crew.py"), "teams_are_stopped_as_the_contract_says"),
    "note": ("pep", put("notes", 0, value="Mind the gap."), "traps_of_the_tools_are_told"),
}


@pytest.mark.parametrize("fact", FACTS)
def test_a_changed_fact_fails_until_it_is_rebuilt(fact: str, tmp_path: Path) -> None:
    flavor, change, expected = FACTS[fact]
    data = contract(flavor).model_dump(mode="json")
    before = json.dumps(data)
    change(data)
    assert json.dumps(data) != before
    own = tmp_path / "flavors"
    own.mkdir()
    text = json.dumps({key: value for key, value in data.items() if key not in ("flavor", "schema_version")})
    (own / f"{flavor}.yaml").write_text(text)
    changed = resolve_all(Inputs((str(own),), ()), [flavor])[flavor].contract

    stale = problems(shipped(flavor), changed)
    assert any(what.startswith(expected) for what in stale), stale
    assert problems(build(flavor, tmp_path / "dist", own), changed) == []
