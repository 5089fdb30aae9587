"""What adopt puts aside is Markdown in its normal form, so that a block can be moved into `house_rules` as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import mdformat
import pytest
from markdown_it import MarkdownIt

COPY = """\
---
name: cancel
description: Cancel any active Gull mode (dive, glide). Use when the user asks to stop one.
---
# Cancel

`/gull:cancel` ends the active Gull mode. Records are `.gull/state/sessions/<session_id>/<mode>-state.json`. Without a
session id refuse.

1. Glide: `state_clear(mode="glide", session_id="<session_id>")`. Say "Glide cancelled."
2. Dive: `state_clear(mode="dive", session_id="<session_id>")`. Say "Dive cancelled."

## Manners of the house

* Greet the harbour master *kindly* before anything else happens.
* Thank the crew
   - the cook first of all
   - and the carpenter

| Person | Where to find them    |
|:-------|----------------------:|
| Cook   | the galley, at night  |

1) Ring the brass bell.
2) Wait for the echo to fade.

A line that ends in a backslash\\
goes on here.

```text
*  kept   as it   is
```
"""


def _formed(text: str) -> str:
    options = {"number": True, "plugin": {"tables": {"compact_tables": True}}}
    return mdformat.text(text, options=options, extensions={"gfm", "tables"})


def _html(text: str) -> list[str]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text).split()


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    root = tmp_path / "gull"
    (root / "skills/cancel").mkdir(parents=True)
    (root / ".claude-plugin").mkdir()
    (root / ".claude-plugin/plugin.json").write_text('{"name": "gull", "version": "1.0.0", "license": "MIT"}\n')
    return root


def kept(skillgen: Any, plugin: Path, text: str) -> str:
    (plugin / "skills/cancel/SKILL.md").write_text(text, encoding="utf-8")
    done = skillgen("adopt", plugin, "--safest", "--yes", "--uncommitted")
    assert done.code == 0, done.err
    return (plugin / "flavors/gull.kept.md").read_text(encoding="utf-8")


def test_what_is_put_aside_is_in_normal_form_and_renders_to_what_it_rendered_to(skillgen: Any, plugin: Path) -> None:
    said = kept(skillgen, plugin, COPY)
    assert said == _formed(said)
    for begin, end in (
        ("* Greet", "carpenter\n"),
        ("| Person", "night  |\n"),
        ("1) Ring", "fade.\n"),
        ("A line", "here.\n"),
    ):
        block = COPY[COPY.index(begin) : COPY.index(end) + len(end)]
        assert " ".join(_html(block)) in " ".join(_html(said)), said
    assert "```text\n*  kept   as it   is\n```\n" in said


def test_a_block_without_a_normal_form_leaves_the_others_theirs(skillgen: Any, plugin: Path) -> None:
    odd = "".join(f"{n}. step {n} of the long way round the harbour\n" for n in range(1, 13))
    said = kept(skillgen, plugin, f"{COPY}\n{odd}")
    assert odd in said
    assert "- Greet the harbour master *kindly* before anything else happens.\n" in said
    assert "| Cook | the galley, at night |\n" in said


def test_a_block_that_was_put_aside_goes_into_house_rules_as_it_stands(skillgen: Any, plugin: Path) -> None:
    said = kept(skillgen, plugin, COPY)
    at = said.index("- Greet")
    block = said[at : said.index("\n\n<!--", at)]
    flavor = plugin / "flavors/gull.yaml"
    flavor.write_text(flavor.read_text() + "house_rules: |\n" + "".join(f"  {row}\n" for row in block.split("\n")))
    done = skillgen("build", "gull", "--flavors", plugin / "flavors", "--out", plugin / "out")
    assert done.code == 0, done.err
    assert block in (plugin / "out/gull/skills/cancel/SKILL.md").read_text()


def test_mdformat_is_imported_only_where_something_is_put_aside_or_repaired(tmp_path: Path) -> None:
    text = tmp_path / "cancel/SKILL.md"
    text.parent.mkdir()
    text.write_text(
        "---\nname: cancel\ndescription: Stops a mode. Use when asked.\n---\n\n# Cancel\n", encoding="utf-8"
    )
    look = "import sys; from skillgen.cli.main import run; run(); sys.exit('mdformat' in sys.modules)"
    for arguments in (["audit", "--fix", str(text)], ["build", "--flavor", "omc", "--out", str(tmp_path / "out")]):
        done = subprocess.run([sys.executable, "-c", look, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
