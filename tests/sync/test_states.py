"""`skillgen sync --check`: every state a file can be in, and the exit code that follows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, detail, edit, states, tree

CONTRACT = "skills/cancel/contract.json"
TEAM = "skills/cancel/references/team.md"
OUTDATED = {
    SKILL,
    CONTRACT,
    "skills/cancel/references/global-pass.md",
    "skills/cancel/references/state.md",
}


def check(skillgen: Cli, fork: Path, *more: str):  # type: ignore[no-untyped-def]
    before = tree(fork)
    ran = skillgen("sync", "--check", "--json", fork, *more)
    assert tree(fork) == before, "a check writes nothing"
    return ran


def test_a_fork_as_it_was_built_is_current(fork: Path, skillgen: Cli) -> None:
    ran = check(skillgen, fork)
    assert (ran.code, states(ran)) == (0, {})
    assert {file["state"] for file in ran.json["forks"][0]["files"]} == {"current"}


def test_files_of_an_older_revision_are_outdated(old: Path, skillgen: Cli) -> None:
    ran = check(skillgen, old)
    assert ran.code == 1
    assert set(states(ran)) >= OUTDATED
    assert set(states(ran).values()) == {("outdated", False)}
    assert ran.json["forks"][0]["from"]["revision"] == "20260824"


def test_the_older_revision_is_current_when_it_is_pinned(old: Path, skillgen: Cli) -> None:
    ran = check(skillgen, old, "--flavor", "omc-20260824")
    assert (ran.code, states(ran)) == (0, {})


def test_a_local_edit_is_a_notice_and_a_finding_only_when_strict(fork: Path, skillgen: Cli) -> None:
    (fork / SKILL).write_text((fork / SKILL).read_text() + "\nOwn.\n")
    ran = check(skillgen, fork)
    assert (ran.code, states(ran)) == (0, {SKILL: ("edited", True)})
    assert check(skillgen, fork, "--strict").code == 1


def test_an_edited_file_that_merges_is_outdated_and_edited(old: Path, skillgen: Cli) -> None:
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    ran = check(skillgen, old)
    assert (ran.code, states(ran)[SKILL]) == (1, ("outdated", True))


def test_an_edit_where_the_revision_changed_too_is_a_conflict(old: Path, skillgen: Cli) -> None:
    edit(old / CONTRACT, '"revision": "20260824"', '"revision": "ours"')
    ran = check(skillgen, old)
    assert (ran.code, states(ran)[CONTRACT]) == (1, ("conflict", True))


def test_a_deleted_file_is_missing(fork: Path, skillgen: Cli) -> None:
    (fork / TEAM).unlink()
    ran = check(skillgen, fork)
    assert (ran.code, states(ran)) == (1, {TEAM: ("missing", False)})


def test_a_file_of_the_fork_inside_the_skill_is_unexpected_and_no_fault(fork: Path, skillgen: Cli) -> None:
    (fork / "skills/cancel/own.md").write_text("own\n")
    (fork / "skills/other.md").write_text("not looked at\n")
    (fork / "skills/cancel/scripts/__pycache__").mkdir(exist_ok=True)
    (fork / "skills/cancel/scripts/__pycache__/x.pyc").write_bytes(b"x")
    ran = check(skillgen, fork)
    assert (ran.code, states(ran)) == (0, {"skills/cancel/own.md": ("unexpected", False)})
    assert check(skillgen, fork, "--strict").code == 1


def test_a_file_that_is_no_longer_rendered_is_retired(fork: Path, skillgen: Cli) -> None:
    record(fork, "skills/cancel/gone.md", b"once rendered\n")
    ran = check(skillgen, fork)
    assert (ran.code, states(ran)) == (1, {"skills/cancel/gone.md": ("retired", False)})
    (fork / "skills/cancel/gone.md").write_text("edited\n")
    ran = check(skillgen, fork)
    assert (ran.code, states(ran)) == (1, {"skills/cancel/gone.md": ("conflict", True)})


def record(fork: Path, path: str, data: bytes) -> None:
    """Put a file there as if an earlier skillgen had rendered it."""
    from hashlib import sha256

    from skillgen.build.locks import read_lock
    from skillgen.build.rebuild import write_lock
    from skillgen.model.lock import Mark

    (entry,) = read_lock(str(fork)).values()
    files = {**entry.files, path: Mark(sha256(data).hexdigest(), False)}
    from dataclasses import replace

    write_lock(str(fork), {entry.id: replace(entry, files=files, inputs="")})
    (fork / path).write_bytes(data)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.replace(b"\n", b"\r\n"), "has CRLF line ends"),
        (lambda data: data.rstrip(b"\n"), "only the final newline differs"),
        (lambda data: data + b"\n\n", "only the final newline differs"),
        (lambda data: b"\xef\xbb\xbf" + data, "has a byte order mark"),
        (lambda data: data.replace(b"\n", b"\r\n", 3), "has mixed line ends"),
    ],
    ids=["crlf", "no-newline", "more-newlines", "bom", "mixed"],
)
def test_what_editors_change_without_meaning_it_is_named_and_no_edit(  # type: ignore[no-untyped-def]
    change, words: str, fork: Path, old: Path, skillgen: Cli
) -> None:
    (fork / SKILL).write_bytes(change((fork / SKILL).read_bytes()))
    ran = check(skillgen, fork, "--strict")
    assert (ran.code, states(ran), detail(ran, SKILL)) == (0, {SKILL: ("current", False)}, words)
    (old / SKILL).write_bytes(change((old / SKILL).read_bytes()))
    ran = check(skillgen, old)
    assert (states(ran)[SKILL], detail(ran, SKILL)) == (("outdated", False), words)


def test_a_changed_executable_bit_is_named(fork: Path, skillgen: Cli) -> None:
    (fork / SKILL).chmod(0o755)
    ran = check(skillgen, fork)
    assert (ran.code, states(ran), detail(ran, SKILL)) == (0, {SKILL: ("edited", True)}, "is executable")


def test_a_symbolic_link_where_a_file_was_is_named_and_not_followed(fork: Path, old: Path, skillgen: Cli) -> None:
    for root in (fork, old):
        (root.parent / "aside").write_text("foreign\n")
        (root / SKILL).unlink()
        (root / SKILL).symlink_to(root.parent / "aside")
    ran = check(skillgen, fork)
    assert (ran.code, states(ran), detail(ran, SKILL)) == (0, {SKILL: ("edited", True)}, "is a symbolic link")
    ran = check(skillgen, old)
    assert (ran.code, states(ran)[SKILL], detail(ran, SKILL)) == (1, ("conflict", True), "is a symbolic link")


def test_conflict_markers_are_a_conflict_with_their_line(fork: Path, skillgen: Cli) -> None:
    text = (fork / SKILL).read_text()
    (fork / SKILL).write_text(text + "<<<<<<< this fork\na\n=======\nb\n>>>>>>> skillgen\n")
    ran = check(skillgen, fork)
    assert (ran.code, states(ran)) == (1, {SKILL: ("conflict", True)})
    assert next(f for f in ran.json["forks"][0]["files"] if f["path"] == SKILL)["line"] == text.count("\n") + 1


def test_one_command_checks_a_directory_of_checkouts(fork: Path, old: Path, skillgen: Cli) -> None:
    (fork.parent / "nothing").mkdir()
    nested = fork.parent / "mono" / "plugins" / "omc"
    shutil.copytree(old, nested)
    ran = skillgen("sync", "--check", "--json", fork.parent)
    assert ran.code == 1
    found = {Path(one["path"]).relative_to(fork.parent).as_posix(): one["code"] for one in ran.json["forks"]}
    assert found == {"fork": 0, "mono/plugins/omc": 1, "old": 1}


def test_a_list_of_forks_names_paths_and_pins_flavors(fork: Path, old: Path, skillgen: Cli) -> None:
    listed = fork.parent / "forks.yaml"
    listed.write_text("forks:\n  - fork\n  - path: old\n    flavor: omc-20260824\n")
    ran = skillgen("sync", "--check", "--json", listed)
    assert [one["code"] for one in ran.json["forks"]] == [0, 0]
    listed.write_text("forks:\n  - fork\n  - path: old\n")
    assert skillgen("sync", "--check", listed).code == 1
    listed.write_text("forks:\n  - fork\n  - pth: old\n")
    ran = skillgen("sync", "--check", listed)
    assert ran.code == 2
    assert "forks.yaml:3:" in ran.err


def test_a_fork_without_a_result_does_not_hide_the_others(fork: Path, old: Path, skillgen: Cli) -> None:
    (old / "skillgen.lock").write_text("rubbish\n")
    ran = skillgen("sync", "--check", fork, old)
    assert ran.code == 1, "something is left to do; alone it would have no result"
    assert skillgen("sync", "--check", old).code == 2
    ran = skillgen("sync", "--check", fork, old)
    assert f"{fork}: omc" in ran.out
    assert "skillgen.lock:1:1: is no skillgen.lock" in ran.err


def test_github_shows_what_is_to_be_done_as_errors_and_the_rest_as_notices(old: Path, skillgen: Cli) -> None:
    (old / TEAM).write_text((old / TEAM).read_text() + "\nOwn: 100%.\n")
    ran = skillgen("sync", "--check", "--format", "github", old)
    lines = ran.out.splitlines()
    assert f"::error file={old}/{SKILL},title=skillgen sync::outdated; run skillgen sync" in lines
    assert f"::notice file={old}/{TEAM},title=skillgen sync::edited" in lines
    assert all(line.startswith("::") for line in lines)


def test_the_table_says_what_changes_in_behaviour_before_the_files(old: Path, skillgen: Cli) -> None:
    out = skillgen("sync", "--check", old).out
    assert out.index("  ! `--force`") < out.index("  outdated")
    assert "omc 20260824 -> omc 20260912" in out


def test_json_is_one_object_even_when_a_fork_has_no_result(fork: Path, skillgen: Cli) -> None:
    (fork / "skillgen.lock").write_text("rubbish\n")
    ran = skillgen("sync", "--check", "--json", fork)
    assert ran.code == 2
    assert json.loads(ran.out)["forks"][0]["code"] == 2


@pytest.mark.parametrize("edited", [False, True])
def test_a_script_with_windows_line_ends_is_no_matter_of_form(fork: Path, skillgen: Cli, edited: bool) -> None:
    script = fork / "skills/cancel/scripts/cancel.sh"
    wanted = script.read_bytes() + (b"# mine\n" if edited else b"")
    script.write_bytes(wanted.replace(b"\n", b"\r\n"))
    checked = skillgen("sync", "--check", "--format", "github", fork)
    assert checked.code == 1
    assert "cancel.sh" in checked.out and "has CRLF line ends, with which no shell takes it" in checked.out
    assert "::error" in checked.out
    assert skillgen("sync", fork).code == 0
    assert script.read_bytes() == wanted
    assert skillgen("sync", "--check", fork).code == 0


def test_a_text_with_windows_line_ends_is_one(fork: Path, skillgen: Cli) -> None:
    text = fork / "skills/cancel/SKILL.md"
    text.write_bytes(text.read_bytes().replace(b"\n", b"\r\n"))
    assert skillgen("sync", "--check", fork).code == 0
