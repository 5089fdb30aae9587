"""`skillgen marketplace` lists each bundle for the clients whose manifest it carries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillgen.cli.marketplace import command
from skillgen.errors import InputError, UsageError
from skillgen.model.semver import is_version, version_key

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.return_value, result.output


def manifest(root: Path, path: str, **data: object) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"name": "toy", "version": "1.0.0", "description": "Toys.", **data}))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    manifest(tmp_path / "My_Repo", "dist/b/.claude-plugin/plugin.json", name="bee")
    manifest(tmp_path / "My_Repo", "dist/a/.claude-plugin/plugin.json", name="ant")
    manifest(tmp_path / "My_Repo", "dist/a/.codex-plugin/plugin.json", name="ant")
    manifest(tmp_path / "My_Repo", "dist/c/package.json", name="npm-only")
    return tmp_path / "My_Repo"


def test_each_client_sees_the_bundles_that_carry_its_manifest(repo: Path) -> None:
    assert run(repo)[0] == 0
    claude = json.loads((repo / ".claude-plugin/marketplace.json").read_text())
    assert [(entry["name"], entry["source"]) for entry in claude["plugins"]] == [
        ("ant", "./dist/a"),
        ("bee", "./dist/b"),
    ]
    codex = json.loads((repo / ".agents/plugins/marketplace.json").read_text())
    assert [entry["name"] for entry in codex["plugins"]] == ["ant"]
    assert claude["name"] == codex["name"] == "my-repo"
    assert not (repo / ".github").exists()


def test_a_second_run_changes_nothing_and_check_is_content(repo: Path) -> None:
    run(repo)
    assert run(repo) == (0, "")
    assert run(repo, "--check") == (0, "")


def test_check_sees_a_new_bundle_and_writes_nothing(repo: Path) -> None:
    run(repo)
    before = (repo / ".claude-plugin/marketplace.json").read_bytes()
    manifest(repo, "dist/d/.claude-plugin/plugin.json", name="dog")
    code, text = run(repo, "--check")
    assert code == 1 and ".claude-plugin/marketplace.json: is not current" in text
    assert (repo / ".claude-plugin/marketplace.json").read_bytes() == before


def test_a_bundle_that_is_gone_is_not_listed_any_more_and_others_stay(repo: Path) -> None:
    run(repo, "--name", "mine", "--owner", "Me")
    path = repo / ".claude-plugin/marketplace.json"
    document = json.loads(path.read_text())
    document["plugins"].append({"name": "far", "source": {"source": "github", "repo": "x/y"}})
    document["plugins"].append({"name": "near", "source": "./plugins/near"})
    path.write_text(json.dumps(document))
    (repo / "dist/b/.claude-plugin/plugin.json").unlink()
    run(repo)
    after = json.loads(path.read_text())
    assert [entry["name"] for entry in after["plugins"]] == ["ant", "far", "near"]
    assert (after["name"], after["owner"]) == ("mine", {"name": "Me"})


@pytest.mark.parametrize("text", ["{", "[]", '{"name": "x"}'])
def test_a_manifest_that_cannot_be_read_is_named(repo: Path, text: str) -> None:
    (repo / "dist/b/.claude-plugin/plugin.json").write_text(text)
    with pytest.raises(InputError, match=r"dist/b/\.claude-plugin/plugin\.json"):
        run(repo)
    assert not (repo / ".claude-plugin").exists()


def test_two_bundles_of_one_name_are_refused(repo: Path) -> None:
    manifest(repo, "dist/b-old/.claude-plugin/plugin.json", name="bee", version="0.9.0")
    with pytest.raises(InputError, match=r"dist/b-old/\.claude-plugin/plugin\.json: has the name 'bee', as dist/b has"):
        run(repo)
    assert not (repo / ".claude-plugin").exists()


def test_a_marketplace_behind_a_link_is_refused(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    (repo / ".claude-plugin").mkdir()
    (repo / ".claude-plugin/marketplace.json").symlink_to(tmp_path / "other.json")
    with pytest.raises(InputError, match="is a symbolic link"):
        run(repo)


@pytest.mark.parametrize("dist", ["..", "/", "../x"])
def test_bundles_outside_the_repository_are_refused(repo: Path, dist: str) -> None:
    with pytest.raises(UsageError, match="lies outside the repository; name a directory below ROOT"):
        run(repo, "--dist", dist)


def test_a_directory_without_bundles_is_named(repo: Path) -> None:
    with pytest.raises(InputError, match="is not a directory"):
        run(repo, "--dist", "none")


def test_the_marketplaces_of_this_repository_are_current() -> None:
    if not (ROOT / "dist" / "omc").is_dir():
        pytest.skip("not a checkout with bundles")
    assert run(ROOT, "--check") == (0, "")
    listed = {
        path: sorted(entry["name"] for entry in json.loads((ROOT / path).read_text())["plugins"])
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


def test_versions_sort_as_semver_says() -> None:
    ordered = [
        *("0.0.9", "0.1.0-alpha", "0.1.0-alpha.1", "0.1.0-alpha.beta", "0.1.0-beta.2", "0.1.0-beta.11"),
        *("0.1.0-rc.1", "0.1.0", "0.2.0", "0.10.0", "1.0.0"),
    ]
    mixed = ordered[4:] + ordered[:4]
    assert sorted(mixed, key=version_key) == ordered
    assert version_key("1.0.0+a") == version_key("1.0.0")


@pytest.mark.parametrize(
    "text", ["", "1", "1.0", "v1.0.0", "1.0.0-", "1.0.0-01", "01.0.0", "1.0.0 ", "１.0.0", "1" * 300]
)
def test_what_is_no_version_is_none(text: str) -> None:
    assert not is_version(text)
    with pytest.raises(ValueError, match="is no semantic version"):
        version_key(text)


def test_a_bundle_behind_a_link_is_not_listed(repo: Path, tmp_path: Path) -> None:
    manifest(tmp_path / "other", "z/.claude-plugin/plugin.json", name="zed")
    (repo / "dist/z").symlink_to(tmp_path / "other/z")
    run(repo)
    assert "zed" not in (repo / ".claude-plugin/marketplace.json").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name": "a", "name": "b", "plugins": []}', "the key 'name' stands twice"),
        ('{"plugins": [{"name": "a"}, {"name": "a"}]}', "lists a plugin without a name or twice"),
        ('{"plugins": [{"source": "./a"}]}', "lists a plugin without a name or twice"),
        ('{"plugins": ["a"]}', "lists a plugin without a name or twice"),
        ('{"plugins": {"a": 1}}', "is no marketplace: `plugins` must be a list"),
        ("[]", "is no marketplace"),
    ],
)
def test_a_marketplace_that_cannot_be_extended_is_named(repo: Path, text: str, message: str) -> None:
    (repo / ".claude-plugin").mkdir()
    (repo / ".claude-plugin/marketplace.json").write_text(text)
    with pytest.raises(InputError, match=message):
        run(repo)


def test_a_repository_that_is_a_plugin_lists_itself(repo: Path) -> None:
    manifest(repo, ".claude-plugin/plugin.json", name="itself")
    assert run(repo, "--dist", ".")[0] == 0
    assert run(repo)[0] == 0
    claude = json.loads((repo / ".claude-plugin/marketplace.json").read_text())
    assert [(entry["name"], entry["source"]) for entry in claude["plugins"]] == [
        ("itself", "./"),
        ("ant", "./dist/a"),
        ("bee", "./dist/b"),
    ]
    assert run(repo, "--dist", ".", "--check") == (0, "") == run(repo, "--check")
    manifest(repo, ".claude-plugin/plugin.json", name="renamed")
    assert run(repo, "--dist", ".", "--check")[0] == 1
    run(repo, "--dist", ".")
    claude = json.loads((repo / ".claude-plugin/marketplace.json").read_text())
    assert sorted(entry["name"] for entry in claude["plugins"]) == ["ant", "bee", "renamed"]


def test_a_repository_without_a_manifest_does_not_list_itself(repo: Path) -> None:
    with pytest.raises(InputError, match="holds no manifest of a client with marketplaces"):
        run(repo, "--dist", ".")


def test_no_marketplace_is_written_behind_a_link(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo / ".claude-plugin").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a symbolic link"):
        run(repo)
    assert not list((tmp_path / "elsewhere").iterdir())
