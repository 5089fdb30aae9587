"""What a house asks of a cancel stands in one section of SKILL.md, and is held to what holds for the rest of it."""

from __future__ import annotations

from pathlib import Path

import mdformat
import pytest

from skillgen.build.inputs import Inputs
from skillgen.build.into import render_one
from skillgen.drift.merge_front import split_front
from skillgen.errors import InputError

RULES = """\
Tell the people in #ops before anything is cancelled.

- Ask the lead of the shift *twice*.

  ```text
  OPS-1
  ```

### At night

| Who | Whom |
| -- | -- |
| ops | the night shift |
"""


def render(tmp_path: Path, rules: str) -> str:
    block = "".join(f"  {line}\n" if line else "\n" for line in rules.rstrip("\n").split("\n"))
    text = f'base: omc\nrevision: "20270101"\nhouse_rules: |\n{block}'
    (tmp_path / "mine.yaml").write_text(text)
    return render_one(Inputs([str(tmp_path)], ()), "mine")[1]["skills/cancel/SKILL.md"].data.decode()


def test_house_rules_stand_as_they_are_in_one_section_after_the_rules(tmp_path: Path) -> None:
    text = render(tmp_path, RULES)
    assert f"\n## House rules\n\n{RULES}\n" in text
    assert text.index("\n## Rules\n") < text.index("\n## House rules\n") < text.index("\n## Session and detection\n")
    body = split_front(text)[1]
    options = {"number": True, "plugin": {"tables": {"compact_tables": True}}}
    assert mdformat.text(body, options=options, extensions={"gfm", "tables"}).strip() == body.strip()


def test_a_flavor_without_house_rules_has_no_such_section() -> None:
    files = render_one(Inputs((), ()), "omc")[1]
    assert b"House rules" not in files["skills/cancel/SKILL.md"].data


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        ("## All sessions\n\nKill them.", "holds the heading 'All sessions', the section is of level 2"),
        ("Title\n=====\n", "holds the heading 'Title'"),
        ("> # Deep\n", "holds the heading 'Deep'"),
        ("* one\n* two", "line 1 of it, '* one', is not in the normal form of Markdown, write '- one'"),
        ("Run !`date` first.", "holds a command that Claude Code runs by itself"),
        ("```!\ndate\n```", "holds a command that Claude Code runs by itself"),
        ("Fine.\u202e", "hidden character U+202E"),
    ],
)
def test_what_would_break_out_of_the_section_is_refused_with_its_place(tmp_path: Path, rules: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        render(tmp_path, rules)
    (problem,) = caught.value.problems
    assert problem.path.endswith("mine.yaml") and problem.line == 3
    assert what in str(caught.value)


def test_what_the_audit_calls_an_error_is_built_into_no_house_rule(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        render(
            tmp_path,
            "Greet.\n\nThen clean up:\n\n```bash\ntmux ls | grep '^acme-' | xargs -n1 tmux kill-session -t\n```",
        )
    assert "line 6 of the house rules:" in str(caught.value) and "(SG202)" in str(caught.value)
    assert "mine.yaml:3" in str(caught.value)
