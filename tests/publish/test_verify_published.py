"""`skillgen verify` holds what was published, wherever a client put it, against the marketplace's own record."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from publish_toys import bundle, git, publish

from skillgen.cli.verify import command
from skillgen.errors import SkillgenError
from skillgen.model.release import RECORD


def verify(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.return_value, done.output


@pytest.fixture
def clone(market: Path, tmp_path: Path) -> Path:
    """The marketplace with two plugins, as git brings it to Windows."""
    publish(market, bundle(), bundle("3.0.0", "Other.\n", "other"))
    git(tmp_path, "clone", "--quiet", "-c", "core.autocrlf=true", str(market), "clone")
    return tmp_path / "clone"


def test_what_was_published_is_clean_in_a_clone_with_windows_line_ends(clone: Path) -> None:
    for name in ("toy", "other"):
        place = clone / "plugins" / name
        assert verify(place) == (0, f"{place}: is {name} as it was published\n")


def test_what_a_client_installed_is_held_against_the_marketplace(clone: Path, tmp_path: Path) -> None:
    installed = tmp_path / "cache" / "1.0.0"
    shutil.copytree(clone / "plugins/other", installed)
    assert verify(installed, "--against", clone) == (0, f"{installed}: is other as it was published\n")
    (installed / "hooks").mkdir()
    (installed / "hooks/hooks.json").write_text("{}")
    (installed / "README.md").write_text("# Boy\n")
    script = installed / "skills/cancel/scripts/cancel.sh"
    script.write_bytes(b"#!/bin/sh\r\n")
    (installed / "skills/cancel/SKILL.md").unlink()
    code, text = verify(installed, "--against", clone)
    assert code == 1
    assert [line.removeprefix(f"{installed}: ") for line in text.splitlines()] == [
        "README.md differs",
        "hooks/hooks.json was not packed",
        "skills/cancel/SKILL.md is missing",
        "skills/cancel/scripts/cancel.sh has Windows line ends (CRLF), packed was without",
    ]


def test_the_plugin_that_is_most_alike_is_the_one(clone: Path, tmp_path: Path) -> None:
    installed = tmp_path / "cache" / "x"
    shutil.copytree(clone / "plugins/toy", installed)
    (installed / "README.md").write_text("edited")
    assert verify(installed, "--against", clone) == (1, f"{installed}: README.md differs\n")


def test_a_plugin_at_the_root_is_clean_where_it_is_installed(market: Path, tmp_path: Path) -> None:
    (market / "README.md").rename(market / "NOTES.md")
    (market / ".claude-plugin").mkdir()
    listed = {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "toy", "source": "./"}]}
    (market / ".claude-plugin/marketplace.json").write_text(json.dumps(listed))
    git(market, "add", "--all")
    git(market, "commit", "--quiet", "--message", "List myself")
    publish(market)
    assert verify(market) == (0, f"{market}: is toy as it was published\n")
    installed = tmp_path / "cache" / "0.1.0"
    shutil.copytree(market, installed, ignore=shutil.ignore_patterns(".git"))
    assert verify(installed, "--against", market)[0] == 0
    (market / "skills/cancel/scripts/more.sh").write_text("true\n")
    assert verify(market) == (1, f"{market}: skills/cancel/scripts/more.sh was not packed\n")


@pytest.mark.parametrize("text", ["{", "[]", '{"schema_version": 1, "plugins": {"toy": {"path": "../x"}}}'])
def test_a_broken_record_is_no_result(clone: Path, text: str) -> None:
    (clone / RECORD).write_text(text)
    with pytest.raises(SkillgenError, match=r"skillgen-published\.json: cannot be understood"):
        verify(clone / "plugins/toy")


def test_without_a_record_it_is_said_where_one_could_lie(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(SkillgenError, match="the marketplace that `skillgen publish` wrote to"):
        verify(tmp_path / "a")


def test_a_plugin_beside_one_at_the_root_is_held_as_a_whole(market: Path) -> None:
    (market / "README.md").unlink()
    (market / ".claude-plugin").mkdir()
    listed = {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "toy", "source": "./"}]}
    (market / ".claude-plugin/marketplace.json").write_text(json.dumps(listed))
    git(market, "add", "--all")
    git(market, "commit", "--quiet", "--message", "List myself")
    publish(market, bundle(), bundle("3.0.0", "Other.\n", "other"))
    (market / "plugins/other/hooks.json").write_text("{}")
    assert verify(market / "plugins/other") == (1, f"{market}/plugins/other: hooks.json was not packed\n")


def test_what_a_client_notes_beside_a_plugin_is_no_difference(clone: Path, tmp_path: Path) -> None:
    installed = tmp_path / "cache" / "0.1.0"
    shutil.copytree(clone / "plugins/toy", installed)
    (installed / ".in_use").mkdir()
    (installed / ".orphaned_at").write_text("1")
    assert verify(installed, "--against", clone)[0] == 0
    (installed / "skills/.in_use").write_text("")
    assert verify(installed, "--against", clone) == (1, f"{installed}: skills/.in_use was not packed\n")
