"""The reference validator, skillsaw and the skills installer take every bundle; each shows that it can refuse one."""

from __future__ import annotations

from pathlib import Path

import pytest
from real import Home, client

from conftest import FLAVORS
from skillgen.load.artifact import read_archive

pytestmark = pytest.mark.client

# Front matter keys outside the specification, declared because the host or the product's own loader reads them at the top: Claude Code shows
# `argument-hint` as a command is completed, oh-my-claudecode reads `aliases`, omd `when-to-use`, copilot-omni `argument-hint`.
DECLARED = {"omc": {"aliases", "argument-hint"}, "omd": {"when-to-use"}, "omni": {"argument-hint"}}


@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_reference_validator_takes_the_skill(built: Path, home: Home, flavor: str) -> None:
    done = home.run(client("skills-ref"), "validate", built / "dist" / flavor / "skills" / "cancel")
    if flavor not in DECLARED:
        assert done.code == 0, done.text
        return
    lines = [line.strip() for line in done.text.splitlines() if line.strip().startswith("- ")]
    keys = ", ".join(sorted(DECLARED[flavor]))
    assert done.code == 1 and len(lines) == 1, done.text
    assert lines[0].startswith(f"- Unexpected fields in frontmatter: {keys}. Only ")


@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_reference_validator_takes_the_packed_skill_without_exception(
    built: Path, home: Home, tmp_path: Path, flavor: str
) -> None:
    from click.testing import CliRunner

    from skillgen.cli.pack import command

    arguments = ["--flavor", flavor, "--format", "skill", "--out", str(tmp_path), "--dist", str(built / "dist")]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).return_value == 0
    archive = tmp_path / flavor / "cancel.skill"
    for path, (data, mode) in read_archive(str(archive), archive.read_bytes()).items():
        target = tmp_path / "cancel" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(mode)
    done = home.run(client("skills-ref"), "validate", tmp_path / "cancel")
    assert done.code == 0, done.text


def test_the_reference_validator_refuses_another_name(repo: Path, home: Home) -> None:
    (repo / "dist/pep/skills/cancel").rename(repo / "dist/pep/skills/stop")
    done = home.run(client("skills-ref"), "validate", repo / "dist/pep/skills/stop")
    assert done.code == 1 and "must match skill name" in done.text


@pytest.mark.parametrize("flavor", FLAVORS)
def test_skillsaw_finds_nothing(built: Path, home: Home, flavor: str) -> None:
    done = home.run(client("skillsaw"), "lint", "--strict", "--format", "json", built / "dist" / flavor)
    assert done.code == 0 and not done.json()["violations"], done.out


def test_skillsaw_refuses_a_broken_manifest(repo: Path, home: Home) -> None:
    (repo / "dist/omc/.claude-plugin/plugin.json").write_text("{")
    assert home.run(client("skillsaw"), "lint", repo / "dist/omc").code == 1


@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_skills_installer_finds_the_skill(built: Path, home: Home, flavor: str) -> None:
    done = home.run(client("skills"), "add", built / "dist" / flavor, "--list")
    assert done.code == 0 and "cancel" in done.out.split(), done.text


def test_the_skills_installer_copies_a_skill_that_runs(built: Path, home: Home) -> None:
    project = home.path / "project"
    project.mkdir()
    done = home.run(client("skills"), "add", built / "dist/omc", "-y", "-a", "claude-code", "--copy", cwd=project)
    assert done.code == 0, done.text
    assert (project / ".claude/skills/cancel/SKILL.md").read_bytes() == (
        built / "dist/omc/skills/cancel/SKILL.md"
    ).read_bytes()
    assert (project / ".claude/skills/cancel/contract.json").exists()


def test_the_skills_installer_finds_nothing_in_a_skill_without_description(repo: Path, home: Home) -> None:
    (repo / "dist/omc/skills/cancel/SKILL.md").write_text("---\nname: cancel\n---\nx\n")
    assert home.run(client("skills"), "add", repo / "dist/omc", "--list").code == 1
