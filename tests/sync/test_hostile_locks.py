"""A lock names only what skillgen could have rendered, or nothing is done by it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, git

from skillgen.hosts import shipped_hosts
from skillgen.model.lock import NAME, Mark
from skillgen.model.lock_text import format_lock, parse_lock
from skillgen.model.places import place_problem

STOLEN = [
    *(".git/HEAD", ".git/config", ".GIT/HEAD", ".Git/hooks/pre-commit", "skills/cancel/.git/HEAD", "GIT~1/config"),
    *("../outside", "/etc/hostname", "skills/../src/app.ts", "skills//x", "skills/./x", "C:/x", "skills\\x", "a\0b"),
    *("src/app.ts", ".env", ".github/workflows/ci.yml", ".gitmodules", ".ssh/id_rsa", "skillgen.lock", "SKILLGEN.LOCK"),
    *("skills/cancel/\u202ex.md", "skills/cancel/a\nb", "skills/cancel/.hidden", "node_modules/x.js", ".gitattributes"),
]
COMMANDS: dict[str, Callable[[Path], list[object]]] = {
    "sync": lambda fork: ["sync", fork],
    "sync --check": lambda fork: ["sync", "--check", fork],
    "sync --flavor": lambda fork: ["sync", "--flavor", "omc", fork],
    "build --into": lambda fork: ["build", "--flavor", "omc", "--into", fork],
    "build": lambda fork: ["build", "--flavor", "omc", "--out", fork],
}


def lock_with(fork: Path, **changed: object) -> None:
    """Rewrite the fork's lock under a seal that fits: who wrote the fork can do as much."""
    (entry,) = parse_lock("f", (fork / NAME).read_bytes()).values()
    changed["files"] = {**entry.files, **changed.pop("files", {})}  # type: ignore[dict-item]
    (fork / NAME).write_bytes(format_lock([replace(entry, **changed)]))  # type: ignore[arg-type]


def everything(top: Path) -> dict[str, bytes]:
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def refused(skillgen: Cli, fork: Path, command: str) -> str:
    before = everything(fork.parent)
    ran = skillgen(*COMMANDS[command](fork))
    assert ran.code == 2, ran.out
    said = ran.out + ran.err
    assert said.count("\n") == 1 and said.endswith("\n"), said
    assert all(char >= " " or char == "\n" for char in said)
    assert everything(fork.parent) == before
    return said


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("path", STOLEN)
def test_a_lock_that_lists_what_was_never_rendered_is_refused(
    fork: Path, skillgen: Cli, path: str, command: str
) -> None:
    git(fork, "init", "-q")
    named = fork / path if "\0" not in path else fork
    data = named.read_bytes() if named.is_file() else b"theirs"
    lock_with(fork, files={path: Mark(hashlib.sha256(data).hexdigest(), False)})
    assert "no skillgen wrote that" in refused(skillgen, fork, command)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("revision", "2026\x1b]0;T\x07\n::error::x"),
        ("revision", "2026\u202e"),
        ("revision", "x" * 300),
        ("flavor", "../omc"),
        ("flavor", "omc\n::error::x"),
        ("skillgen", "\x1b[2J"),
        ("contract", "a"),
        ("inputs", "b"),
        ("base", ("../x",)),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_field_that_no_skillgen_wrote_is_refused(
    fork: Path, skillgen: Cli, field: str, value: object, command: str
) -> None:
    lock_with(fork, **{field: value})
    assert f"{NAME}:" in refused(skillgen, fork, command)


@pytest.mark.parametrize("twin", ["skills/cancel/skill.md", "Skills/cancel/other.md", "skills/CANCEL/x.md"])
def test_two_names_that_are_one_file_elsewhere_are_refused(fork: Path, skillgen: Cli, twin: str) -> None:
    lock_with(fork, files={twin: Mark("0" * 64, False)})
    said = refused(skillgen, fork, "sync")
    assert "a second time in another case" in said or "no directory of a bundle" in said


def test_a_lock_that_is_a_link_out_of_the_fork_tells_nothing_of_what_it_leads_to(
    fork: Path, tmp_path: Path, skillgen: Cli
) -> None:
    (tmp_path / "secret").write_text("password: hunter2\n")
    (fork / NAME).unlink()
    (fork / NAME).symlink_to(tmp_path / "secret")
    assert "hunter2" not in refused(skillgen, fork, "sync")


def test_a_lock_of_many_megabytes_is_read_or_refused_in_one_line(fork: Path, skillgen: Cli) -> None:
    (fork / NAME).write_bytes((fork / NAME).read_bytes() + b"x" * (10 << 20))
    assert "is damaged" in refused(skillgen, fork, "sync")
    (fork / NAME).write_bytes(b"\n" * (65 << 20))
    assert "is larger than 64 MiB" in refused(skillgen, fork, "sync")


def test_every_manifest_of_every_host_is_a_place() -> None:
    hosts = shipped_hosts()
    assert [place for place in (*hosts.signs, *hosts.catalogues) if place_problem(place)] == []
    assert place_problem("skills/cancel/.gitattributes") == ""


def test_what_was_rendered_and_is_no_more_is_still_removed(fork: Path, skillgen: Cli) -> None:
    (fork / "skills/cancel/references/old.md").write_text("old\n")
    digest = hashlib.sha256(b"old\n").hexdigest()
    lock_with(fork, files={"skills/cancel/references/old.md": Mark(digest, False)}, inputs="")
    assert skillgen("sync", fork).code == 0
    assert not (fork / "skills/cancel/references/old.md").exists()
    assert (fork / SKILL).exists()


@pytest.mark.parametrize("target", ["hosts/common/.git/config", "hosts/common/src/app.ts", "cancel/bundle/.env"])
def test_a_template_that_would_render_such_a_path_is_an_error(tmp_path: Path, skillgen: Cli, target: str) -> None:
    file = tmp_path / "templates" / target
    file.parent.mkdir(parents=True)
    file.write_text("x\n")
    ran = skillgen("build", "--flavor", "omc", "--templates", tmp_path / "templates", "--out", tmp_path / "out")
    assert ran.code == 2 and "would be " in ran.err and str(file) in ran.err
    assert not (tmp_path / "out" / "omc").exists()


def test_a_directory_of_bundles_is_not_built_by_such_a_lock(tmp_path: Path, skillgen: Cli) -> None:
    out = tmp_path / "out"
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    (tmp_path / "victim").write_text("x")
    lock_with(out, files={"../../victim": Mark(hashlib.sha256(b"x").hexdigest(), False)})
    before = everything(tmp_path)
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 2
    assert everything(tmp_path) == before
