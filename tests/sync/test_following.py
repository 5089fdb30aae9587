"""`skillgen sync --skills FROM`: the upstream's other skills in the fork's names, three-way, at any point of a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from following_world import FORK, UPSTREAM, World, advance, commit, lines_of, make, put, text
from sync_world import Cli, Ran, git, states, tree

from skillgen.model.rename_map import RenameMap


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make(tmp_path_factory.mktemp("following"))


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    top = Path(shutil.copytree(made.fork.parent, tmp_path / "w"))
    return World(top / "upstream", top / "fork", made.equal, made.near, made.own)


def follow(skillgen: Cli, world: World, *args: str) -> Ran:
    return skillgen("sync", "--skills", world.upstream, *args, world.fork)


def test_of_37_shared_skills_21_are_equal_and_14_near_and_the_upstream_s_next_change_reaches_all(
    world: World, skillgen: Cli
) -> None:
    before = tree(world.fork)
    ran = follow(skillgen, world, "--json")
    assert ran.code == 0
    found = states(ran)
    assert found == {f"skills/{name}/SKILL.md": ("edited", True) for name in world.near}
    after = tree(world.fork)
    assert {path for path in after if after[path] != before.get(path)} == {"skillgen.lock"}
    assert "skills that this fork lacks stay out (skill-37, skill-38, skill-39)" in ran.json["forks"][0]["note"]
    assert "unlike the upstream's, so your own: skill-35, skill-36" in ran.json["forks"][0]["note"]

    advance(world, 1)
    begin = time.monotonic()
    ran = follow(skillgen, world)
    took = time.monotonic() - begin
    assert ran.code == 0, ran.out
    print(f"37 skills followed in {took:.1f} s")
    for name in (*world.equal, *world.near):
        body = world.skill(name).read_text()
        assert "Since 1, ACME says so in `.acme/notes-1`." in body
        assert ("Ask in #acme-" in body) == (name in world.near)
    for name in (*world.own, "house"):
        assert world.skill(name).read_bytes() == before[f"skills/{name}/SKILL.md"][0]
    assert follow(skillgen, world, "--check").code == 0
    again = tree(world.fork)
    assert follow(skillgen, world).code == 0
    assert tree(world.fork) == again
    assert skillgen("sync", "--check", world.fork).code == 0, "the bundle is as it was"


def test_the_lock_says_what_came_from_where(world: World, skillgen: Cli) -> None:
    git(world.upstream, "remote", "add", "origin", "https://me:secret@example.org/up/stream.git")
    follow(skillgen, world)
    lock = (world.fork / "skillgen.lock").read_text()
    head = git(world.upstream, "rev-parse", "HEAD").strip()
    assert "  skills-of-omc:\n" in lock and f"    revision: {head[:12]}\n" in lock
    assert '    upstream: "https://example.org/up/stream.git"\n' in lock and "secret" not in lock
    assert "      skills/skill-2/scripts/run.sh: 755 " in lock and "skills/cancel/SKILL.md: 644" in lock
    advance(world, 1)
    follow(skillgen, world)
    assert f"    revision: {head[:12]}\n" not in (world.fork / "skillgen.lock").read_text()
    # A sync of the bundle, and a build into the fork, leave that alone.
    lock = (world.fork / "skillgen.lock").read_text()
    assert skillgen("sync", world.fork).code == 0
    build = ("build", "--flavor", "acme", "--flavors", world.fork / "flavors", "--into", world.fork)
    assert skillgen(*build).code == 0
    assert (world.fork / "skillgen.lock").read_text() == lock


def test_names_follow_whole_words_and_never_addresses_or_credits(world: World, skillgen: Cli) -> None:
    lines = [*lines_of(2), *range(9000, 9010)]
    put(world.upstream / "skills/skill-2/SKILL.md", text("skill-2", UPSTREAM, lines))
    put(world.upstream / "skills/omc-new/SKILL.md", text("{low}-new", UPSTREAM, lines))
    follow(skillgen, world)
    commit(world.upstream, "More")
    assert follow(skillgen, world).code == 0
    assert world.skill("skill-2").read_text() == text("skill-2", FORK, lines)
    assert world.skill("acme-new").read_text() == text("{low}-new", FORK, lines), "a skill that is new upstream comes"


WORDS = RenameMap(
    (("OMC", "ACME"), ("omc", "acme"), (".omc", ".acme"), ("oh-my-claudecode", "acme-flow")),
    (("OMC_", "ACME_"), ("/oh-my-claudecode:", "/acme-flow:")),
    ("oh-my-claudecode", "OMC", "Yeachan-Heo/oh-my-claudecode"),
)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("OMC, omc and `.omc/`", "ACME, acme and `.acme/`"),
        ("$OMC_HOME ${OMC_X:-.omc}", "$ACME_HOME ${ACME_X:-.acme}"),
        ("/oh-my-claudecode:plan", "/acme-flow:plan"),
        ("the oh-my-claudecode plugin's omc-setup", "the acme-flow plugin's acme-setup"),
        ("OMCs OMCX xOMC OMC2 _OMC_ MY_OMC_X OMCß atomcraft décomcé", None),
        ("https://x.org/omc?omc=OMC#omc", None),
        ("(https://x.org/omc) omc", "(https://x.org/omc) acme"),
        ("[OMC](https://x.org/omc)", "[ACME](https://x.org/omc)"),
        ("omc@example.org, git@github.com:a/omc.git, www.omc.dev, omc.dev/omc, github.com/a/omc", None),
        ("npm i @omc/omc", None),
        ("claude plugin marketplace add Yeachan-Heo/oh-my-claudecode", None),
        ("Copyright (c) 2025 the OMC authors", None),
        ("> Adapted from [oh-my-claudecode](x), with thanks", None),
        ("Thanks to OMC", None),
        ("author: OMC", None),
        ("Route based on the mode of OMC", "Route based on the mode of ACME"),
        ("Ask the authoritative OMC state", "Ask the authoritative ACME state"),
        ("The plan created by /oh-my-claudecode:plan, in `.omc`", "The plan created by /acme-flow:plan, in `.acme`"),
        ("Created by the makers of OMC", None),
        ("Acknowledge each OMC message; (c) 2 of omc", "Acknowledge each ACME message; (c) 2 of acme"),
        ("It costs credits. OMC counts them.", "It costs credits. ACME counts them."),
        (
            "What was originally in `.omc/state` is taken from $OMC_HOME",
            "What was originally in `.acme/state` is taken from $ACME_HOME",
        ),
        ("Results are taken from /oh-my-claudecode:plan", "Results are taken from /acme-flow:plan"),
        ("Ported from the skill of that name in oh-my-claudecode", None),
        ("sh scripts/omc.sh && omc.run", "sh scripts/acme.sh && acme.run"),
        ("curl get.omc.sh/x", None),
        ("OMC → omc", "ACME → acme"),
        ("中文OMC文", None),
        ("~/.omc/x foo.omc x/.omc", "~/.acme/x foo.acme x/.acme"),
    ],
)
def test_a_line_in_the_fork_s_names(said: str, wanted: str | None) -> None:
    assert WORDS.text(said, path="SKILL.md") == (said if wanted is None else wanted)


def test_a_section_of_credits_stays_to_its_end_and_a_comment_is_no_heading() -> None:
    body = "OMC\n## Credits\nOMC\n### More\nOMC\n## Next\nOMC\n"
    assert WORDS.text(body, path="SKILL.md") == "ACME\n## Credits\nOMC\n### More\nOMC\n## Next\nACME\n"
    assert WORDS.text("## Credits\nOMC\n", path="a.sh") == "## Credits\nACME\n"


def test_a_name_that_holds_the_old_one_is_put_in_once() -> None:
    names = RenameMap((("omc", "omc-plus"), ("OMC", "OMC-PLUS")))
    assert names.text("omc OMC omc-setup") == "omc-plus OMC-PLUS omc-plus-setup"


def test_a_check_writes_nothing_and_says_with_its_code_that_something_is_to_be_done(
    world: World, skillgen: Cli
) -> None:
    before = tree(world.fork)
    assert follow(skillgen, world, "--check").code == 1
    assert follow(skillgen, world, "--dry-run").code == 1
    assert tree(world.fork) == before
    follow(skillgen, world)
    commit(world.upstream, "Nothing of a skill")
    assert follow(skillgen, world, "--check").code == 0, "a commit that changes no skill is none of ours"


def test_a_conflict_stands_in_its_file_and_a_side_can_be_taken(world: World, skillgen: Cli) -> None:
    follow(skillgen, world)
    for root, names in ((world.upstream, UPSTREAM), (world.fork, FORK)):
        path = root / "skills/skill-5/SKILL.md"
        first = text("skill-5", names, lines_of(5))
        line = next(row for row in first.split("\n") if "Write the result" in row)
        path.write_text(
            first.replace(line, f"{line} And tell {names['LABEL']}." if root == world.upstream else "Do not.")
        )
    commit(world.upstream, "Changed")
    ran = follow(skillgen, world)
    assert ran.code == 1 and "conflict    skills/skill-5/SKILL.md" in ran.out
    body = world.skill("skill-5").read_text()
    assert "<<<<<<< this fork\nDo not.\n=======\n" in body and "And tell ACME." in body
    assert ">>>>>>> skillgen skills-of-omc " in body
    copy = World(world.upstream, Path(shutil.copytree(world.fork, world.fork.parent / "copy")), [], [], [])
    assert follow(skillgen, world, "--ours").code == 0
    assert "Do not." in world.skill("skill-5").read_text()
    assert follow(skillgen, copy, "--theirs").code == 0
    assert "And tell ACME." in copy.skill("skill-5").read_text()
    for one in (world, copy):
        assert "<<<<<<<" not in one.skill("skill-5").read_text()
        assert follow(skillgen, one, "--check").code == 0


def test_skills_that_come_and_go_upstream_come_and_go_but_for_edits(world: World, skillgen: Cli) -> None:
    follow(skillgen, world)
    near = world.near[0]
    for name in ("skill-6", near):
        shutil.rmtree(world.upstream / "skills" / name)
    put(world.upstream / "skills/fresh/SKILL.md", "---\nname: fresh\ndescription: New\n---\n\n# New\n\nIn `.omc/`.\n")
    put(world.upstream / "skills/house/SKILL.md", "---\nname: house\ndescription: Theirs\n---\n\n# Theirs\n")
    commit(world.upstream, "Come and go")
    house = world.skill("house").read_bytes()
    ran = follow(skillgen, world)
    assert ran.code == 1
    assert f"skills/{near}/SKILL.md" in ran.out and "no longer upstream: --theirs removes it" in ran.out
    assert world.skill("house").read_bytes() == house, "the fork's own skill of that name"
    assert not world.skill("skill-6").parent.exists()
    assert "In `.acme/`." in world.skill("fresh").read_text()
    assert "unlike the upstream's, so your own: house" in ran.out
    assert follow(skillgen, world).code == 1, "the deleted one still waits"
    assert follow(skillgen, world, "--ours").code == 0
    assert world.skill(near).is_file() and world.skill("house").read_bytes() == house
    assert follow(skillgen, world, "--check").code == 0


def test_a_skill_that_was_left_out_comes_when_it_is_asked_for(world: World, skillgen: Cli) -> None:
    follow(skillgen, world)
    assert follow(skillgen, world, "--include", "skills/skill-38").code == 0
    assert "# ACME skill-38" in world.skill("skill-38").read_text()
    assert not world.skill("skill-39").exists()
    assert follow(skillgen, world, "--exclude", "skills/skill-38").code == 0
    assert not world.skill("skill-38").exists()
    assert follow(skillgen, world, "--check").code == 0
    ran = follow(skillgen, world, "--include", "skills/skill-3x")
    assert (ran.code, "is none of the skills of" in ran.err, "skills/skill-38" in ran.err) == (2, True, True)
    ran = follow(skillgen, world, "--exclude", "skills/nothing")
    assert (ran.code, "is none of the skills of" in ran.err) == (2, True)


def test_a_place_that_holds_none_of_the_followed_skills_takes_none_away(world: World, skillgen: Cli) -> None:
    follow(skillgen, world)
    put(world.upstream.parent / "odd/skills/a/SKILL.md", "---\nname: a\ndescription: A\n---\n\n# A\n")
    before = tree(world.fork)
    ran = skillgen("sync", "--skills", world.upstream.parent / "odd", world.fork)
    assert (ran.code, tree(world.fork)) == (2, before)
    assert "holds none of the skills that this fork follows" in ran.err


def test_a_fork_that_has_none_gets_all(world: World, skillgen: Cli) -> None:
    for path in (world.fork / "skills").iterdir():
        if path.name != "cancel":
            shutil.rmtree(path)
    assert follow(skillgen, world).code == 0
    names = {path.name for path in (world.fork / "skills").iterdir()}
    assert len(names) == 41 and {"acme-setup", "acme-doctor", "skill-39", "cancel"} <= names


def test_binary_files_modes_and_line_ends_are_kept(world: World, skillgen: Cli) -> None:
    follow(skillgen, world)
    skill = world.skill("skill-7")
    skill.write_bytes(skill.read_bytes().replace(b"\n", b"\r\n"))
    (world.upstream / "skills/skill-3/logo.bin").write_bytes(b"OMC\0OMC")
    put(world.upstream / "skills/skill-2/scripts/more.sh", "#!/bin/sh\n: .omc\n", 0o755)
    advance(world, 1)
    assert follow(skillgen, world).code == 0
    assert (world.fork / "skills/skill-3/logo.bin").read_bytes() == b"OMC\0OMC"
    more = world.fork / "skills/skill-2/scripts/more.sh"
    assert (more.read_text(), more.stat().st_mode & 0o777) == ("#!/bin/sh\n: .acme\n", 0o755)
    body = skill.read_bytes()
    assert b"Since 1, ACME" in body and body.count(b"\n") == body.count(b"\r\n")
    (world.fork / "skills/skill-3/logo.bin").write_bytes(b"mine\0")
    (world.upstream / "skills/skill-3/logo.bin").write_bytes(b"theirs\0")
    commit(world.upstream, "Logo")
    ran = follow(skillgen, world)
    assert ran.code == 1 and "holds binary data; take a side" in ran.out
    assert follow(skillgen, world, "--theirs").code == 0
    assert (world.fork / "skills/skill-3/logo.bin").read_bytes() == b"theirs\0"


def test_links_lead_nowhere_on_either_side(world: World, skillgen: Cli) -> None:
    follow(skillgen, world)
    aside = world.fork.parent / "aside"
    shutil.copytree(world.fork / "skills/skill-8", aside)
    shutil.rmtree(world.fork / "skills/skill-8")
    (world.fork / "skills/skill-8").symlink_to(aside)
    before = tree(aside)
    (world.upstream / "skills/skill-9/secret").symlink_to("/etc/passwd")
    (world.upstream / "skills/linked").symlink_to("skill-9")
    advance(world, 1)
    ran = follow(skillgen, world)
    assert ran.code in (1, 2)
    assert tree(aside) == before
    assert not os.path.lexists(world.fork / "skills/skill-9/secret")
    assert not os.path.lexists(world.fork / "skills/linked")


HOSTILE = [
    "../../../evil",
    "skill-9/../../evil",
    ".git/hooks/post-commit",
    "skill-9/.git/config",
    "skill-9/.GIT/config",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_tree_that_leads_out_is_refused_with_nothing_done(path: str, world: World, skillgen: Cli) -> None:
    # git itself refuses such names in an index, so the trees are made by hand.
    done = subprocess.run(
        ["git", "-C", world.upstream, "hash-object", "-w", "--stdin"], input=b"evil", capture_output=True, check=True
    )
    blob = done.stdout.decode().strip()
    parts = ["skills", "skill-9", *path.removeprefix("skill-9/").split("/")]
    # Beside the trap each directory keeps what it had.
    skill = git(world.upstream, "ls-tree", "HEAD:skills/skill-9")
    inner = git(world.upstream, "ls-tree", "HEAD:skills")
    first = parts[2]
    below = parts[3:]
    leaf = f"100644 blob {blob}\t{parts[-1]}\n"
    for part in reversed(below[:-1]):
        leaf = f"040000 tree {mktree(world.upstream, leaf)}\t{part}\n"
    entry = f"040000 tree {mktree(world.upstream, leaf)}\t{first}\n" if below else f"100644 blob {blob}\t{first}\n"
    made = mktree(world.upstream, skill + entry)
    rows = [row for row in inner.splitlines(keepends=True) if not row.endswith("\tskill-9\n")]
    skills = mktree(world.upstream, "".join(rows) + f"040000 tree {made}\tskill-9\n")
    top = mktree(world.upstream, f"040000 tree {skills}\tskills\n")
    new = git(world.upstream, "commit-tree", top, "-m", "Evil").strip()
    before = tree(world.fork)
    ran = skillgen("sync", "--skills", f"{world.upstream}@{new}", world.fork)
    assert (ran.code, tree(world.fork)) == (2, before), ran
    assert "leads out of its skill or into a git directory" in ran.err


def mktree(top: Path, rows: str) -> str:
    done = subprocess.run(["git", "-C", top, "mktree"], input=rows.encode(), capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_without_git_the_upstream_is_what_lies_there(world: World, skillgen: Cli) -> None:
    follow(skillgen, world)
    shutil.rmtree(world.upstream / ".git")
    for name in world.near[:2]:
        path = world.upstream / "skills" / name / "SKILL.md"
        path.write_text(path.read_text().replace("tell the user", "tell the user of OMC"))
    (world.upstream / "skills/skill-9/x").symlink_to("/etc/passwd")
    ran = skillgen("sync", "--skills", world.upstream / "skills", world.fork)
    assert "skill-9/x is a symbolic link" in ran.out
    # The fork's edited files cannot be held against what they were: nobody remembers that.
    assert ran.code == 1
    assert "<<<<<<< this fork" in world.skill(world.near[0]).read_text()


def test_what_no_commit_holds_is_not_taken_and_said(world: World, skillgen: Cli) -> None:
    path = world.upstream / "skills/skill-9/SKILL.md"
    path.write_text(path.read_text() + "\nLoose.\n")
    ran = follow(skillgen, world)
    assert "changes that no commit holds are not taken: skill-9/SKILL.md" in ran.out
    assert "Loose." not in world.skill("skill-9").read_text()


def test_skills_in_a_host_s_hidden_directory_are_followed_there(tmp_path: Path, skillgen: Cli) -> None:
    world = make(tmp_path, holder=".claude/skills")
    ran = follow(skillgen, world, "--json")
    assert ran.code == 0, ran
    assert {path.split("/")[0] for path in states(ran)} == {".claude"}
    advance(world, 1)
    assert follow(skillgen, world).code == 0
    assert "Since 1, ACME" in (world.fork / ".claude/skills/acme-setup/SKILL.md").read_text()
    assert not list((world.fork / "skills").rglob("*"))
    assert follow(skillgen, world, "--check").code == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--skills", "nowhere", "."], "is no directory"),
        (["--skills", ".", "."], "is the fork itself"),
        (["--skills", "../upstream@nothing", "."], "has no revision nothing"),
        (["--skills", "../upstream@--output=x", "."], "has no revision --output=x"),
        (["--skills", "flavors", "."], "holds no folder with a SKILL.md"),
        (["--skills", "../upstream/skills/skill-9", "."], "is a skill itself"),
        (["--skills", "../upstream", "--propose", "."], "goes without"),
        (["--skills", "../upstream", "../upstream"], "there is no skillgen.lock"),
    ],
)
def test_what_cannot_be_followed_is_said_in_one_line(
    args: list[str], said: str, world: World, skillgen: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.fork)
    before = tree(world.fork)
    ran = skillgen("sync", *args)
    assert (ran.code, tree(world.fork)) == (2, before)
    assert said in ran.err and ran.err.count("\n") <= 4


def test_nothing_that_an_upstream_names_is_run(world: World, tmp_path: Path, skillgen: Cli) -> None:
    from armed import arm

    armed = arm(world.upstream, tmp_path / "ran.txt")
    ran = follow(skillgen, world)
    assert ran.code == 0, ran
    assert armed.ran() == set()


@pytest.mark.slow
@pytest.mark.parametrize("first", [False, True], ids=["followed before", "the first time"])
@pytest.mark.parametrize("bare", [False, True], ids=["a fork with skills", "a fork with none"])
def test_killed_at_any_change_and_repeated_it_ends_the_same(
    first: bool, bare: bool, world: World, skillgen: Cli
) -> None:
    from test_killed_sync import CHANGING

    for path in sorted((world.upstream / "skills").iterdir()):
        if path.name not in ("skill-2", "skill-5", world.near[0], world.near[1], "omc-setup", "skill-6"):
            shutil.rmtree(path)
            git(world.upstream, "commit", "-qam", "Fewer")
    for path in sorted((world.fork / "skills").iterdir()):
        if bare and path.name != "cancel":
            shutil.rmtree(path)
    if not first:
        follow(skillgen, world)
    advance(world, 1)
    shutil.rmtree(world.upstream / "skills/skill-6")
    for name in ("AGENTS.md", "SKILL.md", "x.md"):
        put(world.upstream / f"skills/fresh/{name}", f"---\nname: fresh\ndescription: New\n---\n\n# New {name}\n")
    commit(world.upstream, "More")
    whole = World(world.upstream, Path(shutil.copytree(world.fork, world.fork.parent / "whole")), [], [], [])
    follow(skillgen, whole)
    wanted = tree(whole.fork)
    program = (
        "import os, sys\nfrom skillgen.cli.main import run\nlimit, left = int(sys.argv.pop(1)), [0]\n"
        "def counted(real):\n    def call(*a, **k):\n        left[0] += 1\n        if left[0] > limit: os._exit(137)\n"
        "        return real(*a, **k)\n    return call\n"
        f"for name in {CHANGING!r}: setattr(os, name, counted(getattr(os, name)))\nsys.exit(run())\n"
    )
    for limit in range(200):
        fork = Path(shutil.copytree(world.fork, world.fork.parent / f"kill-{limit}"))
        command = [sys.executable, "-c", program, str(limit), "sync", "--skills", str(world.upstream), str(fork)]
        done = subprocess.run(command, check=False, capture_output=True)
        if done.returncode != 137:
            break
        skillgen("sync", "--skills", world.upstream, fork)
        assert tree(fork).keys() == wanted.keys(), limit
        assert tree(fork) == wanted, limit
    assert 4 < limit < 199
