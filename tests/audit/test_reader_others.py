"""Hold the reader against skills that cancel something else than modes, and against what looks like a mode in those that do."""

from __future__ import annotations

import pytest

from skillgen.audit.text import Text
from skillgen.audit.views import make_text
from skillgen.model.subject import Kind, Source


def text(body: str, description: str = "Cancel the active mode") -> Text:
    front = f"name: cancel\ndescription: {description}\n"
    return make_text(Source("cancel/SKILL.md", f"---\n{front}---\n{body}\n", Kind.SKILL))


OTHERS = [
    ("Cancel a running CI build", "1. Pipeline: find it\n2. Team: tell them\n\nDelete `.ci/build-state.json`."),
    ("Cancel an order and refund it", "Shipping modes: `express`, `standard`, `pickup`.\n\n> Express cancelled."),
    ("Cancel a customer's subscription", "- **Team**: at once\n- **Pipeline**: later\n\nSet `active=false`."),
    ("Cancel a feature flag rollout", "Rollout modes (canary, linear, instant) stay.\n\n- **Swarm**: stop it"),
    (
        "Cancel a running backup job",
        "| Mode | On cancel |\n|---|---|\n| copy | delete `.b/copy-state.json` |\n| move | keep |",
    ),
    (
        "Cancel long-running database queries",
        "- **Team**: ask\n\nIn read-only mode set `active=false` in `etl-state.json`.",
    ),
    (
        "Stop the dev server and its watchers",
        "Watch modes:\n\n- **poll**: kill it\n- **watch**: kill it\n\nRemove `.dev/server-state.json`.",
    ),
    ("取消用户的订单", "模式：\n\n- **自动**：退款\n- **Team**：联系客服"),
    ("빌드 취소", "- **Pipeline**: 중지\n- **Team**: 알림"),
]


@pytest.mark.parametrize(("description", "body"), OTHERS)
def test_a_skill_that_cancels_something_else_gives_no_modes_and_no_actions(description: str, body: str) -> None:
    facts = text(body, description).facts
    assert not facts.modes() and not facts.order()
    assert not [fact for fact in facts if fact.kind in ("action", "artifact")]


@pytest.mark.parametrize(("description", "body"), OTHERS)
def test_a_skill_that_cancels_something_else_is_no_cancel_of_modes(description: str, body: str) -> None:
    assert not text(body, description).is_cancel


@pytest.mark.parametrize(("description", "body"), OTHERS)
def test_the_same_body_about_modes_is_a_cancel_of_modes(description: str, body: str) -> None:
    assert text(f"{body}\n\nCancel any active Loom mode: `weave`, `spin`, `ralph`.").is_cancel


@pytest.mark.parametrize(
    "body",
    [
        "- `mode`: how to cancel (graceful, immediate, forced)",
        "## Works with\n\n- **ralph**: start it again\n- **ultrawork**: not touched",
        "To stop it, write its record:\n\n- `active`: `false`\n- `status`: `cancelled`",
        "Modes that it does not have (ralph, autopilot, ultrawork) are another product's.",
        "## Notify the team\n\nTell it.\n\n## Drain the pipeline\n\nx",
    ],
)
def test_parameters_other_skills_fields_and_absent_modes_are_no_modes(body: str) -> None:
    assert not text(body).facts.modes()


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("It knows `--force`; `--all` is not supported.", "force-only"),
        ("支持 `--force`，不支持 `--all`。", "force-only"),
        ("There is no `--force`; use `--all`.", "all-only"),
        ("`--force`は対応していません。`--all` を使う。", "all-only"),
        ("`--force` and `--all` do the same.", "same"),
    ],
)
def test_a_flag_that_a_text_says_it_lacks_is_not_one_of_its_flags(line: str, flags: str) -> None:
    assert list(text(line).facts.values("flags")) == [flags]


def test_a_sample_of_state_is_no_end_state() -> None:
    sample = '{"modes": {"weave": {"active": true}, "spin": {"active": false}}}'
    body = f"Modes: `weave`, `spin`, `ralph`.\n\n```json\n{sample}\n```"
    assert not list(text(body).facts.of("action"))


def test_a_removal_by_another_program_than_a_shell_clears_the_mode() -> None:
    body = "Modes: `weave`, `spin`, `ralph`.\n\n```js\nfs.unlinkSync('.loom/state/weave-state.json')\n```"
    assert [(fact.key, fact.value) for fact in text(body).facts.of("action")] == [("weave", "clear")]


def test_a_tool_that_a_text_says_it_does_not_have_is_not_one_of_its_tools() -> None:
    assert not list(text("Do not use `state_clear`; Loom has no such tool.").facts.of("tool"))
