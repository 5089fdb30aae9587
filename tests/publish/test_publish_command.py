"""`skillgen publish` brings real flavors into a repository under the release's version and marketplace name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from publish_toys import git, snapshot

from skillgen.cli.publish import command
from skillgen.errors import SkillgenError


def run(*arguments: object) -> str:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if result.exception:
        raise result.exception
    assert result.return_value == 0
    return result.output


def test_all_flavors_of_clients_with_marketplaces_are_published(market: Path) -> None:
    run("--to", market, "--tag")
    listed = {
        path: [entry["name"] for entry in json.loads((market / path).read_text())["plugins"]]
        for path in (
            ".claude-plugin/marketplace.json",
            ".agents/plugins/marketplace.json",
            ".github/plugin/marketplace.json",
        )
    }
    assert listed == {
        ".claude-plugin/marketplace.json": ["oh-my-claudecode", "pepcode"],
        ".agents/plugins/marketplace.json": ["oh-my-codex", "rcs"],
        ".github/plugin/marketplace.json": ["copilot-omni"],
    }
    assert git(market, "tag").split() == [
        "copilot-omni--v0.1.0",
        "oh-my-claudecode--v0.1.0",
        "oh-my-codex--v0.1.0",
        "pepcode--v0.1.0",
        "rcs--v0.1.0",
    ]


def test_the_readme_installs_from_the_marketplace_it_is_published_in(market: Path) -> None:
    run("--to", market, "--flavor", "omc")
    text = (market / "plugins/oh-my-claudecode/README.md").read_text()
    assert "/plugin install oh-my-claudecode@my-market" in text


def test_the_version_of_the_release_is_in_every_manifest_and_the_contract(market: Path) -> None:
    run("--to", market, "--flavor", "omc", "--version", "1.4.0-rc.1")
    root = market / "plugins/oh-my-claudecode"
    assert json.loads((root / ".claude-plugin/plugin.json").read_text())["version"] == "1.4.0-rc.1"
    assert json.loads((root / "skills/cancel/contract.json").read_text())["plugin"]["version"] == "1.4.0-rc.1"


def test_the_changelog_tells_the_difference_of_the_contracts(market: Path, tmp_path: Path) -> None:
    run("--to", market, "--flavor", "omc")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "next.yaml").write_text(
        "base: omc\nschema_version: 1\nrevision: '20261001'\nmessages:\n  none: Nothing runs.\n"
    )
    run("--to", market, "--flavor", "next", "--flavors", tmp_path / "own", "--version", "0.2.0")
    text = (market / "plugins/oh-my-claudecode/CHANGELOG.md").read_text()
    section = text.partition("## 0.2.0")[2].partition("## 0.1.0")[0]
    assert "Nothing runs." in section
    assert "0.2.0" not in section


@pytest.mark.parametrize("version", ["1", "v1.0.0", "1.0.0+build", "1.0", "01.0.0", "1.0.0\n"])
def test_a_version_that_is_none_is_refused(market: Path, version: str) -> None:
    before = snapshot(market)
    with pytest.raises(SkillgenError, match="is no semantic version"):
        run("--to", market, "--flavor", "omc", "--version", version)
    assert snapshot(market) == before


def test_a_flavor_whose_host_has_no_marketplace_is_refused_when_asked_for(market: Path) -> None:
    before = snapshot(market)
    with pytest.raises(SkillgenError, match="publish its npm package"):
        run("--to", market, "--flavor", "omd")
    assert snapshot(market) == before


def test_two_flavors_of_one_plugin_are_refused(market: Path) -> None:
    before = snapshot(market)
    with pytest.raises(SkillgenError, match="omc and omc-20260824 are one plugin"):
        run("--to", market, "--flavor", "omc", "--flavor", "omc-20260824")
    assert snapshot(market) == before
