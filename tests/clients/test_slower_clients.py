"""Copilot CLI and dsh load the bundles for them. Slower to fetch and to start: `tests/clients/run-slower` runs these."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from real import Home, client, files_of

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not os.environ.get("SKILLGEN_SLOWER_CLIENTS"), reason="tests/clients/run-slower runs these"),
]


def test_a_stranger_adds_the_repository_and_copilot_loads_the_skill(built: Path, stranger: Home) -> None:
    copilot = client("copilot")
    added = stranger.run(copilot, "plugin", "marketplace", "add", "owner/repo")
    assert added.code == 0, added.text
    installed = stranger.run(copilot, "plugin", "install", "copilot-omni@skillgen")
    assert installed.code == 0 and "Installed 1 skill." in installed.out, installed.text
    listed = stranger.run(copilot, "skill", "list")
    assert "failed to load" not in listed.text
    (skill,) = [row for row in stranger.run(copilot, "skill", "list", "--json").json() if row["name"] == "cancel"]
    assert skill["source"] == "plugin" and skill["enabled"]
    assert files_of(Path(skill["path"])) == files_of(built / "dist/omni/skills/cancel")
    assert stranger.run(copilot, "plugin", "uninstall", "copilot-omni@skillgen").code == 0


def test_copilot_is_offered_its_own_bundles_only(built: Path, home: Home) -> None:
    copilot = client("copilot")
    assert home.run(copilot, "plugin", "marketplace", "add", built).code == 0
    browsed = home.run(copilot, "plugin", "marketplace", "browse", "skillgen").out
    assert "copilot-omni" in browsed and "oh-my-claudecode" not in browsed


def test_a_skill_of_the_user_hides_ours_as_the_readme_says(built: Path, home: Home) -> None:
    copilot = client("copilot")
    assert "silently hides this one" in (built / "dist/omni/README.md").read_text()
    assert home.run(copilot, "plugin", "marketplace", "add", built).code == 0
    assert home.run(copilot, "plugin", "install", "copilot-omni@skillgen").code == 0
    own = home.path / ".copilot" / "skills" / "cancel"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: cancel\ndescription: Mine.\n---\nMine.\n")
    rows = home.run(copilot, "skill", "list", "--json").json()
    assert [row["description"] for row in rows if row["name"] == "cancel"] == ["Mine."]


@pytest.mark.parametrize("ours_first", [True, False])
def test_of_two_plugins_of_one_name_copilot_keeps_the_cancel_of_the_first_installed(
    built: Path, home: Home, tmp_path: Path, ours_first: bool
) -> None:
    copilot, product = client("copilot"), tmp_path / "product"
    plugin = product / "copilot-omni"
    for skill in ("cancel", "other"):
        (plugin / "skills" / skill).mkdir(parents=True)
        (plugin / "skills" / skill / "SKILL.md").write_text(f"---\nname: {skill}\ndescription: Theirs.\n---\nTheirs.\n")
    about = {"name": "copilot-omni", "version": "2.1.1", "description": "The product.", "author": {"name": "Somebody"}}
    (plugin / "plugin.json").write_text(json.dumps(about | {"skills": "./skills/"}))
    (product / ".github/plugin").mkdir(parents=True)
    entry = {"name": "copilot-omni", "source": "./copilot-omni", "description": "The product.", "version": "2.1.1"}
    market = {"name": "product", "owner": {"name": "Somebody"}, "metadata": {"description": "Its plugins."}}
    (product / ".github/plugin/marketplace.json").write_text(json.dumps(market | {"plugins": [entry]}))
    places = [(built, "skillgen"), (product, "product")]
    for place, name in places if ours_first else places[::-1]:
        assert home.run(copilot, "plugin", "marketplace", "add", place).code == 0
        assert home.run(copilot, "plugin", "install", f"copilot-omni@{name}").code == 0
    listed = home.run(copilot, "plugin", "list").text
    assert all(f"copilot-omni@{name}" in listed for _, name in places) and listed.count("(enabled)") == 2
    rows = {row["name"]: row["path"] for row in home.run(copilot, "skill", "list", "--json").json()}
    first = built / "dist/omni" if ours_first else plugin
    assert rows["cancel"] == str(first / "skills/cancel") and rows["other"] == str(plugin / "skills/other")
    said = " ".join((built / "dist/omni/README.md").read_text().split())
    assert "runs the `cancel` of the one that was installed first, without a word" in said


def test_copilot_reports_a_description_that_is_too_long(repo: Path, home: Home) -> None:
    (repo / "dist/omni/skills/cancel/SKILL.md").write_text(f"---\nname: cancel\ndescription: {'x' * 1025}\n---\nx\n")
    listed = home.run(client("copilot"), "--plugin-dir", repo / "dist/omni", "skill", "list")
    assert "failed to load" in listed.text


PROBE = """
export const name = 'probe';
export const inject = ['skills'];
export function apply(ctx) {
  setTimeout(async () => {
    const options = { cwd: process.cwd() };
    const skills = await ctx.skills.list(options);
    const cancel = await ctx.skills.get('cancel', options);
    console.log('PROBE ' + JSON.stringify({ skills, cancel }));
    process.exit(0);
  }, 500);
}
"""


def boot(home: Home, project: Path, tmp_path: Path) -> dict[str, Any]:
    """Boot dsh with one more plugin that asks its skill registry, as its own consumers do."""
    (tmp_path / "probe.mjs").write_text(PROBE)
    (tmp_path / "probe.yml").write_text(f"- insert:\n    - id: probe\n      name: '{tmp_path}/probe.mjs'\n")
    project.mkdir(exist_ok=True)
    done = home.run(client("dsh"), "--profile", "check", "--patch", tmp_path / "probe.yml", cwd=project)
    (line,) = [line for line in done.out.splitlines() if line.startswith("PROBE ")] or [f"PROBE {done.text[-1500:]}"]
    return json.loads(line.removeprefix("PROBE "))  # type: ignore[no-any-return]


@pytest.fixture
def package(built: Path, tmp_path: Path) -> Path:
    from click.testing import CliRunner

    from skillgen.cli.pack import command

    arguments = ["--flavor", "omd", "--out", str(tmp_path / "packed"), "--dist", str(built / "dist")]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).return_value == 0
    return tmp_path / "packed/omd/omd-cancel-0.1.0.tgz"


def test_dsh_installs_the_package_and_lists_cancel(built: Path, package: Path, home: Home, tmp_path: Path) -> None:
    added = home.run(client("dsh"), "plugin", "--profile", "check", "add", package)
    assert added.code == 0, added.text
    dumped = home.run(client("dsh"), "--profile", "check", "--dump-config")
    assert dumped.code == 0 and "name: omd-cancel" in dumped.out
    found = boot(home, tmp_path / "project", tmp_path)
    (skill,) = [skill for skill in found["skills"] if skill["name"] == "cancel"]
    assert skill["provider"] == "omd-cancel" and skill["source"] == "bundled"
    assert skill["invocation"] == {"modelInvocable": True, "userInvocable": True}
    assert "cancelomd" in skill["whenToUse"]
    text = (built / "dist/omd/skills/cancel/SKILL.md").read_text()
    assert found["cancel"]["content"] == text.partition("\n---\n")[2]
    assert files_of(Path(found["cancel"]["resourceBase"]["path"])) == files_of(built / "dist/omd/skills/cancel")


def test_dsh_prefers_the_users_own_cancel_as_the_readme_says(package: Path, home: Home, tmp_path: Path) -> None:
    assert home.run(client("dsh"), "plugin", "--profile", "check", "add", package).code == 0
    own = tmp_path / "project" / ".dsh" / "skills" / "cancel"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: cancel\ndescription: Mine.\n---\nMine.\n")
    found = boot(home, tmp_path / "project", tmp_path)
    assert [skill["description"] for skill in found["skills"] if skill["name"] == "cancel"] == ["Mine."]


def test_dsh_lists_nothing_of_a_package_whose_patch_names_another(repo: Path, home: Home, tmp_path: Path) -> None:
    patch = repo / "dist/omd/cordis.patch.yml"
    patch.write_text(patch.read_text().replace("name: omd-cancel", "name: omd-other"))
    assert home.run(client("dsh"), "plugin", "--profile", "check", "add", repo / "dist/omd").code == 0
    with pytest.raises(json.JSONDecodeError):
        boot(home, tmp_path / "project", tmp_path)
