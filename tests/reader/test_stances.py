"""What a text forbids is never taken for an order, in any of the ways, on any surface, in any of the languages."""

from __future__ import annotations

import pytest
from forbidding import MORE, ORDERS, WAYS, filled, place, skill
from hypothesis import given, settings
from hypothesis import strategies as st
from no_orders import NO_ORDERS

from skillgen.audit.reader.ordering import stances
from skillgen.audit.views import make_text
from skillgen.model.subject import Kind, Source
from skillgen.reader.lexicon import LANGUAGES, lexicon

HEAD = "---\nname: cancel\ndescription: Cancel any active Loom mode (ralph, team). Use when asked to stop one.\n---\n# Cancel\n\n"


def stance(text: str, surface: str) -> str:
    line, column = place(text, surface)
    read = stances(make_text(Source("SKILL.md", f"{HEAD}{text}\n", Kind.SKILL)))
    return read.at(HEAD.count("\n") + line, column).value


@pytest.mark.parametrize(("language", "surface", "text"), filled(WAYS))
def test_each_way_to_forbid_is_known(language: str, surface: str, text: str) -> None:
    assert stance(text, surface) == "denied"


@pytest.mark.parametrize(("language", "surface", "text"), filled(MORE))
def test_what_is_no_order_is_never_said(language: str, surface: str, text: str) -> None:
    assert stance(text, surface) != "said"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_told_asked_of_others_or_spoken_ill_of_is_never_said(language: str) -> None:
    cases = filled({language: NO_ORDERS[language]})
    assert [text for _, surface, text in cases if stance(text, surface) == "said"] == []


@pytest.mark.parametrize("mark", list("’‘ʼ´‛＇"))
def test_an_apostrophe_of_any_shape_is_one(mark: str) -> None:
    cases = [(surface, text) for _, surface, text in filled({"en": (*WAYS["en"], *NO_ORDERS["en"])}) if "’" in text]
    assert cases
    assert [text for surface, text in cases if stance(text.replace("’", mark), surface) == "said"] == []


#: Nouns and more that turn nothing; who does a deed has to be known, so none of them is.
PLAIN = [
    word for word, role in lexicon("en").roles.items() if role.kind == "neutral" and not role.value and word.isalpha()
]


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from(PLAIN),
    st.sampled_from(["The {} removes {}.", "The {} will remove {}.", "{} is removed by the {}.", "Removing {} is {}."]),
)
def test_what_some_other_thing_does_is_no_order(word: str, form: str) -> None:
    path = "`.loom/state/ralph-state.json`"
    text = form.format(word, path) if form.startswith("The") else form.format(path, word)
    assert stance(text, "path") != "said"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_term_has_a_blank_edge(language: str) -> None:
    assert [term for term in lexicon(language).roles if term != term.strip() or not term] == []


@pytest.mark.parametrize(("language", "surface", "text"), [*filled(WAYS), *filled(MORE)])
def test_what_is_no_order_gives_no_fact(language: str, surface: str, text: str) -> None:
    facts = make_text(Source("SKILL.md", skill(language, surface, text), Kind.SKILL)).facts
    end = "deactivate" if surface == "write" else "clear"
    said = facts.values("action", "ralph")
    if surface != "write" or (language, surface, text) in filled(WAYS):
        assert said == ("clear" if surface == "write" else "deactivate",)
    if (language, surface, text) in filled(WAYS):
        assert facts.held("action", "ralph")[end].stance == "denied"


@pytest.mark.parametrize(("language", "surface", "text"), filled(ORDERS))
def test_an_order_in_plain_words_is_said(language: str, surface: str, text: str) -> None:
    assert stance(text, surface) == "said"


@pytest.mark.parametrize(
    "text",
    [
        "Call `state_clear`, which removes `.loom/state/ralph-state.json`.",
        "Cancelling a mode removes `.loom/state/ralph-state.json`.",
        "This skill also removes `.loom/state/ralph-state.json`.",
        "Ralph then removes `.loom/state/ralph-state.json`.",
        "For stale workers remove `.loom/state/ralph-state.json`.",
        "The next step is to remove `.loom/state/ralph-state.json`.",
        "It is necessary to remove `.loom/state/ralph-state.json`.",
        "You will have to remove `.loom/state/ralph-state.json`.",
        "Make sure to remove `.loom/state/ralph-state.json`.",
        "Afterwards `.loom/state/ralph-state.json` is removed by the skill.",
        "Remove `.loom/state/ralph-state.json`, which is stale.",
    ],
)
def test_what_the_skill_or_its_reader_does_is_an_order(text: str) -> None:
    assert stance(text, "path") == "said"


@pytest.mark.parametrize(
    "word",
    ["blunder", "fiasco", "gone", "heresy", "sabotage", "oops", "forgo", "eschew", "spurn", "desist", "shun", "balk"],
)
def test_a_word_that_no_lexicon_holds_makes_an_order_unknown(word: str) -> None:
    assert stance(f"Run `rm -f .loom/state/ralph-state.json` {word}.", "rm") == "unknown"
    assert stance(f"{word.title()} to run `rm -f .loom/state/ralph-state.json`.", "rm") == "unknown"


def test_a_name_of_the_text_makes_nothing_unknown() -> None:
    assert stance("Loom's Ralph: run `rm -f .loom/state/ralph-state.json`.", "rm") == "said"


@pytest.mark.parametrize(
    "text",
    [
        "Never stop the team. Run `rm -f .loom/state/ralph-state.json`.",
        "Keep the plan, and run `rm -f .loom/state/ralph-state.json`.",
        "Run `rm -f .loom/state/ralph-state.json`; do not remove the plan.",
        "Run `rm -f .loom/state/ralph-state.json`, but never touch `.loom/plans/`.",
        "Do not pause but run `rm -f .loom/state/ralph-state.json`.",
        "If no worker is left, run `rm -f .loom/state/ralph-state.json`.",
        "Do not forget to run `rm -f .loom/state/ralph-state.json`.",
    ],
)
def test_a_negation_of_another_clause_turns_nothing(text: str) -> None:
    assert stance(text, "rm") == "said"


FORCED = "Say `/loom:cancel --force` for every session. Records: `.loom/state/<mode>-state.json`.\n\n1. Ralph\n2. Team\n\n## With `--force`\n\n"


@pytest.mark.parametrize(
    ("words", "stance"),
    [
        ("Also remove `.loom/state/old.db`.", "said"),
        ("```bash\nrm -f .loom/state/old.db\n```", "said"),
        ("Removed as well:\n\n- `.loom/state/old.db`\n- `.loom/state/old.lock`", "said"),
        ("Never remove `.loom/state/old.db`.", ""),
        ("Don’t run `rm -f .loom/state/old.db`.", ""),
        ("Never:\n\n```bash\nrm -f .loom/state/old.db\n```", "denied"),
        ("Not removed:\n\n- `.loom/state/old.db`\n- `.loom/state/old.lock`", ""),
        ("It would be folly to remove `.loom/state/old.db`.", "unknown"),
        ("Regrettably removed in the past:\n\n- `.loom/state/old.db`\n- `.loom/state/old.lock`", "unknown"),
    ],
)
def test_a_forced_run_removes_only_what_the_text_says_in_known_words(words: str, stance: str) -> None:
    facts = make_text(Source("SKILL.md", f"{HEAD}{FORCED}{words}\n", Kind.SKILL)).facts
    found = {fact.value: fact.stance for fact in facts.every if fact.kind == "artifact"}
    assert found.get(".loom/state/old.db", "") in ((stance,) if stance else ("", "denied", "unknown"))
    assert (".loom/state/old.db" in facts.values("artifact")) == (stance == "said")


#: Written after the lexicons, to see what they make of ways that they were not made for.
R = "`rm -f .loom/state/ralph-state.json`"
FORMS = [
    f"At no point run {R}.",
    f"Running {R} is out of the question.",
    f"You are not allowed to run {R}.",
    f"There is never a reason to run {R}.",
    f"Run {R} only in your dreams.",
    f"It is too late to run {R}.",
    f"Leave {R} to the host.",
    f"{R} belongs to the installer.",
    f"Ask the user to run {R}.",
    f"The agent stops before it runs {R}.",
    f"Stop before running {R}.",
    f"Keep the record: {R} would remove it.",
    f"Let the next session run {R}.",
    f"Everything but {R}.",
    f"All steps, {R} excluded.",
    f"Less is more: {R} is not a step.",
    f"What {R} does is not wanted.",
    f"Do all of this but not {R}.",
    f"This skill has no {R}.",
    f"Check that nobody runs {R}.",
    f"Make sure that no step runs {R}.",
    f"Use the tool, not {R}.",
    f"Prefer the tool over {R}.",
    f"The tool replaces {R}.",
    f"Stay clear of {R}.",
    f"Run everything except {R}.",
    f"In place of {R}, set active to false.",
    f"A run of {R} is an error.",
    f"Report it and stop; {R} is for the maintainer.",
    f"If you see {R} in an older text, do not follow it.",
    f"To run {R} is to lose the plan.",
    f"Before the workers have stopped, never run {R}.",
    f"The old skill called {R}; this one sets active to false.",
    f"Refrain. {R} removes the plan.",
    f"Run {R} in no mode.",
    f"Run {R} under none of these modes.",
    f"Step 3 (skipped): run {R}.",
    f"Run {R}? Only with `--force`.",
    f"- [ ] ~~run {R}~~",
    f"Wait instead of running {R}.",
    f"Cancel without {R}.",
    f"{R}, which the previous version ran, is gone.",
    f"Until the team has stopped, {R} must wait.",
    f"Let {R} be.",
    f"End this before {R} runs.",
    f"Pause, so that {R} does not run.",
    f"Exit before {R}.",
    f"切忌运行 {R}。",
    f"运行 {R} 是不被允许的。",
    f"请勿在任何时候运行 {R}。",
    f"让用户运行 {R}。",
    f"停止，而不要运行 {R}。",
    f"除 {R} 外，全部运行。",
    f"{R} 由主机运行。",
    f"不再运行 {R}。",
    f"运行 {R} 之前先停下。",
    f"{R} 실행은 허용되지 않습니다.",
    f"{R} 를 실행하면 안 돼요.",
    f"{R} 실행은 사용자에게 맡기세요.",
    f"{R} 를 제외하고 모두 실행하세요.",
    f"{R} 는 더 이상 실행하지 않음.",
    f"{R} 실행 전에 멈추세요.",
    f"{R} の実行は認められていません。",
    f"{R} を実行してはだめです。",
    f"{R} はユーザーに任せる。",
    f"{R} 以外を実行する。",
    f"{R} はもう実行しない。",
    f"{R} を実行する前に止まる。",
    f"{R} を実行せず報告する。",
]


@pytest.mark.parametrize("text", FORMS)
def test_a_way_for_which_no_lexicon_was_made_is_no_order_either(text: str) -> None:
    assert stance(text, "rm") != "said"


@pytest.mark.parametrize(
    "code",
    [
        "# this block is what cancel must never do\nset -e\n\ncd .loom\n{}",
        "if false; then\n  {}\nfi",
        "exit 0\n{}",
        "{}  # DON'T",
        "{} // not yet implemented",
    ],
)
def test_what_never_runs_in_a_block_of_code_is_no_order(code: str) -> None:
    text = f"```bash\n{code.format('rm -f .loom/state/ralph-state.json')}\n```"
    assert stance(text, "rm") != "said"


def test_a_comment_that_turns_nothing_leaves_the_block_an_order() -> None:
    code = "# end the mode\nset -e\n\nif [ -f x ]; then exit 0; fi\nrm -f .loom/state/ralph-state.json"
    assert stance(f"```bash\n{code}\n```", "rm") == "said"


def test_a_row_led_by_a_mode_is_an_order_whatever_the_row_says_of_other_matters() -> None:
    rows = f"| Mode | How | Message |\n|---|---|---|\n| Ralph | {R} | gone |"
    assert stance(rows, "rm") == "said"
