"""A flavor says what its text says: its flags apart, its links' direction, each item's own modes, its own names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_forbidden import adopted, built, cancel

HEAD = "---\nname: cancel\ndescription: Cancel any active Zed mode (ralph, team). Use when the user asks to stop one.\n---\n# Cancel\n\n"
SESSIONS = "`/zed:cancel` ends the active mode. State: `.zed/state/sessions/<session_id>/<mode>-state.json`.\n\n"
CLEARS = (
    '1. Ralph: `state_clear(mode="ralph", session_id="<session_id>")`\n'
    '2. Team: `state_clear(mode="team", session_id="<session_id>")`\n\n'
)
BASES = ("pep", "rcs", "omc", "omd")


def record(work: Path, session: str, mode: str, **more: Any) -> Path:
    path = work / ".zed" / "state" / "sessions" / session / f"{mode}-state.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"active": True, "session_id": session, **more}), encoding="utf-8")
    return path


APART = (
    HEAD + SESSIONS + CLEARS + "`/zed:cancel --force` clears this session; `/zed:cancel --all` clears every session.\n"
)


@pytest.mark.parametrize("base", BASES)
def test_each_flag_selects_what_the_text_says_of_it(tmp_path: Path, base: str) -> None:
    bundle, work = built(tmp_path, APART, base), tmp_path / "work"
    mine, other = record(work, "s1", "ralph"), record(work, "s2", "ralph")
    cancel(bundle, work, "--session-id", "s1", "--force")
    assert (mine.exists(), other.exists()) == (False, True)
    cancel(bundle, work, "--session-id", "s1", "--all")
    assert not other.exists()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "words",
    [
        "",
        "`/zed:cancel --force` skips the waits.\n",
        "`/zed:cancel --force` never clears every session.\n",
        "`--all` is refused: other sessions are not ours.\n",
        "`--force` and `--all` are not supported.\n",
        "`--force` clears this session.\n",
    ],
)
def test_a_flag_of_which_nothing_is_said_selects_this_session(tmp_path: Path, base: str, words: str) -> None:
    flags = adopted(tmp_path, HEAD + SESSIONS + CLEARS + words, base).contract["flags"]
    assert {flags[form]["scope"] for form in flags} == {"current"}


@pytest.mark.parametrize(
    ("words", "force", "every"),
    [
        (
            "| Call | Does |\n|---|---|\n| `--force` | ends this session at once |\n| `--all` | clears all sessions |\n",
            "current",
            "all",
        ),
        ("`--force` 清除当前会话，`--all` 清除所有会话。\n", "current", "all"),
        ("`--force` 는 현재 세션을, `--all` 은 모든 세션을 정리합니다.\n", "current", "all"),
        ("`--force` は現在のセッションを、`--all` はすべてのセッションを消去します。\n", "current", "all"),
        ("`--force` or `--all` clears every session.\n", "all", "all"),
        ("```\n/zed:cancel --force   # this session\n/zed:cancel --all     # every session\n```\n", "current", "all"),
        ("## With `--all`\n\nClear all sessions, one after the other.\n", "current", "all"),
    ],
)
def test_what_flags_select_is_read_from_rows_items_code_and_sections(
    tmp_path: Path, words: str, force: str, every: str
) -> None:
    flags = adopted(tmp_path, HEAD + SESSIONS + CLEARS + words).contract["flags"]
    assert (flags["force"]["scope"], flags["all"]["scope"]) == (force, every)


@pytest.mark.parametrize("base", BASES)
def test_flags_that_select_different_sessions_are_never_listed_as_one(tmp_path: Path, base: str) -> None:
    found = adopted(tmp_path, APART, base)
    assert "--force and --all are one" not in found.text
    assert found.contract["flags"]["all"]["scope"] == "all"


@pytest.mark.parametrize("base", BASES)
def test_records_are_removed_by_force_only_where_the_text_says_so(tmp_path: Path, base: str) -> None:
    body = "1. Ralph: set `active` to `false` in its state file\n2. Team: the same\n\n"
    plain = adopted(tmp_path, HEAD + SESSIONS + body + "`--all` covers every session.\n", base)
    assert plain.contract["modes"]["ralph"]["all_action"] == "same"
    (tmp_path / "more").mkdir()
    more = adopted(
        tmp_path / "more", HEAD + SESSIONS + body + "`--all` deletes the state files of every session.\n", base
    )
    assert more.contract["modes"]["ralph"]["all_action"] == "remove"


LINKED = (
    HEAD
    + SESSIONS
    + '1. Team (asks the workers, then clears linked ralph)\n2. Ralph: `state_clear(mode="ralph", session_id="<session_id>")`\n'
)


@pytest.mark.parametrize("base", ["omc", "pep", "rcs"])
def test_a_link_has_the_direction_of_the_text(tmp_path: Path, base: str) -> None:
    bundle, work = built(tmp_path, LINKED, base), tmp_path / "work"
    modes = json.loads((bundle / "contract.json").read_text(encoding="utf-8"))["modes"]
    assert ([link["to"] for link in modes["team"]["links"]], modes["ralph"]["links"]) == (["ralph"], [])
    team, ralph = record(work, "s1", "team", linked_ralph=True), record(work, "s1", "ralph", linked_team=True)
    cancel(bundle, work, "--session-id", "s1", "--mode", "ralph")
    assert json.loads(team.read_text(encoding="utf-8"))["active"] is True and not ralph.exists()


OWN_ITEMS = (
    HEAD
    + SESSIONS
    + (
        "- autopilot/ralph — clears mode state, preserves resume data for autopilot\n- team — asks the workers to stop\n- ultrawork — stops the loop\n"
    )
)


@pytest.mark.parametrize("base", ["omc", "pep", "rcs"])
def test_an_item_speaks_for_its_own_modes(tmp_path: Path, base: str) -> None:
    bundle, work = built(tmp_path, OWN_ITEMS, base), tmp_path / "work"
    modes = {mode: record(work, "s1", mode) for mode in ("autopilot", "ralph", "team", "ultrawork")}
    cancel(bundle, work, "--session-id", "s1")
    left = {mode for mode, path in modes.items() if path.exists()}
    assert left == {"team", "ultrawork"}
    # Whether the team, whose workers nobody here stops, may end is for another rule to say.
    assert json.loads(modes["ultrawork"].read_text(encoding="utf-8"))["active"] is False


OWN_TOOLS = (
    HEAD
    + SESSIONS
    + "1. Ralph\n2. Team\n\nFor each active mode call `mode_clear(mode, sessionId)`; `mode_list(sessionId)` tells which are active.\n"
)


@pytest.mark.parametrize("base", BASES)
def test_no_tool_is_called_by_a_name_that_the_text_does_not_use(tmp_path: Path, base: str) -> None:
    bundle = built(tmp_path, OWN_TOOLS, base)
    texts = [path.read_text(encoding="utf-8") for path in (bundle / "SKILL.md", *(bundle / "references").iterdir())]
    assert not [
        text for text in texts if "state_clear" in text or "names no state tools" in text or "product has none" in text
    ]


@pytest.mark.parametrize("base", BASES)
def test_tools_of_the_text_are_called_by_their_names_and_arguments(tmp_path: Path, base: str) -> None:
    more = "Read one with `mode_read(mode, sessionId)`, write it with `mode_write(mode, sessionId, active=false)`.\n"
    found = adopted(tmp_path, OWN_TOOLS + more, base)
    tools = found.contract["tools"]
    assert {role: tools["names"][role] for role in ("read", "write", "clear", "list")} == {
        "read": "mode_read", "write": "mode_write", "clear": "mode_clear", "list": "mode_list"
    }  # fmt: skip
    assert tools["arguments"]["session"] == "sessionId" and "session_id" not in tools["list_call"]


@pytest.mark.parametrize("base", ["pep", "omc"])
def test_the_session_is_handed_over_as_the_text_does(tmp_path: Path, base: str) -> None:
    found = adopted(tmp_path, HEAD + SESSIONS + CLEARS.replace("session_id=", "sessionId="), base)
    tools = found.contract["tools"]
    assert (tools["names"]["clear"], tools["arguments"]["session"]) == ("state_clear", "sessionId")


def test_a_record_with_the_products_name_before_the_modes_is_that_modes(tmp_path: Path) -> None:
    body = "1. Check Ralph: delete `.zed/state/zed-ralph-state.json`\n2. Check Team: delete `.zed/state/zed-team-state.json`\n"
    bundle, work = built(tmp_path, HEAD + "Run `/zed:cancel`.\n\n" + body, "pep"), tmp_path / "work"
    path = work / ".zed" / "state" / "zed-ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}', encoding="utf-8")
    found = cancel(bundle, work)
    assert [mode["mode"] for mode in found["sessions"][0]["modes"]] == ["ralph"]
    assert not path.exists()


PLAIN = "Records are `.zed/state/<mode>-state.json`.\n\n- **ralph**: delete its state file\n- **team**: delete its state file\n\n"


@pytest.mark.parametrize(
    "words",
    [
        "Run `/cancel`. See also: `/other:cancel-x` for builds.\n",
        "OMC's `$cancel` analogue: say `zed stop`.\n",
        "Run `/cancel`; it is a port of `/oh-my-x:cancel`.\n",
        "Run `/cancel`.\n\n```\n[RALPH CANCELLED] at phase x\n```\n",
    ],
)
def test_anothers_command_and_a_status_name_nothing(tmp_path: Path, words: str) -> None:
    contract = adopted(tmp_path, HEAD + PLAIN + words).contract
    assert contract["product"]["name"] == "Zed"
    assert contract["command"]["form"] in ("/zed:cancel", "/cancel")
    assert not {"/other:cancel-x", "$cancel", "/oh-my-x:cancel"} & {
        contract["command"]["form"],
        *contract["command"]["also"],
    }


def test_a_flag_that_the_text_refuses_is_listed_with_its_line(tmp_path: Path) -> None:
    found = adopted(tmp_path, HEAD + SESSIONS + CLEARS + "`--force` clears this session. `--all` is not supported.\n")
    assert "the flag --all (forbidden)" in found.text
    assert found.contract["flags"]["all"]["scope"] == "current"


def test_what_was_made_is_marked(tmp_path: Path) -> None:
    said = '| Mode | Message |\n|---|---|\n| Ralph | "Ralph rests." |\n'
    found = adopted(tmp_path, HEAD + SESSIONS + CLEARS + said)
    assert "#   messages: made from the titles of team" in found.text
    assert found.contract["modes"]["ralph"]["message"] == "Ralph rests."


def test_a_list_that_was_made_of_records_is_marked(tmp_path: Path) -> None:
    said = "`--all` clears every session and legacy state files.\n"
    found = adopted(tmp_path, HEAD + SESSIONS + CLEARS + said)
    paths = [item["path"] for item in found.contract["global_pass"]["artifacts"]]
    assert paths and f"global_pass.artifacts: made of the modes' records: {', '.join(paths)}" in found.text
