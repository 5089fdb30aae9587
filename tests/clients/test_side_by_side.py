"""A bundle beside another plugin of its name, and the bare command beside other skills: what the READMEs say is what happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from first_request import refusing_model
from real import Home, client
from test_codex import skills
from test_codex_runs import talk
from text_commands import says

pytestmark = pytest.mark.client

SKILL = "---\nname: {name}\ndescription: Of the product. Use when {name} is wanted.\n---\nOf the product.\n"


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """A marketplace with the product's own plugins, each with a cancel and another skill."""
    root = tmp_path / "product"
    for name, directory in (("oh-my-claudecode", ".claude-plugin"), ("rcs", ".codex-plugin")):
        for skill in ("cancel", "other"):
            (root / name / "skills" / skill).mkdir(parents=True)
            (root / name / "skills" / skill / "SKILL.md").write_text(SKILL.format(name=skill))
        (root / name / directory).mkdir()
        manifest = {"name": name, "version": "4.0.0", "description": "The product.", "author": {"name": "Somebody"}}
        (root / name / directory / "plugin.json").write_text(json.dumps(manifest))
    (root / ".claude-plugin").mkdir()
    (root / ".agents/plugins").mkdir(parents=True)
    owned = {"name": "product", "owner": {"name": "Somebody"}, "metadata": {"description": "Its plugins."}}
    entry = {"name": "oh-my-claudecode", "source": "./oh-my-claudecode", "description": "The product."}
    (root / ".claude-plugin/marketplace.json").write_text(json.dumps(owned | {"plugins": [entry]}))
    entry = {
        "name": "rcs",
        "source": {"source": "local", "path": "./rcs"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    shelved = {"name": "product", "interface": {"displayName": "product"}, "plugins": [entry]}
    (root / ".agents/plugins/marketplace.json").write_text(json.dumps(shelved))
    return root


def install(home: Home, root: Path, plugin: str, market: str) -> None:
    assert home.run(client("claude"), "plugin", "marketplace", "add", root).code == 0
    assert home.run(client("claude"), "plugin", "install", "--json", f"{plugin}@{market}").json()["outcome"] == "ok"


def loaded(home: Home, prompt: str) -> str:
    """Return what Claude Code makes of a typed prompt for its model: the directory of the skill, "" without one."""
    with refusing_model() as (address, bodies):
        env = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none"}
        (home.path / "project").mkdir(exist_ok=True)
        home.run(client("claude"), "-p", prompt, cwd=home.path / "project", env=env)
    assert bodies, "Claude Code asked no model"
    _, found, rest = bodies[0].partition("Base directory for this skill: ")
    return rest.split("\\n")[0] if found else ""


@pytest.mark.parametrize("ours_first", [True, False])
def test_of_two_plugins_of_one_name_claude_code_runs_the_first_installed(
    built: Path, product: Path, home: Home, ours_first: bool
) -> None:
    places = [(built, "oh-my-claudecode", "skillgen"), (product, "oh-my-claudecode", "product")]
    for place in places if ours_first else places[::-1]:
        install(home, *place)
    listed = home.run(client("claude"), "plugin", "list", "--json").json()
    both = [plugin for plugin in listed if plugin["id"].startswith("oh-my-claudecode@")]
    assert len(both) == 2 and all(plugin["enabled"] and not plugin.get("errors") for plugin in both)
    first = built / "dist/omc" if ours_first else product / "oh-my-claudecode"
    assert loaded(home, "/oh-my-claudecode:cancel") == str(first / "skills/cancel")
    assert loaded(home, "/oh-my-claudecode:other") == str(product / "oh-my-claudecode/skills/other")
    said = " ".join((built / "dist/omc/README.md").read_text().split())
    assert "of the one that was installed first, without a word" in said and "other skills stay as they are" in said


def test_a_bundle_with_a_name_of_its_own_stands_beside_the_product(
    product: Path, home: Home, tmp_path: Path, skillgen: object
) -> None:
    flavor = "base: omc\nplugin: {name: omc-cancel}\nproduct: {plugin: oh-my-claudecode}\n"
    root = tmp_path / "own"
    (root / "flavors").mkdir(parents=True)
    (root / "flavors/omc-alone.yaml").write_text(flavor)
    run = skillgen
    assert callable(run)
    done = run("build", "--flavor", "omc-alone", "--flavors", root / "flavors", "--out", root / "dist")
    assert done.code == 0, done.err
    assert run("marketplace", root, "--name", "own", "--owner", "me").code == 0
    install(home, product, "oh-my-claudecode", "product")
    install(home, root, "omc-cancel", "own")
    assert loaded(home, "/oh-my-claudecode:cancel") == str(product / "oh-my-claudecode/skills/cancel")
    assert loaded(home, "/omc-cancel:cancel") == str(root / "dist/omc-alone/skills/cancel")
    text = (root / "dist/omc-alone/skills/cancel/SKILL.md").read_text()
    assert "`/omc-cancel:cancel" in text and "plugin_oh-my-claudecode_t" in text
    assert "It has a name of its own" in (root / "dist/omc-alone/README.md").read_text()


def test_the_bare_command_takes_some_skill_of_that_name(built: Path, home: Home) -> None:
    for plugin in ("oh-my-claudecode", "pepcode"):
        install(home, built, plugin, "skillgen")
    assert loaded(home, "/pepcode:cancel").endswith("dist/pep/skills/cancel")
    assert not loaded(home, "/cancel").endswith("dist/pep/skills/cancel")
    assert "a bare `/cancel` runs the first skill of that name" in (built / "dist/pep/README.md").read_text()


@pytest.mark.parametrize("ours_first", [True, False])
def test_of_two_plugins_of_one_name_codex_lists_both_skills_alike_and_hands_over_neither(
    built: Path, product: Path, home: Home, tmp_path: Path, ours_first: bool
) -> None:
    codex = client("codex")
    for root, market in [(built, "skillgen"), (product, "product")][:: 1 if ours_first else -1]:
        assert home.run(codex, "plugin", "marketplace", "add", root, "--json").code == 0
        assert home.run(codex, "plugin", "add", f"rcs@{market}", "--json").code == 0
    names = [skill["name"] for skill in skills(home)["skills"] if skill["name"].startswith("rcs:")]
    assert sorted(names) == ["rcs:cancel", "rcs:cancel", "rcs:other"]
    model = talk(home, tmp_path / "project", "$rcs:cancel", says("Which?"))
    offered = [words for words in model.last.texts if "rcs:cancel: " in words]
    assert offered and all(words.count("rcs:cancel: ") == 2 for words in offered)
    assert not any("<name>rcs:cancel</name>" in words or "# Cancel RCS\n" in words for words in model.last.texts)
    said = " ".join((built / "dist/rcs/README.md").read_text().split())
    assert "in either order, a typed `$rcs:cancel` hands over the text of neither" in said


def test_codex_shows_the_name_and_the_words_that_stand_beside_the_skill(built: Path, home: Home) -> None:
    codex = client("codex")
    assert home.run(codex, "plugin", "marketplace", "add", built, "--json").code == 0
    assert home.run(codex, "plugin", "add", "rcs@skillgen", "--json").code == 0
    (ours,) = [skill for skill in skills(home)["skills"] if skill["name"] == "rcs:cancel"]
    assert ours["interface"]["displayName"] == "RCS cancel"
    assert ours["interface"]["shortDescription"] == "End the active RCS modes in the right order"


def test_the_skills_installer_finds_one_of_our_skills_at_the_root_and_the_right_one_in_a_bundle(
    built: Path, stranger: Home
) -> None:
    """It keeps one skill of a name, and all of ours are called cancel: README.md says to name the bundle."""
    skills_cli = client("skills")
    listed = stranger.run(skills_cli, "add", "owner/repo", "--list")
    assert "Found 1 skill" in " ".join(listed.text.split()), listed.text
    for flavor, label in (("omc", "active OMC mode"), ("rcs", "active RCS mode")):
        one = stranger.run(skills_cli, "add", f"owner/repo/dist/{flavor}", "--list")
        assert one.code == 0 and label in " ".join(one.text.split()), one.text
    assert "skills add OWNER/REPO/dist/omc" in (Path(__file__).parents[2] / "README.md").read_text()
