"""A skill directory is read whole: what stands in its references and commands counts as what stands in its SKILL.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgen.build.inputs import Inputs
from skillgen.errors import UsageError
from skillgen.sync.adopt_text import adopt_text

MAIN = """\
---
name: cancel
description: Cancel any active Gull mode (dive, glide). Use when the user asks to stop one.
---
# Cancel

`/gull:cancel` ends the active Gull mode. Records are `.gull/state/sessions/<session_id>/<mode>-state.json`.
"""
ORDER = """\
---
title: order
---
# Cancel order

1. Glide: `state_clear(mode="glide", session_id="<session_id>")`
2. Dive: set `active` to `false` in its state file. Never delete its state file.
"""
MESSAGES = '# Messages\n\n| Mode | Message |\n|---|---|\n| Dive | "Dive cancelled. Back at the surface." |\n| Glide | "Glide cancelled." |\n'


@pytest.mark.parametrize("named", ["cancel", "cancel/SKILL.md"])
@pytest.mark.parametrize("directory", ["references", "commands"])
def test_order_actions_and_messages_may_stand_beside_the_skill(tmp_path: Path, directory: str, named: str) -> None:
    root = tmp_path / "cancel"
    (root / directory).mkdir(parents=True)
    (root / "SKILL.md").write_text(MAIN, encoding="utf-8")
    (root / directory / "a-order.md").write_text(ORDER, encoding="utf-8")
    (root / directory / "messages.md").write_text(MESSAGES, encoding="utf-8")
    found = adopt_text(str(tmp_path / named), "gull", Inputs((), ()), "pep")
    modes = found.contract["modes"]
    assert found.contract["order"] == [["glide"], ["dive"]]
    assert (modes["glide"]["action"], modes["dive"]["action"]) == ("clear", "deactivate")
    assert modes["dive"]["message"] == "Dive cancelled. Back at the surface."
    assert f"# {directory}/messages.md line 5" in found.text
    assert f"{directory}/a-order.md line 7: dive: clear (forbidden)" in found.text


def test_a_text_in_another_language_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(
        MAIN
        + "\n1. Glide: 状態ファイルを削除します。\n2. Dive: 状態ファイルを削除します。\n\n## 保持\n\nほかのファイルはすべて保持します。これは必ず守ってください。\n",
        encoding="utf-8",
    )
    found = adopt_text(str(path), "gull", Inputs((), ()), "pep")
    assert "The text is in Japanese; what the bundle says of itself is in English." in found.text


@pytest.mark.parametrize("base", ["omc", "pep", "rcs"])
def test_a_prefix_with_a_hyphen_makes_a_sound_variable(tmp_path: Path, base: str) -> None:
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    text = MAIN.replace("Gull", "OMC").replace("/gull:", "/my-kit:").replace(".gull/", ".my-kit/")
    path.write_text(
        text + "\nThe root is `$OMC_STATE_DIR`, unless `OMC_DISABLE_MULTIREPO` is set.\n\n" + ORDER.split("---\n")[2],
        encoding="utf-8",
    )
    found = adopt_text(str(path), "kit", Inputs((), ()), base)
    assert "my-kit_" not in found.text


@pytest.mark.parametrize(
    "words",
    [
        "`gull cancel <mode>` is the only way to change state; never write files by hand.",
        "Never write state files by hand: run `gull cancel <mode>`.",
        "状态只能通过 `gull cancel <mode>` 改变。",
        "상태는 `gull cancel <mode>` 로만 바꿉니다.",
        "状態を変えるのは `gull cancel <mode>` のみです。",
    ],
)
def test_a_product_that_its_own_program_drives_is_refused_with_that_reason(tmp_path: Path, words: str) -> None:
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(
        f"{MAIN}\n{words}\n\n1. Glide: `gull cancel glide`\n2. Dive: `gull cancel dive`\n", encoding="utf-8"
    )
    with pytest.raises(UsageError, match=r"its state is changed by its own program alone \(line 9: .*`gull cancel"):
        adopt_text(str(path), "gull", Inputs((), ()), "pep")


def test_a_program_beside_the_files_is_no_reason_to_refuse(tmp_path: Path) -> None:
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(f"{MAIN}\nOr run `gull cancel dive`.\n\n1. Glide\n2. Dive\n", encoding="utf-8")
    assert adopt_text(str(path), "gull", Inputs((), ()), "pep").contract["modes"].keys() == {"glide", "dive"}
