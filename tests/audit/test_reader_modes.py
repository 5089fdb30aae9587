"""Hold the reader of modes, orders, actions and messages against the shapes in which texts say them, and their look-alikes."""

from __future__ import annotations

import time

import pytest

from skillgen.audit.views import make_text
from skillgen.model.facts import Facts
from skillgen.model.subject import Kind, Source


def read(body: str, front: str = "name: cancel\ndescription: Cancel the active mode") -> Facts:
    return make_text(Source("cancel/SKILL.md", f"---\n{front}\n---\n{body}\n", Kind.SKILL)).facts


def actions(facts: Facts) -> set[tuple[str, str]]:
    return {(fact.key, fact.value) for fact in facts.of("action")}


def messages(facts: Facts) -> dict[str, str]:
    return {fact.key: fact.value for fact in facts.of("message")}


@pytest.mark.parametrize(
    "body",
    [
        "Cancels any active Loom mode (weave, spin, ralph).",
        "## Supported modes\n\n- weave\n- spin\n- ralph",
        "**Modes:** weave, spin, ralph",
        "Stops `weave`, `spin`, `team` and `ralph` runs.",
        "| Mode | What |\n|---|---|\n| weave | a |\n| spin | b |\n| ralph | c |",
        "```\n/loom:cancel weave   # one\n/loom:cancel spin\n/loom:cancel ralph\n```",
        "- `weave` → endRun('weave', 'cancelled')\n- `spin` → endRun('spin', 'cancelled')\n- `ralph` → endRun('ralph', 'cancelled')",
        "지원 모드:\n\n- **weave**: 짜기\n- **spin**: 잣기\n- **ralph**: 반복",
    ],
)
def test_modes_with_unknown_names_are_read_from_any_list(body: str) -> None:
    assert {"weave", "spin", "ralph"} <= set(read(body).modes())


def test_modes_are_read_from_the_argument_hint() -> None:
    facts = read("Cancels it.", 'name: cancel\ndescription: x\nargument-hint: "<mode: weave | spin | all> [--force]"')
    assert set(facts.modes()) == {"weave", "spin"}


@pytest.mark.parametrize(
    "body",
    [
        "It runs in three modes:\n\n1. **Bare**: finds it\n2. **Explicit**: you name it\n3. **`--all` flag**: everything",
        "## Failure modes\n\n- **Stale lock**: wait\n- **Timeout**: try again",
        "| Mode | Scope |\n|---|---|\n| Default | this session |\n| Force | every session |",
        "## Job types\n\n- **deploy**: pushes\n- **rollback**: restores",
        "For each active mode:\n\n- Record the time of the cancel\n- Save the changed record",
        "Do this with every mode that is active:\n\n- **Freeze**: no new turns\n- **Archive**: move its record away",
        "1. `state_list_active()`\n2. `read_record()`\n3. Report the result",
    ],
)
def test_lists_of_other_things_give_no_modes(body: str) -> None:
    assert not read(body).modes()


@pytest.mark.parametrize(
    "body",
    [
        "### 1. Check Team\n\nx\n\n### 2. Check Ralph\n\nx\n\n### 3. Nothing active\n\nx",
        "1. Team (tmux workers, then their panes)\n2. Ralph (and its linked Ultrawork)\n3. Report the result",
        "1. Stop team\n2. Stop ralph",
        "Team → its linked Ralph",
        "| Mode | Rank |\n|---|---|\n| Ralph | 2 |\n| Team | 1 |",
        "## Shutdown order\n\n**For Team:**\n\nx\n\n**For Ralph:**\n\nx",
    ],
)
def test_the_order_is_read_from_lists_headings_rows_and_arrows(body: str) -> None:
    order = [
        group[0] for group in read(f"{body}\n\nteam → ralph → ultraqa" if "linked Ralph" in body else body).order()
    ]
    assert order[:2] == ["team", "ralph"]


@pytest.mark.parametrize(
    ("body", "action"),
    [
        ('### Ralph\n\nWrite `{"active": false, "phase": "cancelled"}`.', "terminalize"),
        ('### Ralph\n\nWrite `{"active": false}`.', "deactivate"),
        ('### Ralph\n\n- Set `active` to `false`\n- Set `phase: "cancelled"`', "terminalize"),
        ("### Ralph\n\nDelete its state file.", "clear"),
        ("- **Ralph**: delete `.x/state/ralph.json`", "clear"),
        ("| Mode | On cancel |\n|---|---|\n| Ralph | 상태 파일을 삭제 |", "clear"),
        ("### Ralph\n\n```bash\nsqlite3 x.db \"UPDATE runs SET active = 0 WHERE mode = 'ralph'\"\n```", "deactivate"),
        ("Ralph runs.\n\n- Ralph\n\n```bash\nomx state clear --mode ralph\n```", "clear"),
        ('- Ralph\n\nCall `state_clear(mode="<mode>", session_id="<id>")` for whatever is active.', "clear"),
    ],
)
def test_an_action_is_read_however_it_is_said(body: str, action: str) -> None:
    assert actions(read(body)) == {("ralph", action)}


@pytest.mark.parametrize(
    "body",
    [
        '### Ralph\n\nDoes **not** call `state_clear(mode="ralph")`.',
        '### Ralph\n\nNever call `state_clear(mode="ralph")` here.',
        "### Ralph\n\nIf `active: false` is already there, go on.",
        "### Ralph\n\nDo not delete its state file.",
        "### Ralph\n\nThe stop hook deletes its state file after two hours.",
        "- Ralph\n\n## Force Clear\n\n```bash\nrm -f .x/state/ralph-state.json\n```",
        '- Ralph\n\n```bash\nif [ "$FORCE" = true ]; then\n  rm -f .x/state/ralph-state.json\nfi\n```',
        '### Ralph\n\nA record before:\n\n```json\n{"mode": "ralph", "active": true}\n```',
    ],
)
def test_bans_conditions_and_the_force_branch_are_no_action(body: str) -> None:
    facts = read(body)
    assert "ralph" in facts.modes()
    assert not actions(facts)


def test_what_stands_in_the_other_branch_of_force_is_an_action() -> None:
    body = '```bash\nif [ "$FORCE" != true ]; then\n  rm -f .x/state/ralph-state.json\nelse\n  rm -f .x/state/team-state.json\nfi\n```'
    assert actions(read(body)) == {("ralph", "clear")}


@pytest.mark.parametrize(
    ("body", "key", "words"),
    [
        ("- Ralph\n\nWhen it is done, show:\n\n```\nRalph stopped. Rest.\n```", "ralph", "Ralph stopped. Rest."),
        ("- Ralph\n\nIf nothing is active:\n\n> No active modes here.", "none", "No active modes here."),
        (
            "- Ralph\n\n| Mode | Text |\n|---|---|\n| (force) | All of it was cleared. |",
            "force",
            "All of it was cleared.",
        ),
        (
            '- Ralph\n\n<Force_Mode>\nReport: "All records were cleared."\n</Force_Mode>',
            "force",
            "All records were cleared.",
        ),
        ("- Ralph\n\n- Ralph: 「拉尔夫已取消。」", "ralph", "拉尔夫已取消。"),
        (
            "- Ralph\n\nExample:\n\n```\n[User] /x:cancel\n[X] Cancelled ralph mode.\n```",
            "ralph",
            "Cancelled ralph mode.",
        ),
    ],
)
def test_messages_are_read_outside_tables(body: str, key: str, words: str) -> None:
    assert messages(read(body)).get(key) == words


def test_each_team_mode_has_its_own_mechanism() -> None:
    facts = read(
        "1. Ralph\n2. Team (Claude Code native)\n3. ZED Teams (tmux CLI workers)\n\n`.z/state/zed-teams-state.json` is theirs."
    )
    assert {(fact.key, fact.value) for fact in facts.of("team")} == {("team", "native"), ("zed-teams", "tmux")}


def test_a_wait_is_no_part_of_an_argument_that_is_passed_on() -> None:
    facts = read(
        '- Ralph\n\nWait 15 seconds.\n\n```bash\nx cancel --reason "stuck for 2 hours"\ndate -d "+30 seconds"\n```'
    )
    assert facts.values("timeout") == ("15",)


def test_tools_are_known_by_their_form_and_by_the_verb_before_them() -> None:
    facts = read(
        "Call `get_mode_state`, then `mcp__bench__unclamp`. Use `todo_read` first. The field `linked_ralph` and `session_id` stay."
    )
    assert set(facts.values("tool")) == {"get_mode_state", "mcp__bench__unclamp", "todo_read"}


def test_a_mode_that_keeps_its_progress_is_told_from_one_that_does_not() -> None:
    facts = read(
        "- **Autopilot**: stops, preserves progress for resume\n- **Ralph**: stops; progress is not preserved\n- **Team**: stops"
    )
    assert [(fact.key, fact.value) for fact in facts.of("keeps")] == [("autopilot", "yes")]


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"<Force_{n}>\n\nx\n\n" for n in range(6000)),
        "Show:\n\n" + "```\nfoo\n```\n" * 3000,
        "".join(f"`a{n}-teams-state.json` AA Teams\n\n- AA{n} Teams\n" for n in range(2000)),
    ],
    ids=["tags", "fences", "records"],
)
def test_a_text_that_no_person_wrote_is_read_in_seconds(body: str) -> None:
    start = time.process_time()
    read(body)
    assert time.process_time() - start < 6
