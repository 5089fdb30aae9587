"""What a publication may not do to a repository leaves it exactly as it was."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from publish_toys import bundle, git, publish, snapshot

from skillgen.errors import SkillgenError, UsageError
from skillgen.model.git_calls import READING


def refused(repo: Path, *bundles: object, **named: bool) -> str:
    """Publish, expect a refusal, and see that nothing at all has changed."""
    before = snapshot(repo)
    with pytest.raises(SkillgenError) as caught:
        publish(repo, *bundles, **named)  # type: ignore[arg-type]
    assert snapshot(repo) == before
    return str(caught.value)


def test_equal_version_with_other_bytes_is_refused(market: Path) -> None:
    publish(market)
    assert "0.1.0 is published with other bytes; raise it with --version" in refused(market, bundle(text="Other.\n"))


def test_a_lower_version_is_refused(market: Path) -> None:
    publish(market, bundle("0.10.0"))
    assert "0.10.0 is published, 0.9.0 is lower" in refused(market, bundle("0.9.0"))


def test_one_bad_bundle_holds_back_the_good_one(market: Path) -> None:
    publish(market, bundle("2.0.0", name="other"))
    assert "is lower" in refused(market, bundle(), bundle("1.0.0", name="other"))


def test_a_dirty_tree_is_refused(market: Path) -> None:
    (market / "README.md").write_text("Edited\n")
    assert "has changes that are not committed" in refused(market)


def test_a_staged_change_is_refused(market: Path) -> None:
    (market / "new.txt").write_text("x")
    git(market, "add", "new.txt")
    assert "new.txt" in refused(market)


def test_a_scratch_file_elsewhere_is_no_hindrance(market: Path) -> None:
    (market / "scratch.txt").write_text("x")
    publish(market)
    assert (market / "scratch.txt").read_text() == "x"


@pytest.mark.parametrize("ignored", [False, True])
def test_a_file_that_is_not_committed_where_the_bundle_goes_is_refused(market: Path, ignored: bool) -> None:
    if ignored:
        (market / ".gitignore").write_text("plugins/\n")
        git(market, "add", ".")
        git(market, "commit", "--quiet", "--message", "Ignore")
    (market / "plugins" / "toy").mkdir(parents=True)
    (market / "plugins" / "toy" / "README.md").write_text("mine")
    assert "plugins/toy/README.md" in refused(market)


def test_foreign_files_in_the_target_are_refused(market: Path) -> None:
    (market / "plugins" / "toy").mkdir(parents=True)
    (market / "plugins" / "toy" / "notes.md").write_text("mine")
    git(market, "add", ".")
    git(market, "commit", "--quiet", "--message", "Notes")
    assert refused(market) == "no publication wrote these files; move them away first:\n  plugins/toy/notes.md"


def test_a_published_file_edited_in_the_repository_is_refused(market: Path) -> None:
    publish(market)
    (market / "plugins" / "toy" / "README.md").write_text("edited")
    git(market, "commit", "--quiet", "--all", "--message", "Edit")
    assert "were edited since they were published" in refused(market, bundle("0.2.0"))


def test_a_link_in_the_place_of_the_directory_is_refused(market: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (market / "plugins").symlink_to(tmp_path / "elsewhere")
    git(market, "add", ".")
    git(market, "commit", "--quiet", "--message", "Link")
    assert "plugins" in refused(market)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_plugin_of_that_name_from_another_place_is_refused(market: Path) -> None:
    (market / ".claude-plugin").mkdir()
    entry = {"name": "toy", "source": {"source": "github", "repo": "a/b"}}
    (market / ".claude-plugin/marketplace.json").write_text(json.dumps({"name": "m", "owner": {}, "plugins": [entry]}))
    git(market, "add", ".")
    git(market, "commit", "--quiet", "--message", "Market")
    assert "lists toy from another place" in refused(market)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"plugins": {}}', '{"plugins": [{}]}', '{"plugins": [3]}', '{"name": "a", "name": "b"}']
)
def test_a_broken_marketplace_is_refused(market: Path, text: str) -> None:
    (market / ".claude-plugin").mkdir()
    (market / ".claude-plugin/marketplace.json").write_text(text)
    git(market, "add", ".")
    git(market, "commit", "--quiet", "--message", "Market")
    assert ".claude-plugin/marketplace.json" in refused(market)


@pytest.mark.parametrize(
    "text", ["{", "{}", '{"schema_version": 2, "plugins": {}}', '{"schema_version": 1, "plugins": []}']
)
def test_a_broken_record_is_refused(market: Path, text: str) -> None:
    (market / "skillgen-published.json").write_text(text)
    git(market, "add", ".")
    git(market, "commit", "--quiet", "--message", "Record")
    assert "skillgen-published.json" in refused(market)


def test_a_directory_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="is no git repository"):
        publish(tmp_path / "plain")
    assert not list((tmp_path / "plain").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a repository to another user")
def test_a_repository_of_another_user_is_refused_in_the_words_of_git(market: Path) -> None:
    os.chown(market, 12345, 12345)
    os.chown(market / ".git", 12345, 12345)
    with pytest.raises(SkillgenError, match="dubious ownership"):
        publish(market)


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a directory"):
        publish(tmp_path / "none")


def test_a_directory_inside_a_repository_is_refused(market: Path) -> None:
    (market / "sub").mkdir()
    with pytest.raises(UsageError, match="lies inside a repository, its root is"):
        publish(market / "sub")


def test_a_detached_head_is_refused(market: Path) -> None:
    git(market, "checkout", "--quiet", "--detach")
    assert "is on no branch" in refused(market)


def test_a_merge_in_the_middle_is_refused(market: Path) -> None:
    git(market, "checkout", "--quiet", "-b", "side")
    (market / "README.md").write_text("Side\n")
    git(market, "commit", "--quiet", "--all", "--message", "Side")
    git(market, "checkout", "--quiet", "main")
    (market / "README.md").write_text("Main\n")
    git(market, "commit", "--quiet", "--all", "--message", "Main")
    with pytest.raises(AssertionError):
        git(market, "merge", "--quiet", "side")
    assert "is in the middle of a merge" in refused(market)


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "prepare-commit-msg", "reference-transaction"])
def test_a_hook_that_fails_leaves_everything_as_it_was(market: Path, hook: str) -> None:
    script = market / ".git" / "hooks" / hook
    script.parent.mkdir(exist_ok=True)
    guard = 'grep -q "refs/heads/" || exit 0\n' if hook == "reference-transaction" else ""
    script.write_text(f"#!/bin/sh\n{guard}echo 'house rules say no' >&2\nexit 1\n")
    script.chmod(0o755)
    assert "house rules say no" in refused(market, tag=True) or hook == "reference-transaction"
    script.unlink()
    publish(market, tag=True)
    assert git(market, "log", "-1", "--format=%s") == "Publish toy 0.1.0"


@pytest.mark.parametrize("hook", ["pre-receive", "update", "reference-transaction"])
def test_a_hook_of_a_bare_repository_that_fails_leaves_everything_as_it_was(bare: Path, hook: str) -> None:
    script = bare / "hooks" / hook
    script.parent.mkdir(exist_ok=True)
    guard = 'grep -q "refs/heads/" || exit 0\n' if hook == "reference-transaction" else ""
    script.write_text(f"#!/bin/sh\n{guard}echo 'house rules say no' >&2\nexit 1\n")
    script.chmod(0o755)
    refused(bare, tag=True)
    script.unlink()
    publish(bare, tag=True)
    assert git(bare, "tag") == "toy--v0.1.0"


def test_a_hook_that_rewrites_a_file_publishes_nothing(market: Path) -> None:
    script = market / ".git" / "hooks" / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\necho formatted >> plugins/toy/README.md\ngit add plugins/toy/README.md\n")
    script.chmod(0o755)
    assert "plugins/toy/README.md" in refused(market)


def test_a_filter_that_rewrites_a_file_publishes_nothing(market: Path) -> None:
    (market / ".gitattributes").write_text("*.md filter=shout\n")
    git(market, "config", "filter.shout.clean", "tr a-z A-Z")
    git(market, "config", "filter.shout.smudge", "cat")
    git(market, "add", ".")
    git(market, "commit", "--quiet", "--message", "Filter")
    git(market, "checkout", "--quiet", "HEAD", "--", ".")
    assert "changed these files on the way" in refused(market)


def test_without_an_identity_nothing_is_published(
    market: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    assert "git commit" in refused(market)


def test_a_tag_that_stands_elsewhere_is_refused(market: Path) -> None:
    git(market, "tag", "toy--v0.1.0")
    assert "has the tag toy--v0.1.0 already" in refused(market, tag=True)


def test_a_bundle_without_a_marketplace_client_is_refused(market: Path) -> None:
    origin, files = bundle()
    files = {path: file for path, file in files.items() if not path.endswith("plugin.json")}
    assert "publish its npm package" in refused(market, (origin, files))


def test_git_variables_of_a_hook_around_us_do_not_lead_elsewhere(
    market: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet", "wrong")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "wrong" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "wrong" / ".git" / "index"))
    publish(market)
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert git(market, "log", "-1", "--format=%s") == "Publish toy 0.1.0"


def test_a_directory_laid_out_as_a_git_directory_is_not_published_to(market: Path, tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    shutil.copytree(market / ".git", planted)
    (planted / ".gitattributes").write_text("* filter=wire\n")
    (planted / "README.md").write_text("changed\n")
    git(planted, "config", "core.worktree", ".")
    git(planted, "config", "core.bare", "false")
    git(planted, "config", "filter.wire.clean", f"touch '{tmp_path}/ran'; cat")
    assert "laid out as a git directory" in refused(planted)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("locks", [True, False], ids=["may refresh the index", "may not"])
def test_looking_at_a_repository_runs_no_hook_and_no_monitor(
    market: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: bool
) -> None:
    if locks:
        monkeypatch.delitem(READING, "GIT_OPTIONAL_LOCKS")
    hook = market / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    hook.chmod(0o755)
    git(market, "config", "core.fsmonitor", f"touch '{tmp_path}/ran'; false")
    (market / "README.md").write_text("changed\n")
    (market / "README.md").touch()
    (tmp_path / "ran").unlink(missing_ok=True)
    with pytest.raises(UsageError, match="has changes that are not committed"):
        publish(market)
    assert not (tmp_path / "ran").exists()
