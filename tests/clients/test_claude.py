"""Claude Code validates, lists, installs and loads the bundles for it; each check shows that it can fail."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from real import Home, Result, client, files_of

pytestmark = pytest.mark.client

PLUGINS = {"omc": "oh-my-claudecode", "pep": "pepcode"}


def validate(home: Home, path: Path, *options: str) -> tuple[int, dict]:  # type: ignore[type-arg]
    done = home.run(client("claude"), "plugin", "validate", "--strict", "--json", *options, path)
    return done.code, done.json()


def plugins(done: Result) -> list[dict]:  # type: ignore[type-arg]
    """Return the plugins that do not come with Claude Code itself."""
    return [plugin for plugin in done.json() if not plugin["id"].endswith("@builtin")]


@pytest.mark.parametrize("flavor", PLUGINS)
def test_strict_validation_provides_the_skill(built: Path, home: Home, flavor: str) -> None:
    code, report = validate(home, built / "dist" / flavor)
    assert code == 0 and report["success"]
    assert report["provides"]["skills"] == [f"{PLUGINS[flavor]}:cancel"]


@pytest.mark.parametrize("flavor", PLUGINS)
def test_the_directory_profile_has_nothing_that_blocks(built: Path, home: Home, flavor: str) -> None:
    _, report = validate(home, built / "dist" / flavor, "--profile", "directory")
    assert not [finding for finding in report["directory"]["findings"] if finding["blocking"]]
    assert {finding["code"] for finding in report["directory"]["findings"]} <= {"ICON_MISSING"}


def test_the_marketplace_passes_strict_validation(built: Path, home: Home) -> None:
    code, report = validate(home, built)
    assert code == 0, report


def test_validation_refuses_an_unknown_key(repo: Path, home: Home) -> None:
    path = repo / "dist/omc/.claude-plugin/plugin.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"skils": "./skills/"}))
    assert validate(home, repo / "dist/omc")[0] == 1


def test_validation_provides_nothing_when_the_skill_is_misspelt(repo: Path, home: Home) -> None:
    (repo / "dist/omc/skills/cancel/SKILL.md").rename(repo / "dist/omc/skills/cancel/skill.md")
    assert validate(home, repo / "dist/omc")[1]["provides"]["skills"] == []


def test_validation_refuses_a_climbing_marketplace(repo: Path, home: Home) -> None:
    path = repo / ".claude-plugin/marketplace.json"
    path.write_text(path.read_text().replace("./dist/omc", "../dist/omc"))
    assert validate(home, repo)[0] == 1


@pytest.mark.parametrize("flavor", PLUGINS)
def test_a_stranger_adds_the_repository_installs_and_uninstalls(built: Path, stranger: Home, flavor: str) -> None:
    claude, name = client("claude"), PLUGINS[flavor]
    added = stranger.run(claude, "plugin", "marketplace", "add", "owner/repo")
    assert added.code == 0, added.text
    markets = stranger.run(claude, "plugin", "marketplace", "list", "--json").json()
    assert [market["name"] for market in markets] == ["skillgen"]
    done = stranger.run(claude, "plugin", "install", "--json", f"{name}@skillgen").json()
    assert done["outcome"] == "ok"
    (plugin,) = plugins(stranger.run(claude, "plugin", "list", "--json"))
    assert plugin["id"] == f"{name}@skillgen" and plugin["version"] == "0.1.0" and not plugin.get("errors")
    assert files_of(Path(plugin["installPath"])) == files_of(built / "dist" / flavor)
    script = Path(plugin["installPath"]) / "skills/cancel/scripts/cancel.py"
    ran = stranger.run(sys.executable, "-B", script, "--session-id", "abc", "--dry-run", "--json")
    assert ran.code == 0 and ran.json()["flavor"] == flavor, ran.text
    details = stranger.run(claude, "plugin", "details", f"{name}@skillgen")
    assert details.code == 0 and "Skills (1)  cancel" in details.out
    assert stranger.run(claude, "plugin", "uninstall", f"{name}@skillgen").code == 0
    assert plugins(stranger.run(claude, "plugin", "list", "--json")) == []


def test_the_install_line_of_the_readme_is_the_one_that_works(built: Path) -> None:
    text = (built / "dist/omc/README.md").read_text()
    assert "/plugin install oh-my-claudecode@skillgen" in text


def test_install_fails_where_the_bundle_is_missing(repo: Path, home: Home) -> None:
    claude = client("claude")
    (repo / "dist/omc").rename(repo / "dist/gone")
    assert home.run(claude, "plugin", "marketplace", "add", repo).code == 0
    assert home.run(claude, "plugin", "install", "--json", "oh-my-claudecode@skillgen").code == 1


@pytest.fixture
def archive(built: Path, tmp_path: Path) -> Path:
    from click.testing import CliRunner

    from skillgen.cli.pack import command

    arguments = ["--flavor", "omc", "--out", str(tmp_path / "packed"), "--dist", str(built / "dist")]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).return_value == 0
    return tmp_path / "packed/omc/oh-my-claudecode-0.1.0.zip"


def test_the_packed_zip_loads_for_one_session(archive: Path, home: Home) -> None:
    (plugin,) = plugins(home.run(client("claude"), "--plugin-dir", archive, "plugin", "list", "--json"))
    assert plugin["id"] == "oh-my-claudecode@inline" and plugin["version"] == "0.1.0" and not plugin.get("errors")


def test_a_damaged_zip_does_not_load(archive: Path, home: Home) -> None:
    archive.write_bytes(archive.read_bytes()[:-400])
    done = home.run(client("claude"), "--plugin-dir", archive, "plugin", "list", "--json")
    assert done.code or not [plugin for plugin in plugins(done) if not plugin.get("errors")]
