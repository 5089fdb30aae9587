"""What a fork's lock remembers: its flavor's place, its pin, what it leaves out; and what an older lock held too much."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, edit, git, tree

OWN = """\
base: omc
revision: "20261201"
product: {name: LOOM}
"""


def as_form_1(lock: Path) -> None:
    """Write a lock as skillgen 0.1.0 wrote it."""
    lines = [line for line in lock.read_text().splitlines() if not line.startswith("needs:")]
    names = ("product", "flavors", "parent", "source", "pin", "skill", "excluded")
    lines = [line for line in lines if line.strip().split(":")[0] not in names]
    body = "".join(f"{line}\n" for line in lines[4:] if not line.startswith("    seal:"))
    id_ = lines[3].strip().rstrip(":")
    seal = hashlib.sha256(f"1\n{id_}\n{body}".encode()).hexdigest()
    text = "\n".join(lines[:4]).replace("skillgen-lock: 2", "skillgen-lock: 1")
    lock.write_text(f"{text}\n{body}    seal: {seal}\n")


def test_a_lock_of_0_1_0_releases_what_lies_outside_the_skill(tmp_path: Path, skillgen: Cli) -> None:
    fork = tmp_path / "fork"
    assert skillgen("build", "--flavor", "omc", "--into", fork, "--with-manifest").code == 0
    (fork / "README.md").write_text("# Edited\n")
    as_form_1(fork / "skillgen.lock")
    before = tree(fork)
    ran = skillgen("sync", "--check", fork)
    assert ran.code == 1 and tree(fork) == before
    ran = skillgen("sync", fork)
    assert ran.code == 0, ran.err
    assert "no longer skillgen's, and left as they are: .claude-plugin/plugin.json, LICENSE, README.md" in ran.out
    after = tree(fork)
    lock = after.pop("skillgen.lock")[0].decode()
    before.pop("skillgen.lock")
    assert after == before, "released files stay byte for byte"
    assert "skillgen-lock: 2" in lock and "LICENSE" not in lock and "README.md" not in lock
    again = skillgen("sync", fork)
    assert again.code == 0 and "no longer skillgen's" not in again.out, "it is said once"
    (fork / "LICENSE").unlink()
    assert skillgen("sync", fork).code == 0
    assert not (fork / "LICENSE").exists()


def test_a_pin_stays_until_told_otherwise(fork: Path, skillgen: Cli) -> None:
    assert skillgen("sync", "--flavor", "omc-20260824", fork).code == 0
    older = (fork / SKILL).read_bytes()
    assert skillgen("sync", fork).code == 0
    assert (fork / SKILL).read_bytes() == older, "the next sync lifted the pin"
    assert skillgen("sync", "--check", fork).code == 0
    assert skillgen("sync", "--flavor", "omc", fork).code == 0
    assert (fork / SKILL).read_bytes() != older
    assert "pin:" not in (fork / "skillgen.lock").read_text()


@pytest.fixture
def own(tmp_path: Path, skillgen: Cli) -> Path:
    """A repository whose plugin carries the bundle of a flavor in its own `flavors/`."""
    root = tmp_path / "own"
    (root / "flavors").mkdir(parents=True)
    (root / "flavors" / "mine.yaml").write_text(OWN)
    git(root, "init", "-q")
    assert skillgen("build", "--flavor", "mine", "--flavors", root / "flavors", "--into", root).code == 0
    return root


def test_a_fork_with_a_flavor_of_its_own_needs_no_options_ever_after(own: Path, skillgen: Cli) -> None:
    lock = (own / "skillgen.lock").read_text()
    assert "    flavors: flavors\n" in lock and "    product: LOOM\n" in lock and "    parent: " in lock
    assert skillgen("sync", "--check", own).code == 0
    edit(own / "flavors" / "mine.yaml", '"20261201"', '"20261202"')
    assert skillgen("sync", "--check", own).code == 1
    assert skillgen("sync", own).code == 0
    assert '"revision": "20261202"' in (own / "skills/cancel/contract.json").read_text()
    shutil.rmtree(own / "flavors")
    ran = skillgen("sync", "--check", own)
    assert ran.code == 2
    assert "its lock names the flavors in flavors, which is not there; give --flavors DIR" in ran.err


def test_a_lock_that_names_flavors_outside_the_repository_is_not_followed(own: Path, skillgen: Cli) -> None:
    away = own.parent / "away"
    away.mkdir()
    (away / "mine.yaml").write_text(OWN)
    lock = own / "skillgen.lock"
    lock.write_text(lock.read_text().replace("    flavors: flavors\n", '    flavors: "../away"\n'))
    ran = skillgen("sync", own)
    assert ran.code == 2 and "names flavors outside the repository" in ran.err


def test_two_forks_whose_flavors_are_both_called_mine_keep_their_products(own: Path, skillgen: Cli) -> None:
    other = own.parent / "other"
    shutil.copytree(own, other)
    edit(other / "flavors" / "mine.yaml", "name: LOOM", "name: KNIT")
    assert skillgen("sync", "--flavors", other / "flavors", other).code == 2
    (other / "skillgen.lock").unlink()
    shutil.rmtree(other / "skills")
    assert skillgen("build", "--flavor", "mine", "--flavors", other / "flavors", "--into", other).code == 0
    assert skillgen("sync", own.parent).code == 0
    for root, name in ((own, "LOOM"), (other, "KNIT")):
        assert f'"name": "{name}"' in (root / "skills/cancel/contract.json").read_text()


def test_another_product_s_flavor_is_refused_by_its_name(own: Path, skillgen: Cli) -> None:
    edit(own / "flavors" / "mine.yaml", "name: LOOM", "name: KNIT")
    before = tree(own)
    ran = skillgen("sync", own)
    assert ran.code == 2 and tree(own) == before
    assert "carries the bundle of LOOM, and the flavor mine is of KNIT" in ran.err


def test_a_file_that_is_left_out_stays_out_until_it_is_taken_back(fork: Path, skillgen: Cli) -> None:
    path = "skills/cancel/.gitattributes"
    assert skillgen("sync", "--exclude", path, fork).code == 0
    assert not (fork / path).exists()
    assert skillgen("sync", "--check", fork).code == 0
    assert skillgen("sync", fork).code == 0 and not (fork / path).exists()
    assert skillgen("sync", "--include", path, fork).code == 0
    assert (fork / path).exists() and skillgen("sync", "--check", fork).code == 0


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (SKILL, "the skill is nothing without it"),
        ("skills/cancel/contract.json", "the skill is nothing without it"),
        ("skills/cancel/scripts/cancel_runtime/plan.py", "a script needs it"),
        ("skills/cancel/references/team.md", "SKILL.md leads to it"),
        ("skills/cancel/nothing.md", "is no file of the bundle"),
    ],
)
def test_what_the_skill_needs_cannot_be_left_out(path: str, why: str, fork: Path, skillgen: Cli) -> None:
    before = tree(fork)
    ran = skillgen("sync", "--exclude", path, fork)
    assert ran.code == 2 and tree(fork) == before
    assert why in ran.err


def test_unchanged_files_are_counted_and_crlf_is_said_once_with_its_repair(fork: Path, skillgen: Cli) -> None:
    for path in (fork / "skills").rglob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    count = len(list((fork / "skills").rglob("*.md")))
    ran = skillgen("sync", "--check", fork)
    assert ran.code == 0
    assert f"{count} with CRLF line ends; add a .gitattributes" in ran.out
    assert len(ran.out.splitlines()) == 1
    assert len(skillgen("sync", "--check", "-v", fork).out.splitlines()) > 20
    assert skillgen("sync", "--check", "-q", fork).out == ""


def test_a_fork_without_a_result_is_named_in_its_line(fork: Path, old: Path, skillgen: Cli) -> None:
    edit(old / "skillgen.lock", "    flavor: omc\n", "    flavor: nobody\n")
    text = (old / "skillgen.lock").read_text().replace("omc-20260824:", "nobody:")
    (old / "skillgen.lock").write_text(text)
    ran = skillgen("sync", "--check", fork, old)
    assert ran.code == 1
    assert all(str(old) in line for line in ran.err.splitlines()), ran.err
