"""A renamed plugin takes its commands and tools along, and an audit judges both by the manifest's name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bundle(skillgen: Any, tmp_path: Path) -> Path:
    text = "base: omc\nproduct: {name: MINE}\nplugin: {name: mine}\nroot: {directory: .mine}\n"
    (tmp_path / "flavors").mkdir()
    (tmp_path / "flavors/renamed.yaml").write_text(text)
    done = skillgen("build", "--flavor", "renamed", "--flavors", tmp_path / "flavors", "--out", tmp_path / "dist")
    assert done.code == 0, done.err
    return tmp_path / "dist/renamed"


def test_nothing_in_the_bundle_is_called_by_the_old_name(skillgen: Any, bundle: Path) -> None:
    for path in bundle.rglob("*"):
        if path.suffix in (".md", ".json"):
            text = path.read_text()
            assert "oh-my-claudecode:" not in text and "plugin_oh-my-claudecode_" not in text, path
    text = (bundle / "skills/cancel/SKILL.md").read_text()
    assert "`/mine:cancel" in text and "mcp__plugin_mine_t__state_clear" in text
    audited = skillgen("audit", bundle)
    assert audited.code == 0 and "grade A" in audited.out, audited.out


def test_a_manifest_renamed_by_hand_is_found(skillgen: Any, bundle: Path) -> None:
    manifest = bundle / ".claude-plugin/plugin.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"name": "other"}))
    audited = skillgen("audit", bundle, "--format", "json")
    assert audited.code == 1
    found = json.loads(audited.out)
    messages = " ".join(json.dumps(found).split())
    assert "/mine:cancel does not reach this skill: the manifest says 'other'" in messages
    assert "a tool of the plugin 'mine': the manifest says 'other'" in messages


@pytest.mark.parametrize(
    ("base", "old"),
    [
        ("pep", "pepcode"),
        ("rcs", "rcs"),
        ("omni", "copilot-omni"),
        ("omx", "oh-my-codex"),
        ("omx-0-20", "oh-my-codex"),
        ("omd", "oh-my-dsh"),
        ("omc-20260824", "oh-my-claudecode"),
    ],
)
def test_no_flavors_bundle_is_called_by_the_old_name(skillgen: Any, tmp_path: Path, base: str, old: str) -> None:
    (tmp_path / "renamed.yaml").write_text(f"base: {base}\nproduct: {{name: MINE}}\nplugin: {{name: mine}}\n")
    done = skillgen("build", "--flavor", "renamed", "--flavors", tmp_path, "--out", tmp_path / "dist")
    assert done.code == 0, done.err
    for path in (tmp_path / "dist/renamed").rglob("*"):
        if path.suffix in (".md", ".json", ".sh", ".yaml"):
            text = path.read_text()
            for derived in (f"/{old}:", f"${old}:", f"plugin_{old}_", f"{old}@"):
                assert derived not in text, (path, text[text.index(derived) - 60 :][:200])
