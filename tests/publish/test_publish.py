"""A bundle lands in a marketplace repository as one commit that a client can read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from publish_toys import bundle, git, publish, snapshot

from skillgen.errors import UsageError


def test_a_first_publication_places_the_bundle_and_lists_it(market: Path) -> None:
    publish(market)
    _, files = bundle()
    for path, (data, mode) in files.items():
        placed = market / "plugins" / "toy" / path
        assert placed.read_bytes() == data
        assert bool(placed.stat().st_mode & 0o100) == (mode == 0o755)
    claude = json.loads((market / ".claude-plugin" / "marketplace.json").read_text())
    assert claude == {
        "name": "my-market",
        "owner": {"name": "Pub Lisher"},
        "metadata": {"description": "Plugins of Pub Lisher, rendered by skillgen."},
        "plugins": [{"name": "toy", "source": "./plugins/toy", "description": "Cancels toy."}],
    }
    codex = json.loads((market / ".agents" / "plugins" / "marketplace.json").read_text())
    assert codex["plugins"][0]["source"] == {"source": "local", "path": "./plugins/toy"}
    assert git(market, "status", "--porcelain") == ""
    assert git(market, "log", "--format=%s") == "Publish toy 0.1.0\nStart"
    assert (market / "README.md").read_text() == "My market\n"


def test_an_empty_repository_becomes_a_marketplace(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "Fresh_Market")
    publish(tmp_path / "Fresh_Market")
    assert json.loads((tmp_path / "Fresh_Market/.claude-plugin/marketplace.json").read_text())["name"] == "fresh-market"
    assert git(tmp_path / "Fresh_Market", "log", "--format=%s") == "Publish toy 0.1.0\nStart this marketplace"
    assert git(tmp_path / "Fresh_Market", "status", "--porcelain") == ""


def test_an_empty_bare_repository_becomes_a_marketplace(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "fresh.git")
    publish(tmp_path / "fresh.git", tag=True)
    assert git(tmp_path / "fresh.git", "log", "--format=%s", "main") == "Publish toy 0.1.0\nStart this marketplace"
    assert git(tmp_path / "fresh.git", "tag") == "toy--v0.1.0"


def test_a_bare_repository_gets_branch_and_tag(bare: Path) -> None:
    publish(bare, tag=True)
    assert git(bare, "show", "main:plugins/toy/README.md") == "# Toy"
    assert git(bare, "rev-parse", "toy--v0.1.0^{commit}") == git(bare, "rev-parse", "main")
    assert git(bare, "ls-tree", "main", "plugins/toy/skills/cancel/scripts/cancel.sh").startswith("100755")


def test_the_tag_is_the_one_that_claude_would_set(market: Path) -> None:
    publish(market, tag=True)
    assert git(market, "tag") == "toy--v0.1.0"
    assert git(market, "cat-file", "-t", "toy--v0.1.0") == "tag"


def test_publishing_again_changes_nothing(market: Path) -> None:
    publish(market, tag=True)
    before = snapshot(market)
    assert publish(market, tag=True) == ["toy 0.1.0: is published already"]
    assert snapshot(market) == before


def test_a_tag_can_be_set_later_and_names_the_publishing_commit(market: Path) -> None:
    publish(market)
    published = git(market, "rev-parse", "HEAD")
    (market / "README.md").write_text("Later\n")
    git(market, "commit", "--quiet", "--all", "--message", "Later")
    publish(market, tag=True)
    assert git(market, "rev-parse", "toy--v0.1.0^{commit}") == published


def test_a_higher_version_replaces_files_and_tells_what_changed(market: Path) -> None:
    publish(market, bundle("0.1.0", **{"references/old.md": b"old\n"}))
    publish(market, bundle("0.2.0", text="Cancel well.\n"))
    assert not (market / "plugins/toy/references").exists()
    assert "Cancel well." in (market / "plugins/toy/skills/cancel/SKILL.md").read_text()
    assert (market / "plugins/toy/CHANGELOG.md").read_text() == (
        "# Changelog of toy\n"
        "\n## 0.2.0\n\n- text: 'Cancel.\\n' became 'Cancel well.\\n'\n"
        "\n## 0.1.0\n\n- First publication: flavor toy, revision 20260101.\n"
    )


def test_a_prerelease_is_lower_than_its_release(market: Path) -> None:
    publish(market, bundle("1.0.0-rc.2"))
    publish(market, bundle("1.0.0-rc.10"))
    publish(market, bundle("1.0.0"))
    with pytest.raises(UsageError, match=r"1\.0\.0 is published, 1\.0\.0-rc\.11 is lower"):
        publish(market, bundle("1.0.0-rc.11"))


def test_two_bundles_are_two_commits_and_two_tags(market: Path) -> None:
    publish(market, bundle(), bundle(name="other"), tag=True)
    assert git(market, "log", "--format=%s") == "Publish other 0.1.0\nPublish toy 0.1.0\nStart"
    assert git(market, "rev-parse", "toy--v0.1.0^{commit}") == git(market, "rev-parse", "HEAD~1")
    listed = json.loads((market / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
    assert [entry["name"] for entry in listed] == ["toy", "other"]


def test_entries_and_keys_of_others_are_kept(market: Path) -> None:
    path = market / ".claude-plugin" / "marketplace.json"
    path.parent.mkdir()
    document = {
        "name": "theirs",
        "owner": {"name": "They", "email": "they@example.org"},
        "metadata": {"description": "x"},
        "plugins": [
            {"name": "foreign", "source": {"source": "github", "repo": "a/b"}},
            {"name": "toy", "source": "./tools/toy", "version": "0.0.9", "tags": ["mine"], "description": "old"},
        ],
    }
    path.write_text(json.dumps(document, indent=4))
    git(market, "add", ".")
    git(market, "commit", "--quiet", "--message", "Market")
    publish(market)
    text = path.read_text()
    assert json.loads(text) == document | {
        "plugins": [
            document["plugins"][0],
            {
                "name": "toy",
                "source": "./tools/toy",
                "version": "0.1.0",
                "tags": ["mine"],
                "description": "Cancels toy.",
            },
        ]
    }
    assert text.startswith('{\n    "name"')
    assert (market / "tools" / "toy" / "README.md").exists()
    assert json.loads((market / ".agents/plugins/marketplace.json").read_text())["name"] == "theirs"


def test_a_dry_run_prints_the_plan_and_writes_nothing(market: Path, bare: Path) -> None:
    for repo in (market, bare):
        before = snapshot(repo)
        said = publish(repo, tag=True, dry_run=True)
        assert said[0] == "toy 0.1.0 (new) -> plugins/toy/"
        assert "  write .claude-plugin/marketplace.json" in said
        assert "  tag toy--v0.1.0" in said
        assert said[-1] == "nothing was written (--dry-run)"
        assert snapshot(repo) == before


def test_a_tag_of_a_published_version_is_not_moved(market: Path) -> None:
    publish(market)
    git(market, "tag", "toy--v0.1.0", "HEAD~1")
    with pytest.raises(
        UsageError, match=r"the tag toy--v0.1.0 stands at .* already; raise the version, since a published one"
    ):
        publish(market, tag=True)


def test_only_what_changes_is_said_of_a_later_version(market: Path) -> None:
    publish(market)
    assert publish(market, bundle("0.2.0", "Other.\n")) == [
        "toy 0.2.0 (since 0.1.0) -> plugins/toy/",
        "  write plugins/toy/.claude-plugin/plugin.json",
        "  write plugins/toy/.codex-plugin/plugin.json",
        "  write plugins/toy/CHANGELOG.md",
        "  write plugins/toy/skills/cancel/SKILL.md",
        "  write plugins/toy/skills/cancel/contract.json",
        "  write skillgen-published.json",
        "  commit on main",
        "toy 0.2.0: committing",
        "toy 0.2.0: published; `git push` sends it on",
    ]


def test_a_new_plugin_is_told_by_the_number_of_its_files(market: Path) -> None:
    assert publish(market, dry_run=True) == [
        "toy 0.1.0 (new) -> plugins/toy/",
        "  write 8 files below plugins/toy/",
        "  write .agents/plugins/marketplace.json",
        "  write .claude-plugin/marketplace.json",
        "  write skillgen-published.json",
        "  commit on main",
        "nothing was written (--dry-run)",
    ]


def test_a_clone_with_windows_line_ends_has_the_published_bytes(market: Path, tmp_path: Path) -> None:
    publish(market)
    git(tmp_path, "clone", "--quiet", "-c", "core.autocrlf=true", str(market), "clone")
    _, files = bundle()
    for path, (data, _) in files.items():
        assert (tmp_path / "clone/plugins/toy" / path).read_bytes() == data


@pytest.fixture
def root_market(market: Path) -> Path:
    """A repository that lists itself as the plugin toy, and holds files that are no bundle's."""
    (market / "README.md").rename(market / "NOTES.md")
    (market / ".claude-plugin").mkdir()
    listed = {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "toy", "source": "./"}]}
    (market / ".claude-plugin/marketplace.json").write_text(json.dumps(listed))
    git(market, "add", "--all")
    git(market, "commit", "--quiet", "--message", "List myself")
    return market


def test_a_plugin_at_the_root_of_the_repository_is_published_there(root_market: Path) -> None:
    publish(root_market)
    assert json.loads((root_market / ".claude-plugin/plugin.json").read_text())["version"] == "0.1.0"
    publish(root_market, bundle("0.2.0", "Other.\n"))
    assert (root_market / "skills/cancel/SKILL.md").read_text().endswith("Other.\n")
    for place in (".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"):
        (entry,) = json.loads((root_market / place).read_text())["plugins"]
        assert entry["source"] in ("./", {"source": "local", "path": "./"})
    # What lies beside it is the repository's own.
    assert (root_market / "NOTES.md").read_text() == "My market\n"
    assert not (root_market / ".gitattributes").exists()
    assert git(root_market, "status", "--porcelain") == ""


def test_a_file_of_the_repositorys_own_where_a_root_plugin_goes_is_named_and_stays(root_market: Path) -> None:
    (root_market / "README.md").write_text("Mine\n")
    git(root_market, "add", "--all")
    git(root_market, "commit", "--quiet", "--message", "Read me")
    before = snapshot(root_market)
    with pytest.raises(UsageError, match=r"no publication wrote these files; move them away first:\n  README.md$"):
        publish(root_market)
    assert snapshot(root_market) == before


def test_an_edit_of_a_root_plugin_is_named_before_it_would_be_lost(root_market: Path) -> None:
    publish(root_market)
    (root_market / "skills/cancel/SKILL.md").write_text("edited")
    git(root_market, "commit", "--quiet", "--all", "--message", "Edit")
    with pytest.raises(UsageError, match=r"were edited since they were published[^\n]*\n  skills/cancel/SKILL.md$"):
        publish(root_market, bundle("0.2.0"))


def test_a_fork_is_not_published_over(root_market: Path) -> None:
    (root_market / "skillgen.lock").write_text("version: 2\n")
    git(root_market, "add", "--all")
    git(root_market, "commit", "--quiet", "--message", "A fork")
    with pytest.raises(UsageError, match="`skillgen sync` brings it up to date"):
        publish(root_market)
