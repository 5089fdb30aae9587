"""What is done to a mode is read whatever way a text says it, and only where the text says it of that mode."""

from __future__ import annotations

import pytest

from skillgen.audit.views import make_text
from skillgen.model.facts import Facts
from skillgen.model.subject import Kind, Source

HEAD = (
    "---\nname: cancel\ndescription: Cancel any active Zed mode (delve, hoist). Use when asked to stop one.\n---\n"
    "# Cancel\n\nRecords: `.zed/state/delve-state.json`, `.zed/state/hoist-state.json`.\n\n"
)


def facts(text: str, head: str = HEAD) -> Facts:
    return make_text(Source("cancel/SKILL.md", f"{head}{text}\n", Kind.SKILL)).facts


def actions(text: str, head: str = HEAD) -> dict[str, str]:
    return {fact.key: fact.value for fact in facts(text, head).of("action")}


BOTH = {"delve": "clear", "hoist": "clear"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("If `.zed/state/delve-state.json` exists, delete it.", {"delve": "clear"}),
        ("Look at `.zed/state/hoist-state.json`. Then remove it.", {"hoist": "clear"}),
        ("To stop a mode delete its marker.", BOTH),
        ("Remove the mode's state file, `.zed/state/<mode>-state.json`.", BOTH),
        ("활성 모드의 상태 파일을 삭제합니다.", BOTH),
        ('- Delve: `zed_end {"mode": "delve", "status": "cancelled"}`', {"delve": "terminalize"}),
        ('`zed_clear(mode="hoist")`', {"hoist": "clear"}),
        ("- hoist: marks the loop cancelled and sets `active` to `false`", {"hoist": "terminalize"}),
        ("- delve: 标记为已取消", {"delve": "terminalize"}),
        (
            '```bash\nfor mode in hoist delve; do\n  file=".zed/state/$mode-state.json"\n  rm -f "$file"\ndone\n```',
            BOTH,
        ),
        ('```bash\ndir=.zed/state\nrm -f "$dir/delve-state.json"\n```', {"delve": "clear"}),
    ],
)
def test_an_end_is_read(text: str, found: dict[str, str]) -> None:
    assert actions(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "If `.zed/state/delve-state.json` exists, never delete it.",
        "`.zed/state/delve-state.json` stays. The server removes it after a week.",
        "A mode deletes its marker; nobody else may.",
        "- delve stays. To stop a mode nobody deletes its marker.",
        'Never call `zed_clear(mode="hoist")`.',
        "With `--all` remove the state file of every mode in every session.",
        '```bash\nfor mode in hoist delve; do\n  file=".zed/state/$mode-state.json"\n  cat "$file"\ndone\n```',
        '```bash\nfile="$(ls .zed)"\nrm -f "$file"\n```',
        "Nothing marks the loop cancelled.",
    ],
)
def test_what_is_no_end_is_none(text: str) -> None:
    assert actions(text) == {}


def test_a_loop_over_modes_is_their_order() -> None:
    found = facts('```bash\nfor mode in hoist delve; do rm -f ".zed/state/$mode-state.json"; done\n```')
    assert found.order() == (("hoist",), ("delve",))


PLAIN = "---\nname: cancel\ndescription: Cancel a Kite crew - thermal or ridge.\n---\n# Cancel\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "1. thermal: `kite cancel thermal`\n2. ridge: `kite cancel ridge`",
        "```ts\nendSession('thermal', 'cancelled')\nendSession('ridge', 'cancelled')\n```",
        "```sql\nUPDATE modes SET active = 0 WHERE name = 'thermal';\nDELETE FROM modes WHERE name = 'ridge';\n```",
        "Usage: `/kite:cancel [thermal|ridge]`",
        "Thermal is in `.kite/thermal.json`, ridge in `.kite/ridge.json`. Remove `.kite/ridge.json` first.",
    ],
)
def test_names_that_two_kinds_of_places_give_are_modes(text: str) -> None:
    assert set(facts(text, PLAIN).modes()) == {"thermal", "ridge"}


@pytest.mark.parametrize(
    ("description", "text"),
    [
        ("Cancel an order or a booking.", "`shop cancel order`, `shop cancel booking`"),
        ("Cancel running builds of the pipeline.", "- nightly: `ci cancel nightly`\n- release: `ci cancel release`"),
        ("Explains leases and tracking.", "- `.zed/leases.json`\n- `.zed/tracking.json`"),
        ("Stop the server.", "Write `.zed/config.json` and `.zed/queue.json`."),
    ],
)
def test_other_things_are_no_modes(description: str, text: str) -> None:
    assert facts(text, f"---\nname: cancel\ndescription: {description}\n---\n# Cancel\n\n").modes() == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`--force` does the same without waiting. `--all` is refused.", "force-only"),
        ("`/zed:cancel [--force|--all]`\n\n`--force`: no questions. `--all`: all loops of all sessions.", "split"),
        ("`--force`: every session. `--all`: the same as `--force`.", "same"),
    ],
)
def test_flags_are_apart_where_the_text_describes_them_apart(text: str, said: str) -> None:
    assert facts(text).values("flags") == (said,)


def test_the_directory_of_this_session_is_nothing_that_every_forced_run_removes() -> None:
    found = facts("With `--force` delete `.zed/state/` of this session and `.zed/queue.jsonl`.")
    assert found.values("artifact") == (".zed/queue.jsonl",)


@pytest.mark.parametrize(
    ("text", "mechanism"),
    [
        ("Signal shutdown to all workers, wait 20 seconds.", "message"),
        ("向每个成员发送关闭请求，等待 20 秒。", "message"),
        ("Kill the worker panes, then remove the record.", "tmux"),
        ("Never ask the workers to stop.", ""),
        ("The workers stop by themselves.", ""),
    ],
)
def test_how_workers_are_stopped_is_read_in_plain_words(text: str, mechanism: str) -> None:
    assert facts(text).first("team") == mechanism


def test_what_is_set_stays_set_where_only_removing_is_forbidden() -> None:
    assert actions(
        'When hoist is active, write `"active": false` into `.zed/state/hoist-state.json`. Do not remove it.'
    ) == {"hoist": "deactivate"}


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ('Report what was ended: "Delve ended." or "Hoist ended."', "hoist", "Hoist ended."),
        ('If neither is active, say "Zed is quiet."', "none", "Zed is quiet."),
        ("何も動いていなければ「動いているモードはありません。」と伝える。", "none", "動いているモードはありません。"),
    ],
)
def test_messages_are_read_behind_what_they_are_said_of(text: str, key: str, said: str) -> None:
    assert facts(text).first("message", key) == said


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Zed keeps one marker for each mode below `.zed/run/`:\n\n- `.zed/run/delve.json`\n- `.zed/run/hoist.json`",
            (),
        ),
        ("状态保存在 `.zed/state/`。", ()),
        ("These are kept:\n\n- `.zed/plans/`\n- `.zed/notes/`", (".zed/plans/", ".zed/notes/")),
    ],
)
def test_where_something_lies_is_not_what_stays(text: str, kept: tuple[str, ...]) -> None:
    assert facts(text).values("preserved") == kept
