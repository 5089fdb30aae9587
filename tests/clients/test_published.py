"""What `skillgen publish` leaves in a repository is what the clients themselves would accept and tag."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from real import Home, client, files_of

from skillgen.cli.publish import command

pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("published") / "our-market"
    subprocess.run(["git", "init", "--quiet", "-b", "main", root], check=True)
    for key, value in (("user.name", "Pub Lisher"), ("user.email", "pub@example.org")):
        subprocess.run(["git", "config", key, value], cwd=root, check=True)
    done = CliRunner().invoke(command, ["--to", str(root), "--tag"], standalone_mode=False)
    assert done.exception is None, done.exception
    return root


def test_claude_code_validates_the_published_repository(market: Path, home: Home) -> None:
    for path in (market, market / "plugins/oh-my-claudecode", market / "plugins/pepcode"):
        done = home.run(client("claude"), "plugin", "validate", "--strict", path)
        assert done.code == 0, done.text


def test_claude_code_finds_its_own_tag_set_already(market: Path, home: Home) -> None:
    claude, plugin = client("claude"), market / "plugins/pepcode"
    done = home.run(claude, "plugin", "tag", "--dry-run", ".", cwd=plugin)
    assert done.code == 1 and 'Tag "pepcode--v0.1.0" already exists locally' in done.text, done.text
    forced = home.run(claude, "plugin", "tag", "--dry-run", "--force", ".", cwd=plugin)
    assert forced.code == 0 and '-m "pepcode 0.1.0"' in forced.text, forced.text


def test_claude_code_installs_from_the_published_repository(market: Path, home: Home) -> None:
    claude = client("claude")
    assert home.run(claude, "plugin", "marketplace", "add", market).code == 0
    assert home.run(claude, "plugin", "install", "--json", "pepcode@our-market").json()["outcome"] == "ok"


def test_codex_installs_from_the_published_repository(market: Path, home: Home) -> None:
    codex = client("codex")
    assert home.run(codex, "plugin", "marketplace", "add", market, "--json").code == 0
    added = home.run(codex, "plugin", "add", "rcs@our-market", "--json")
    assert added.code == 0, added.text
    assert files_of(Path(added.json()["installedPath"])) == files_of(market / "plugins/rcs")
