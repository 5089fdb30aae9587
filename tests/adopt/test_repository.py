"""The repository around a text speaks where the text is silent, each value with its file and line, over the base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_questions import HEAD, keys

from skillgen.build.inputs import Inputs
from skillgen.sync.adopt_text import Adopted, adopt_text

CALLS = (
    "`/quill:cancel` ends the active mode of this session.\n\n"
    '1. Draft: `state_clear(mode="draft", session_id="<session_id>")`\n2. Ink: `state_clear(mode="ink", session_id="<session_id>")`\n'
)
SOURCE = (
    "import { join } from 'node:path'\n"
    "const session = process.env.QUILL_SESSION_ID\n"
    "export const dir = (root) => join(root, '.inkwell', 'state', 'sessions')\n"
)


def plugin(tmp_path: Path, files: dict[str, str], text: str = HEAD + CALLS) -> Path:
    for name, content in {"skills/cancel/SKILL.md": text, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "skills" / "cancel" / "SKILL.md"


def adopted(source: Path, base: str = "pep") -> Adopted:
    return adopt_text(str(source), "quill", Inputs((), ()), base)


@pytest.mark.parametrize("base", ["pep", "rcs", "omc"])
def test_sources_say_where_state_lies_and_how_the_session_is_known(tmp_path: Path, base: str) -> None:
    found = adopted(plugin(tmp_path, {"src/state.mjs": SOURCE}), base)
    assert found.contract["root"]["directory"] == ".inkwell" and "root.directory" not in keys(found)
    assert "QUILL_SESSION_ID" in found.contract["identity"]["variables"]
    assert "src/state.mjs line 3" in found.text and "src/state.mjs line 2" in found.text


def test_the_text_wins_over_its_sources(tmp_path: Path) -> None:
    text = HEAD + CALLS + "\nRecords: `.quill/state/draft-state.json`, of the session `$PLUME_SESSION_ID`.\n"
    contract = adopted(plugin(tmp_path, {"src/state.mjs": SOURCE}, text)).contract
    assert contract["root"]["directory"] == ".quill"
    assert "QUILL_SESSION_ID" not in contract["identity"].get("variables", ())


def test_sources_that_name_two_directories_decide_nothing(tmp_path: Path) -> None:
    found = adopted(plugin(tmp_path, {"src/a.mjs": SOURCE, "src/b.py": "DIR = '.blot/state'\n"}))
    assert "root.directory" in keys(found)


def test_manifests_say_author_licence_homepage_and_host(tmp_path: Path) -> None:
    manifest = {
        "name": "quill",
        "author": {"name": "Ada Feather"},
        "license": "EUPL-1.2",
        "homepage": "https://example.org/quill",
    }
    files = {".codex-plugin/plugin.json": json.dumps(manifest, indent=1)}
    found = adopted(plugin(tmp_path, files))
    product = found.contract["product"]
    assert (product["author"], product["license"]) == ("Ada Feather", "EUPL-1.2")
    assert found.contract["host"]["id"] == "codex"
    assert ".codex-plugin/plugin.json line" in found.text


def test_a_text_that_lies_in_nobodys_plugin_hears_no_repository(tmp_path: Path) -> None:
    source = plugin(tmp_path, {"src/state.mjs": SOURCE})
    alone = tmp_path / "notes" / "SKILL.md"
    alone.parent.mkdir()
    source.rename(alone)
    assert "root.directory" in keys(adopted(alone))


@pytest.mark.parametrize("content", ["\xff\x00 not text", "{", "[]", '{"author": 3, "license": null}'])
def test_what_cannot_be_read_there_says_nothing(tmp_path: Path, content: str) -> None:
    found = adopted(plugin(tmp_path, {"package.json": content, "src/x.js": content}))
    assert found.contract["product"]["author"] == ""
