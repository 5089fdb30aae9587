"""Codex hands the installed skill to a scripted model, which runs the command that the text gives."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from real import Home, client
from scripted_model import Conversation, Model, Say, Step, Use, serve
from text_commands import directory_of, line_of, runs, says, text_of

pytestmark = pytest.mark.client


@pytest.fixture
def installed(stranger: Home) -> Path:
    codex = client("codex")
    assert stranger.run(codex, "plugin", "marketplace", "add", "owner/repo", "--json").code == 0
    added = stranger.run(codex, "plugin", "add", "rcs@skillgen", "--json")
    assert added.code == 0, added.text
    return Path(added.json()["installedPath"])


def talk(home: Home, project: Path, prompt: str, *script: Step) -> Model:
    project.mkdir(exist_ok=True)
    with serve(*script) as model:
        provider = f'{{name="stub",base_url="{model.url}/v1",wire_api="responses",env_key="STUB_KEY"}}'
        done = home.run(
            client("codex"),
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            *("-m", "scripted", "-c", "model_provider=stub", "-c", f"model_providers.stub={provider}"),
            prompt,
            cwd=project,
            env={"STUB_KEY": "none"},
        )
    assert done.code == 0 and not model.errors, (model.errors, done.text[-2000:])
    return model


def act(*, dry_run: bool = False) -> Step:
    return runs("RCS", "exec_command", "cmd", dry_run=dry_run)


#: A mode that began in this session: its record lies where the shell's own variable says.
SEED = (
    'd=".rcs/state/sessions/$CODEX_SESSION_ID"; mkdir -p "$d"; '
    'printf \'{"active": true, "iteration": 2, "linked_ultrawork": true}\' >"$d/forge-state.json"; '
    'printf \'{"active": true}\' >"$d/ultrawork-state.json"; echo "session $CODEX_SESSION_ID"'
)


def seeded(conversation: Conversation) -> Say | Use:
    return Use("exec_command", {"cmd": SEED})


def test_a_typed_cancel_runs_the_texts_line_in_codex(installed: Path, stranger: Home, tmp_path: Path) -> None:
    project = tmp_path / "project"
    script = (seeded, act(dry_run=True), act(), act(dry_run=True), says("Forge cancelled."))
    model = talk(stranger, project, "$rcs:cancel", *script)

    text = text_of(model.sent[0], "RCS")
    assert "<name>rcs:cancel</name>" in text and directory_of(text) == str(installed / "skills/cancel")
    assert line_of(text) == f'python3 "{installed}/skills/cancel/scripts/cancel.py" --dry-run'
    session, looked, done, again = model.last.results
    match = re.search(r"session ([0-9a-f-]{36})", session)
    assert match and f"Session {match[1]}: would" in looked, (session, looked)
    assert "Forge cancelled. Persistent mode deactivated." in done
    assert "No active RCS modes detected." in again
    places = project / ".rcs/state/sessions" / match[1]
    forge, ultrawork = (json.loads((places / f"{name}-state.json").read_text()) for name in ("forge", "ultrawork"))
    for record in (forge, ultrawork):
        assert record["active"] is False and record["current_phase"] == "cancelled" and record["completed_at"]
    assert forge["iteration"] == 2


@pytest.mark.parametrize("form", ["$cancel", "/cancel", "cancelomc"])
def test_no_other_form_hands_the_text_over(installed: Path, stranger: Home, tmp_path: Path, form: str) -> None:
    model = talk(stranger, tmp_path / "project", form, says("What is meant?"))
    assert text_of(model.last, "RCS") == ""
    assert any("rcs:cancel" in words and "cancelomc" in words for words in model.last.texts), "the model is offered it"


def test_with_a_cancel_of_ones_own_the_short_form_is_that_one(installed: Path, stranger: Home, tmp_path: Path) -> None:
    """As the README says."""
    own = stranger.path / ".codex/skills/cancel"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: cancel\ndescription: Mine.\n---\n# Cancel mine\n")
    model = talk(stranger, tmp_path / "project", "$cancel", says("Mine."))
    assert text_of(model.last, "mine") and not text_of(model.last, "RCS")
    readme = " ".join((installed / "README.md").read_text().split())
    assert "with a skill `cancel` of your own `$cancel` is that one" in readme


def test_the_prompt_that_the_plugin_offers_reaches_the_skill(installed: Path, stranger: Home, tmp_path: Path) -> None:
    manifest = json.loads((installed / ".codex-plugin/plugin.json").read_text())
    (offered,) = manifest["interface"]["defaultPrompt"]
    model = talk(stranger, tmp_path / "project", offered, says("Read."))
    assert text_of(model.last, "RCS")
