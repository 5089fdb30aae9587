"""What the reader takes for trigger words, labels, commands, roots and kept or removed paths, and what it leaves alone."""

from __future__ import annotations

import json

import pytest

from skillgen.audit.views import make_text
from skillgen.model.facts import Facts
from skillgen.model.subject import Kind, Source


def facts(body: str, description: str = "Cancel active modes.", extra: str = "") -> Facts:
    front = f"---\nname: cancel\ndescription: {json.dumps(description, ensure_ascii=False)}\n{extra}---\n\n"
    return make_text(Source("cancel/SKILL.md", front + body + "\n", Kind.SKILL)).facts


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Use when the user says 'stop looping', 'cancel kite' or 'halt'.", {"stop looping", "cancel kite", "halt"}),
        ('Triggers on "kite stop", "end kite".', {"kite stop", "end kite"}),
        ("Cancel modes (triggers: stop, abort kite).", {"stop", "abort kite"}),
        ("MUST USE when the user mentions: stop kite, cancel loop", {"stop kite", "cancel loop"}),
        ("用户输入「取消模式」「停止模式」时触发。", {"取消模式", "停止模式"}),
        ("触发词：取消、停止、cancelkite", {"取消", "停止", "cancelkite"}),
        ("「キャンセル」「停止」と言われたら使う。", {"キャンセル", "停止"}),
        ("'취소해', '멈춰' 라고 하면 실행.", {"취소해", "멈춰"}),
        ("Ends runs. Triggers - \"stop kite\", 'kite off'.", {"stop kite", "kite off"}),
        ("Use when the user asks to stop, cancel, or abort a mode.", set()),
    ],
)
def test_trigger_words_of_a_description(description: str, words: set[str]) -> None:
    assert set(facts("x", description).values("keyword")) == words


@pytest.mark.parametrize(
    "body",
    [
        'Never trigger when the user says "stop using tabs".',
        'Phrase the report as "Cancelled two modes".',
        'The agent says "Nothing to cancel" when idle.',
        'If the user says "no", stop. If they answer "yes", go on.',
        'Do not trigger on "stop the server" or "cancel my order".',
        "`state_clear` accepts `mode`; the server says `cancelled`.",
        "Phase is one of `running`, `stop`, `done`; keyword argument `stop`.",
        'If the user said "cancel all", treat it as `--all`.',
        "Run `/kite:cancel` or `$cancel`.",
    ],
)
def test_what_only_looks_like_a_trigger_is_none(body: str) -> None:
    assert not facts(body).values("keyword")


def test_words_of_everyday_talk_are_marked_plain() -> None:
    found = {
        fact.value: fact.detail
        for fact in facts('The user says "stop", "never mind", "취소" or "stop kite".').of("keyword")
    }
    assert found == {"stop": "plain", "never mind": "plain", "취소": "plain", "stop kite": ""}


def test_an_alias_is_a_word_and_a_command_among_triggers_is_none() -> None:
    found = facts("x", extra='aliases: [halt, cancel-ralph]\ntriggers: ["/kite:cancel", "$cancel", "stop kite"]\n')
    assert set(found.values("keyword")) == {"halt", "stop kite"}


@pytest.mark.parametrize(
    ("description", "body", "label"),
    [
        ("Cancel the active Kite Flow session", "`/kite-flow:cancel`", "Kite Flow"),
        ("Stop NEST execution", "Stops any NEST run. `/nest:cancel`", "NEST"),
        ("Stop everything", "```bash\nkite cancel --all\n```\n\nKite keeps its state in SQLite.", "Kite"),
        ("Kite の実行を停止します", "`/kite:cancel`", "Kite"),
        ("Cancel the active mode", "Oh My Kite keeps `.omk/state/`. `/oh-my-kite:cancel`", "Oh My Kite"),
        ("Cancel an active workflow mode", "State is cleared.", ""),
        ("Stop everything", "Ends the active Docker session. `.kite/state/x-state.json`", ""),
        ("Cancel modes", "Claude Code, `.claude/state/x-state.json`. No JSON mode.", ""),
    ],
)
def test_label_by_what_paths_commands_and_sentences_spell(description: str, body: str, label: str) -> None:
    assert facts(body, description).first("label") == label


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("Keep `.kite/plans/` and `.kite/notes.md`; delete `.kite/tmp/`.", {".kite/plans/", ".kite/notes.md"}),
        ("`.kite/a.json` is deleted, `.kite/b.json` is kept.", {".kite/b.json"}),
        ("Delete everything under `.kite/` except `.kite/plans/`.", {".kite/plans/"}),
        ("Never delete `.kite/plans/`.", {".kite/plans/"}),
        ("Preserve the count for a resume, set status in `.kite/settings.json`.", set()),
        ("Do **not** delete `.kite/cache/`: others use it.", {".kite/cache/"}),
        ("Never touch `.omc/state/`; it is another's. State: `.kite/state/a.json`.", set()),
        ("State files are kept in `.kite/state/`.", set()),
        ("Notes: `.kite/notes.md` (preserved), `.kite/tmp/` (deleted).", {".kite/notes.md"}),
        ("Never remove .kite/plans/ by hand.", {".kite/plans/"}),
        ("## Preserved\n\n| What | Why |\n|---|---|\n| Specs in `.kite/specs/` | resume |", {".kite/specs/"}),
        ("To keep the session alive, write `.kite/lock`.", set()),
        ("保留 `.kite/plans/`，删除 `.kite/tmp/`。", {".kite/plans/"}),
        ("`.kite/plans/`는 보존되고 `.kite/tmp/`는 삭제됩니다.", {".kite/plans/"}),
        ("`.kite/plans/` は削除しない。", {".kite/plans/"}),
        ("| File | Kept? |\n|---|---|\n| `.kite/plans/` | yes |\n| `.kite/tmp/` | no |", {".kite/plans/"}),
        ("## Protected files\n\na.json, b.md, d.csv,\nc-done", {"a.json", "b.md", "d.csv", "c-done"}),
    ],
)
def test_kept_paths_by_the_verb_of_their_own_clause(body: str, kept: set[str]) -> None:
    assert set(facts(body).values("preserved")) == kept


@pytest.mark.parametrize(
    ("body", "removed"),
    [
        ("Records:\n\n- `.kite/a.json`\n- `.kite/b.json`", set()),
        ("## Force\n\nWith `--force`, remove:\n\n- `.kite/a.json`\n- `.kite/b.json`", {".kite/a.json", ".kite/b.json"}),
        ("With `--force` also delete `.kite/a.json`.", {".kite/a.json"}),
        ("<Force_Mode>\n1. Delete `.kite/a.json`\n</Force_Mode>\n\n- delete `.kite/b.json`", {".kite/a.json"}),
        ("- delete `.kite/a.json`\n\n## Force\n\n1. Delete `.kite/a.json` and `.kite/b.json`", {".kite/b.json"}),
        (
            '```bash\nif [ "$1" = --force ]; then\n  rm -f .kite/a.json\nelse\n  rm -f .kite/b.json\nfi\n```',
            {".kite/a.json"},
        ),
        (
            "| File | Cancel | --force |\n|---|---|---|\n| `.kite/a.json` | kept | removed |\n| `.kite/b/` | removed | removed |",
            {".kite/a.json"},
        ),
        (
            "<keep>\n- .kite/a/\n- .kite/b/\n</keep>\n<on_force>\n- .kite/c/\n- .kite/d/\n</on_force>",
            {".kite/c/", ".kite/d/"},
        ),
        (
            "`/kite:cancel --force` also:\n\n- removes `.kite/a.json`\n- deletes `.kite/b/`",
            {".kite/a.json", ".kite/b/"},
        ),
        ("# All sessions\n\n## What is never removed\n\n- `.kite/a/`: plans\n- `.kite/b/`: notes", set()),
        ("With `--all`, every run ends and `.kite/queue.json` is deleted.", {".kite/queue.json"}),
        ("## 强制\n\n删除 `.kite/state/*.json` 下的旧文件和 `.kite/a.json`。", {".kite/a.json"}),
        ("## Force\n\nRemoves legacy files under `.kite/old/`; does not remove `.kite/plans/`.", set()),
    ],
)
def test_artifacts_are_what_only_force_removes(body: str, removed: set[str]) -> None:
    assert set(facts(body).values("artifact")) == removed


@pytest.mark.parametrize(
    ("body", "roots"),
    [
        ("`.kite/a-state.json`, `.kite/state/b.json`", {".kite", ".kite/state"}),
        ("`.kite/prd.json`, `.kite/state/a-state.json`", {".kite/state"}),
        ("`.kite/run/a-state.json`, `.kite/run/b-state.json`", {".kite/run"}),
        ("`~/.newhost/teams/x/`, `.kite/state/a.json`", {".kite/state"}),
        ("`.claude/kite/a-state.json`", {".claude/kite"}),
    ],
)
def test_roots_are_where_state_files_lie(body: str, roots: set[str]) -> None:
    assert set(facts(body).values("root")) == roots


def test_a_home_is_never_the_first_root_beside_a_project_root() -> None:
    found = facts("`~/.kite/a-state.json`, `~/.kite/b-state.json`, `.kite/a-state.json`")
    assert found.values("root") == (".kite", "~/.kite")


@pytest.mark.parametrize(
    ("body", "forms"),
    [
        ("</cancel> and path/cancel and https://kite.example/cancel", set()),
        ("```\n@cancel\n```\n\nWrite to me@cancel.example.", {"@cancel"}),
        ("```\n/kite cancel ralph\n```", {"/kite cancel"}),
    ],
)
def test_commands_are_told_from_tags_paths_and_mentions(body: str, forms: set[str]) -> None:
    assert set(facts(body).values("invocation")) == forms


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("- `--force`: clear now\n- `--all`: every session", "split"),
        ("| Flag | Meaning |\n|---|---|\n| `--force` | asks nothing |\n| `--all` | every session |", "split"),
        ("```\n/kite:cancel --all    # every session\n/kite:cancel --force  # without asking\n```", "split"),
        ("- `--force`: clear all\n- `--all`: alias of `--force`", "same"),
        ("`--force` 또는 `--all` 로 모두 지웁니다.", "same"),
        ("Run `git push --force`.", "none"),
    ],
)
def test_flag_rule_by_what_is_said_of_each_flag(body: str, rule: str) -> None:
    assert facts(body).first("flags") == rule
