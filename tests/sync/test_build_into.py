"""`skillgen build --into`: one flavor into a fork that has files of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from sync_world import SKILL, Cli, tree


def test_only_the_skill_and_the_lock_are_written_into_a_fork(tmp_path: Path, skillgen: Cli) -> None:
    assert skillgen("build", "--flavor", "omc", "--into", tmp_path / "fork").code == 0
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "dist").code == 0
    fork, bundle = tree(tmp_path / "fork"), tree(tmp_path / "dist" / "omc")
    lock = fork.pop("skillgen.lock")[0].decode()
    assert fork == {path: file for path, file in bundle.items() if path.startswith("skills/")}
    assert "product: OMC" in lock and "LICENSE" not in lock


def test_the_manifest_comes_along_where_it_is_asked_for_and_stays_skillgen_s(tmp_path: Path, skillgen: Cli) -> None:
    assert skillgen("build", "--flavor", "omc", "--into", tmp_path / "fork", "--with-manifest").code == 0
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "dist").code == 0
    fork = tree(tmp_path / "fork")
    fork.pop("skillgen.lock")
    assert fork == tree(tmp_path / "dist" / "omc")
    (tmp_path / "fork" / "LICENSE").unlink()
    assert skillgen("sync", tmp_path / "fork").code == 0
    assert (tmp_path / "fork" / "LICENSE").exists()


def test_what_the_fork_has_of_its_own_stays(tmp_path: Path, skillgen: Cli) -> None:
    for name in ("README.md", ".claude-plugin/plugin.json", "src/main.py", "skills/other/SKILL.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("own\n")
    before = tree(tmp_path)
    for more in ([], ["--with-manifest"]):
        assert skillgen("build", "--flavor", "omc", "--into", tmp_path, *more).code == 0
        after = tree(tmp_path)
        assert {name: after[name] for name in before} == before
        assert ("LICENSE" in after) == bool(more)
        assert "README.md" not in after["skillgen.lock"][0].decode()
        assert skillgen("build", "--flavor", "omc", "--into", tmp_path, "--check").code == 0


def test_a_plugin_with_its_own_manifest_gets_no_files_that_only_our_manifest_names(
    tmp_path: Path, skillgen: Cli
) -> None:
    (tmp_path / "package.json").write_text("{}\n")
    assert skillgen("build", "--flavor", "omd", "--into", tmp_path, "--with-manifest").code == 0
    assert not (tmp_path / "lib").exists()
    assert (tmp_path / SKILL).exists()


def test_a_foreign_skill_in_the_way_stops_the_build_before_it_writes(tmp_path: Path, skillgen: Cli) -> None:
    (tmp_path / SKILL).parent.mkdir(parents=True)
    (tmp_path / SKILL).write_text("handwritten\n")
    before = tree(tmp_path)
    ran = skillgen("build", "--flavor", "omc", "--into", tmp_path)
    assert ran.code == 2
    assert f"{SKILL}: is in the way" in ran.err
    assert tree(tmp_path) == before


def test_an_edited_file_is_left_to_sync(fork: Path, skillgen: Cli) -> None:
    (fork / SKILL).write_text("mine\n")
    (fork / "skills/cancel/references/team.md").unlink()
    ran = skillgen("build", "--flavor", "omc", "--into", fork, "--json")
    assert ran.code == 1
    assert ran.json["written"] == ["skills/cancel/references/team.md"]
    assert [item["path"] for item in ran.json["differences"]] == [SKILL]
    assert (fork / SKILL).read_text() == "mine\n"


def test_a_second_build_changes_nothing(fork: Path, skillgen: Cli) -> None:
    before = tree(fork)
    ran = skillgen("build", "--flavor", "omc", "--into", fork)
    assert (ran.code, tree(fork)) == (0, before)
    assert "0 written, 0 removed" in ran.out


def test_another_flavor_is_not_put_over_the_first(fork: Path, skillgen: Cli) -> None:
    before = tree(fork)
    ran = skillgen("build", "--flavor", "omd", "--into", fork)
    assert (ran.code, tree(fork)) == (2, before)
    assert "skillgen sync --flavor omd" in ran.err


@pytest.mark.parametrize("args", [[], ["--flavor", "omc", "--flavor", "omd"], ["--flavor", "omc", "--out", "x"]])
def test_into_takes_exactly_one_flavor_and_no_out(args: list[str], tmp_path: Path, skillgen: Cli) -> None:
    ran = skillgen("build", "--into", tmp_path / "fork", *args)
    assert ran.code == 2
    assert not (tmp_path / "fork").exists()


@pytest.mark.parametrize("name", ["../victim", "/etc/hostname", "skills/../../victim", "./x"])
def test_a_lock_that_names_a_file_outside_the_fork_is_refused(name: str, fork: Path, skillgen: Cli) -> None:
    victim = fork.parent / "victim"
    victim.write_bytes(b"")
    lock = fork / "skillgen.lock"
    line = f'      "{name}": 644 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n    seal:'
    lock.write_text(lock.read_text().replace("    seal:", line))
    ran = skillgen("build", "--flavor", "omc", "--into", fork)
    assert ran.code == 2
    assert "skillgen.lock:" in ran.err
    assert victim.exists()
