"""Factory Droid installs the bundles for it, and those for Claude Code. Slower to fetch: `tests/clients/run-slower` runs these."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from real import Home, client, files_of

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not os.environ.get("SKILLGEN_SLOWER_CLIENTS"), reason="tests/clients/run-slower runs these"),
]


@pytest.fixture
def market(skillgen: Any, tmp_path: Path) -> Path:
    """A repository with one bundle for Droid, made by the commands that make ours."""
    root = tmp_path / "droids"
    (root / "flavors").mkdir(parents=True)
    (root / "flavors/omc-droid.yaml").write_text("base: omc\nhost: {id: droid}\n")
    built = skillgen("build", "--flavor", "omc-droid", "--flavors", root / "flavors", "--out", root / "dist")
    assert built.code == 0, built.err
    assert skillgen("marketplace", root, "--name", "any", "--owner", "somebody").code == 0
    commit(root)
    return root


def commit(root: Path) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (["init", "--quiet", "-b", "main"], ["add", "."], [*who, "commit", "--quiet", "-m", "Bundles"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)


def installed(home: Home) -> list[Path]:
    """Return the roots of the plugins that Droid keeps a copy of."""
    return [path.parents[2] for path in (home.path / ".factory/plugins/cache").rglob("skills/cancel/SKILL.md")]


def test_droid_installs_the_bundle_updates_and_removes_it(market: Path, home: Home) -> None:
    droid = client("droid")
    assert home.run(droid, "plugin", "marketplace", "add", market).code == 0
    # It names a marketplace after its directory, as the README says.
    done = home.run(droid, "plugin", "install", "oh-my-claudecode@droids")
    assert done.code == 0, done.text
    assert "oh-my-claudecode@droids" in home.run(droid, "plugin", "list").out
    (root,) = installed(home)
    assert files_of(root) == files_of(market / "dist/omc-droid")
    ran = home.run(sys.executable, "-B", root / "skills/cancel/scripts/cancel.py", "--session-id", "s", "--dry-run")
    assert ran.code == 0, ran.text
    manifest = market / "dist/omc-droid/.factory-plugin/plugin.json"
    manifest.write_text(manifest.read_text().replace('"0.1.0"', '"0.2.0"'))
    commit(market)
    assert home.run(droid, "plugin", "marketplace", "update", "droids").code == 0
    assert home.run(droid, "plugin", "update", "oh-my-claudecode@droids").code == 0
    versions = {json.loads((root / ".factory-plugin/plugin.json").read_text())["version"] for root in installed(home)}
    assert "0.2.0" in versions
    assert home.run(droid, "plugin", "uninstall", "oh-my-claudecode@droids").code == 0
    assert "oh-my-claudecode" not in home.run(droid, "plugin", "list").out


def test_droid_takes_the_bundles_for_claude_code_as_they_are(built: Path, home: Home) -> None:
    droid = client("droid")
    assert home.run(droid, "plugin", "marketplace", "add", built).code == 0
    done = home.run(droid, "plugin", "install", "oh-my-claudecode@market")
    assert done.code == 0, done.text
    (root,) = installed(home)
    assert files_of(root / "skills") == files_of(built / "dist/omc/skills")


def test_droid_refuses_what_its_marketplace_does_not_list(market: Path, home: Home) -> None:
    droid = client("droid")
    assert home.run(droid, "plugin", "marketplace", "add", market).code == 0
    assert home.run(droid, "plugin", "install", "pepcode@droids").code != 0
