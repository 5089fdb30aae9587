"""Codex installs the bundle for it and its own loader lists the skill without errors; each check shows that it can fail."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from real import Home, client, files_of

pytestmark = pytest.mark.client


def skills(home: Home) -> dict[str, Any]:
    """Ask Codex's app-server, without a login, what its skill loader found."""
    requests = [
        {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "skillgen", "version": "0"}}},
        {"method": "initialized"},
        {"id": 1, "method": "skills/list", "params": {"cwds": [str(home.path)], "forceReload": True}},
    ]
    env = {"HOME": str(home.path), "PATH": "/usr/bin:/bin", "TERM": "dumb", **home.env}
    with subprocess.Popen(
        [client("codex"), "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env,
        cwd=home.path,
        text=True,
    ) as server:
        assert server.stdin and server.stdout
        try:
            for request in requests:
                server.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
                server.stdin.flush()
            for line in server.stdout:
                reply = json.loads(line)
                if reply.get("id") == 1:
                    return reply["result"]["data"][0]  # type: ignore[no-any-return]
        finally:
            server.kill()
    raise AssertionError("Codex did not answer")


def ours(listed: dict[str, Any]) -> list[str]:
    return [skill["name"] for skill in listed["skills"] if skill["name"].endswith("cancel")]


def test_a_stranger_adds_the_repository_and_codex_lists_the_skill(built: Path, stranger: Home) -> None:
    codex = client("codex")
    added = stranger.run(codex, "plugin", "marketplace", "add", "owner/repo", "--json")
    assert added.code == 0, added.text
    assert added.json()["marketplaceName"] == "skillgen"
    available = stranger.run(codex, "plugin", "list", "--available", "--json").json()["available"]
    assert [plugin["pluginId"] for plugin in available] == ["oh-my-codex@skillgen", "rcs@skillgen"]
    installed = stranger.run(codex, "plugin", "add", "rcs@skillgen", "--json")
    assert installed.code == 0, installed.text
    assert files_of(Path(installed.json()["installedPath"])) == files_of(built / "dist/rcs")
    script = Path(installed.json()["installedPath"]) / "skills/cancel/scripts/cancel.sh"
    ran = stranger.run("bash", script, "--dry-run", "--json")
    assert ran.code == 0 and ran.json()["flavor"] == "rcs", ran.text
    listed = skills(stranger)
    assert ours(listed) == ["rcs:cancel"] and listed["errors"] == []
    assert stranger.run(codex, "plugin", "remove", "rcs@skillgen", "--json").code == 0
    assert ours(skills(stranger)) == []


def test_a_skill_of_the_user_stands_beside_ours_as_the_readme_says(built: Path, home: Home) -> None:
    codex = client("codex")
    text = (built / "dist/rcs/README.md").read_text()
    assert "`$rcs:cancel` only" in text and "with a skill `cancel` of your own `$cancel` is that one" in text
    assert home.run(codex, "plugin", "marketplace", "add", built, "--json").code == 0
    assert home.run(codex, "plugin", "add", "rcs@skillgen", "--json").code == 0
    own = home.path / ".codex" / "skills" / "cancel"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: cancel\ndescription: Mine.\n---\nMine.\n")
    assert sorted(ours(skills(home))) == ["cancel", "rcs:cancel"]


def test_the_bundles_for_claude_code_are_not_offered_to_codex(built: Path, home: Home) -> None:
    codex = client("codex")
    assert home.run(codex, "plugin", "marketplace", "add", built, "--json").code == 0
    assert home.run(codex, "plugin", "add", "oh-my-claudecode@skillgen", "--json").code == 1


def test_codex_reports_a_skill_without_description(repo: Path, home: Home) -> None:
    codex = client("codex")
    (repo / "dist/rcs/skills/cancel/SKILL.md").write_text("---\nname: cancel\n---\nx\n")
    assert home.run(codex, "plugin", "marketplace", "add", repo, "--json").code == 0
    assert home.run(codex, "plugin", "add", "rcs@skillgen", "--json").code == 0
    listed = skills(home)
    assert ours(listed) == [] and len(listed["errors"]) == 1


def test_codex_refuses_an_entry_of_another_name(repo: Path, home: Home) -> None:
    codex = client("codex")
    path = repo / "dist/rcs/.codex-plugin/plugin.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"name": "other"}))
    assert home.run(codex, "plugin", "marketplace", "add", repo, "--json").code == 0
    assert home.run(codex, "plugin", "add", "rcs@skillgen", "--json").code == 1
