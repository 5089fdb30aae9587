"""`skillgen sync`: a fork gets the new revision, keeps what is its own, and a second run changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, edit, git, states, tree

CONTRACT = "skills/cancel/contract.json"


def test_a_fork_without_edits_becomes_what_a_build_would_write(old: Path, fork: Path, skillgen: Cli) -> None:
    assert skillgen("sync", old).code == 0
    assert tree(old) == tree(fork)
    assert skillgen("sync", "--check", old).code == 0


def test_edits_are_kept_and_a_second_run_changes_nothing(old: Path, skillgen: Cli) -> None:
    edit(old / SKILL, "## Rules\n", "## House notes\n\nBe kind.\n\n## Rules\n")
    edit(old / SKILL, "level: ", "owner: us\n  level: ")
    (old / "skills/cancel/own.md").write_text("own\n")
    assert skillgen("sync", old).code == 0
    text = (old / SKILL).read_text()
    assert "## House notes\n\nBe kind.\n\n## Rules\n" in text
    assert "  owner: us\n" in text
    assert 'argument-hint: "[--force] [--all]"' in text
    assert (old / "skills/cancel/own.md").read_text() == "own\n"
    before = tree(old)
    assert skillgen("sync", old).code == 0
    assert tree(old) == before


def test_the_lock_records_what_was_rendered_and_never_the_merge(old: Path, fork: Path, skillgen: Cli) -> None:
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    skillgen("sync", old)
    assert (old / "skillgen.lock").read_bytes() == (fork / "skillgen.lock").read_bytes()


def test_a_true_conflict_stands_in_the_file_and_the_rest_is_done(old: Path, fork: Path, skillgen: Cli) -> None:
    edit(old / CONTRACT, '"revision": "20260824"', '"revision": "ours"')
    ran = skillgen("sync", old)
    assert ran.code == 1
    assert "conflict    skills/cancel/contract.json" in ran.out
    wanted = (
        '<<<<<<< this fork\n  "revision": "ours",\n=======\n  "revision": "20260912",\n>>>>>>> skillgen omc 20260912\n'
    )
    assert wanted in (old / CONTRACT).read_text()
    assert (old / SKILL).read_bytes() == (fork / SKILL).read_bytes()
    before = tree(old)
    assert skillgen("sync", old).code == 1, "markers remain"
    assert tree(old) == before
    (old / CONTRACT).write_bytes((fork / CONTRACT).read_bytes())
    assert skillgen("sync", old).code == 0
    assert tree(old) == tree(fork)


@pytest.mark.parametrize(("side", "word"), [("--ours", "ours"), ("--theirs", "20260912")])
def test_a_side_can_be_taken_in_every_conflict(side: str, word: str, old: Path, skillgen: Cli) -> None:
    edit(old / CONTRACT, '"revision": "20260824"', '"revision": "ours"')
    assert skillgen("sync", side, old).code == 0
    assert f'"revision": "{word}"' in (old / CONTRACT).read_text()
    assert skillgen("sync", "--check", old).code == 0


def test_a_dry_run_writes_nothing_and_its_diff_is_the_change(old: Path, skillgen: Cli) -> None:
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    (old / "skills/cancel/references/team.md").unlink()
    (old / "skills/cancel/references/state.md").write_bytes(
        (old / "skills/cancel/references/state.md").read_bytes().replace(b"\n", b"\r\n")
    )
    before = tree(old)
    ran = skillgen("sync", "--dry-run", "--json", old)
    assert (ran.code, tree(old)) == (1, before)
    copy = Path(shutil.copytree(old, old.parent / "copy"))
    diff = ran.json["forks"][0]["diff"]
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=copy, check=True)
    skillgen("sync", old)
    after = tree(old)
    del after["skillgen.lock"]
    patched = tree(copy)
    del patched["skillgen.lock"]
    # git creates files as this machine's umask says, and keeps of a mode whether the file is a program.
    assert _kept_by_git(patched) == _kept_by_git(after)


def _kept_by_git(files: dict[str, tuple[bytes, int]]) -> dict[str, tuple[bytes, bool]]:
    return {path: (data, bool(mode & 0o100)) for path, (data, mode) in files.items()}


def test_line_ends_of_the_fork_stay(old: Path, fork: Path, skillgen: Cli) -> None:
    for root, _, names in os.walk(old / "skills"):
        for name in names:
            path = Path(root, name)
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (old / SKILL).write_bytes((old / SKILL).read_bytes() + b"\r\nOwn.\r\n")
    assert skillgen("sync", old).code == 0
    new = tree(fork)
    for name, (data, _) in tree(old).items():
        if name.startswith("skills/"):
            wanted = new[name][0] + (b"\nOwn.\n" if name == SKILL else b"")
            assert data == wanted.replace(b"\n", b"\r\n"), name


def test_modes_follow_the_rendering_where_the_fork_did_not_change_them(old: Path, fork: Path, skillgen: Cli) -> None:
    (old / SKILL).chmod(0o755)
    skillgen("sync", old)
    assert (old / SKILL).stat().st_mode & 0o777 == 0o755
    assert {n: m for n, (_, m) in tree(old).items() if n != SKILL} == {
        n: m for n, (_, m) in tree(fork).items() if n != SKILL
    }


def test_a_retired_file_goes_unless_it_was_edited(fork: Path, skillgen: Cli) -> None:
    from test_states import record

    record(fork, "skills/cancel/gone.md", b"once\n")
    record(fork, "skills/cancel/mine.md", b"once\n")
    (fork / "skills/cancel/mine.md").write_text("mine\n")
    for _ in range(2):
        ran = skillgen("sync", "--json", fork)
        assert (ran.code, states(ran)["skills/cancel/mine.md"]) == (1, ("conflict", True))
        assert not (fork / "skills/cancel/gone.md").exists()
        assert (fork / "skills/cancel/mine.md").read_text() == "mine\n"
    assert skillgen("sync", "--check", fork).code == 1
    assert skillgen("sync", "--ours", fork).code == 0
    assert (fork / "skills/cancel/mine.md").read_text() == "mine\n"
    ran = skillgen("sync", "--check", "--json", fork)
    assert (ran.code, states(ran)) == (0, {"skills/cancel/mine.md": ("unexpected", False)})


def test_a_retired_file_that_was_edited_goes_when_the_other_side_is_taken_or_it_is_deleted(
    fork: Path, skillgen: Cli
) -> None:
    from test_states import record

    for take in ("--theirs", "delete"):
        record(fork, "skills/cancel/mine.md", b"once\n")
        mine = fork / "skills/cancel/mine.md"
        mine.write_text("mine\n")
        assert skillgen("sync", fork).code == 1
        if take == "delete":
            mine.unlink()
        assert skillgen("sync", *([take] if take != "delete" else []), fork).code == 0
        assert not mine.exists()
        assert skillgen("sync", "--check", fork).code == 0


def test_a_retired_module_that_was_edited_is_loaded_by_nothing(fork: Path, skillgen: Cli, tmp_path: Path) -> None:
    from test_states import record

    retired = "skills/cancel/scripts/cancel_runtime/jsontext.py"
    record(fork, retired, b"ONCE = 1\n")
    (fork / retired).write_text("raise SystemExit(9)\n")
    assert skillgen("sync", fork).code == 1
    assert (fork / retired).exists()
    (tmp_path / "empty").mkdir()
    for arguments in (["status"], ["explain"], ["--session-id", "s1", "--force", "--all"]):
        done = subprocess.run(
            [sys.executable, fork / "skills/cancel/scripts/cancel.py", *arguments],
            cwd=tmp_path / "empty", env={"HOME": str(tmp_path / "empty"), "PATH": os.environ["PATH"]},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), arguments


def test_deleted_and_renamed_files_come_back_and_nothing_of_the_fork_goes(fork: Path, skillgen: Cli) -> None:
    references = fork / "skills/cancel/references"
    text = (references / "team.md").read_bytes()
    (references / "team.md").rename(references / "crew.md")
    assert skillgen("sync", fork).code == 0
    assert (references / "team.md").read_bytes() == (references / "crew.md").read_bytes() == text


def test_a_fork_that_moved_its_skill_is_synced_where_it_lies(old: Path, fork: Path, skillgen: Cli) -> None:
    (old / "plugins/omc").mkdir(parents=True)
    (old / "skills").rename(old / "plugins/omc/skills")
    moved = old / "plugins/omc" / SKILL
    moved.write_text(moved.read_text() + "\nOwn.\n")
    ran = skillgen("sync", "--json", old)
    assert (ran.code, ran.json["forks"][0]["moved"]) == (0, "plugins/omc/skills/cancel")
    assert moved.read_text() == (fork / SKILL).read_text() + "\nOwn.\n"
    assert not (old / "skills").exists()
    assert skillgen("sync", "--check", old).code == 0


def test_a_link_in_place_of_a_file_is_never_written_through(old: Path, fork: Path, skillgen: Cli) -> None:
    aside = old.parent / "aside"
    aside.write_text("foreign\n")
    (old / SKILL).unlink()
    (old / SKILL).symlink_to(aside)
    assert skillgen("sync", old).code == 1
    assert (old / SKILL).is_symlink()
    assert skillgen("sync", "--check", old).code == 1, "still to be settled"
    assert skillgen("sync", "--theirs", old).code == 0
    assert not (old / SKILL).is_symlink()
    assert (old / SKILL).read_bytes() == (fork / SKILL).read_bytes()
    assert aside.read_text() == "foreign\n"


def test_a_linked_directory_leads_no_write_out_of_the_fork(old: Path, skillgen: Cli) -> None:
    away = old.parent / "away"
    (old / "skills").rename(away)
    (old / "skills").symlink_to(away)
    before = tree(away)
    assert skillgen("sync", old).code in (1, 2)
    assert skillgen("sync", "--theirs", old).code == 2
    assert tree(away) == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("skillgen: 0.", "skillgen: 99."), "was written by skillgen 99."),
        (
            lambda text: text.replace("skillgen-lock: 2\nneeds: 0.2.0", "skillgen-lock: 3\nneeds: 7.1.0"),
            "has form 3, this skillgen reads forms 1 to 2, use skillgen 7.1.0 or a newer one",
        ),
        (lambda text: text.replace("schema: 1", "schema: 2"), "was written by skillgen"),
        (lambda text: text[: len(text) // 2] + "\n", "skillgen.lock:"),
        (lambda text: "", "is no skillgen.lock"),
        (lambda text: f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> other\n", "holds conflict markers"),
    ],
    ids=["newer", "newer-form", "newer-schema", "cut", "empty", "markers"],
)
def test_a_lock_that_cannot_be_used_stops_with_a_repair_and_changes_nothing(  # type: ignore[no-untyped-def]
    change, words: str, old: Path, skillgen: Cli
) -> None:
    (old / "skillgen.lock").write_text(change((old / "skillgen.lock").read_text()))
    before = tree(old)
    for more in ([], ["--check"]):
        ran = skillgen("sync", *more, old)
        assert ran.code == 2
        assert words in ran.err
        assert "Traceback" not in ran.err
        assert "skillgen build" not in ran.err, "a build leaves edited files alone, so it repairs nothing here"
    assert tree(old) == before


def test_either_side_of_a_merged_lock_will_do(old: Path, fork: Path, skillgen: Cli) -> None:
    # Only the older revision has a parent; its line is that of one side.
    mixed = [line for line in (old / "skillgen.lock").read_text().splitlines() if not line.startswith("    parent:")]
    new = (fork / "skillgen.lock").read_text().splitlines()
    half = [a if n % 2 else b for n, (a, b) in enumerate(zip(mixed, new, strict=True))]
    (old / "skillgen.lock").write_text("\n".join(half).replace("  omc-20260824:", "  omc:") + "\n")
    assert skillgen("sync", "--check", old).code == 1
    assert skillgen("sync", "--theirs", old).code == 0
    assert tree(old) == tree(fork)


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_a_fork_that_cannot_be_written_says_so_and_stays_whole(old: Path) -> None:
    before = tree(old)
    for root, directories, _ in os.walk(old):
        for name in directories:
            Path(root, name).chmod(0o555)
    old.chmod(0o555)
    # Root itself, but bound by mode bits like everybody else.
    command = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", sys.executable, "-m", "skillgen"]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run([*command, "sync", str(old)], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 2, ran.stderr
    assert "cannot be written" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert tree(old) == before


def test_what_a_path_that_is_no_fork_lacks_is_said(tmp_path: Path, skillgen: Cli) -> None:
    ran = skillgen("sync", tmp_path)
    assert ran.code == 2
    assert f"skillgen adopt {tmp_path}" in ran.err
    assert skillgen("sync", tmp_path / "nothing").code == 2
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "dist").code == 0
    ran = skillgen("sync", tmp_path / "dist")
    assert ran.code == 2
    assert "output of skillgen build" in ran.err


def test_the_commit_message_says_what_changes_in_behaviour_and_what_was_kept(old: Path, skillgen: Cli) -> None:
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    message = old.parent / "message"
    assert skillgen("sync", old, "--commit-message", message).code == 0
    text = message.read_text()
    assert text.startswith("Bring the cancel skill to omc 20260912\n\nFrom omc 20260824 to omc 20260912.\n")
    assert "Changes in behaviour:\n- `--force`: from every session" in text
    assert f"Local edits kept in:\n- {SKILL}\n" in text
    skillgen("sync", old, "--commit-message", message)
    assert message.read_text() == ""


def test_in_a_repository_a_sync_is_an_ordinary_change(old: Path, skillgen: Cli) -> None:
    git(old, "init", "-q", "-b", "main")
    git(old, "add", "-A")
    git(old, "commit", "-qm", "As built")
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    git(old, "commit", "-qam", "Own")
    assert skillgen("sync", old).code == 0
    names = set(git(old, "status", "--porcelain").split()[1::2])
    assert names >= {SKILL, CONTRACT, "skillgen.lock"}
    assert all(name in tree(old) for name in names)
    assert git(old, "diff", "--check") == ""


def test_edits_go_along_when_the_bundle_renames_a_file(fork: Path, skillgen: Cli) -> None:
    from dataclasses import replace

    from skillgen.build.locks import read_lock
    from skillgen.build.rebuild import write_lock

    # As if team.md had been crew.md in the rendering that the fork was built from.
    team, crew = (fork / f"skills/cancel/references/{name}.md" for name in ("team", "crew"))
    text = team.read_text()
    team.rename(crew)
    (entry,) = read_lock(str(fork)).values()
    files = {path.replace("/team.md", "/crew.md"): mark for path, mark in entry.files.items()}
    write_lock(str(fork), {entry.id: replace(entry, files=files, inputs="")})
    crew.write_text(text + "\nOwn.\n")
    assert skillgen("sync", "--check", fork).code == 1
    assert skillgen("sync", fork).code == 0
    assert team.read_text() == text + "\nOwn.\n"
    assert not crew.exists()
    assert skillgen("sync", "--check", fork).code == 0


def test_a_reference_that_the_fork_wrote_anew_is_its_own(old: Path, skillgen: Cli) -> None:
    path = "skills/cancel/references/team.md"
    (old / path).write_text("# Our team\n\nNothing of what was rendered.\n")
    assert skillgen("sync", old).code == 0
    assert (old / path).read_text() == "# Our team\n\nNothing of what was rendered.\n"
    ran = skillgen("sync", "--check", "--json", old)
    assert (ran.code, states(ran)) == (0, {path: ("edited", True)})


def test_binary_data_wait_until_a_side_is_taken(old: Path, fork: Path, skillgen: Cli) -> None:
    (old / SKILL).write_bytes((old / SKILL).read_bytes() + b"a\0b")
    before = (old / SKILL).read_bytes()
    assert skillgen("sync", old).code == 1
    assert skillgen("sync", "--check", old).code == 1
    assert (old / SKILL).read_bytes() == before
    assert skillgen("sync", "--theirs", old).code == 0
    assert tree(old) == tree(fork)
