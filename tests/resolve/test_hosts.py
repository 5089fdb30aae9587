"""What is known of a host stands in one file, and every mistake about a host is told where the user wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from resolve_toys import resolve_toy, toy

from skillgen.errors import InputError
from skillgen.hosts import read_hosts, shipped_hosts
from skillgen.load.templates import read_templates
from skillgen.resources import shipped

TOY_HOST = """\
name: Toy CLI
agent: Toy
names: {word: toyish, called: [Toy CLI]}
home: .toy
command: "@{plugin}.{skill}"
manifest: {kind: plugin, path: .toy-plugin/plugin.json, keys: {name: text, version: text}}
catalogue: {kind: owned, places: [.toy-plugin/marketplace.json]}
"""
MANIFEST = '{"name": {{ plugin.name | json }}, "version": {{ plugin.version | json }}}\n'
README = "# {{ plugin.display_name | text }}\n\n{{ plugin.description | prose }} {{ plugin.license | text }}\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A user's templates with one more host, and flavors with one for it."""
    (tmp_path / "templates/hosts/toy-cli/.toy-plugin").mkdir(parents=True)
    (tmp_path / "templates/hosts/toy-cli.yaml").write_text(TOY_HOST)
    (tmp_path / "templates/hosts/toy-cli/.toy-plugin/plugin.json.j2").write_text(MANIFEST)
    (tmp_path / "templates/hosts/toy-cli/README.md.j2").write_text(README)
    (tmp_path / "flavors").mkdir()
    (tmp_path / "flavors/toyed.yaml").write_text("base: pep\nhost: {id: toy-cli}\n")
    return tmp_path


def test_a_new_host_is_one_file_and_its_templates(skillgen: Any, own: Path) -> None:
    places = ["--flavors", own / "flavors", "--templates", own / "templates"]
    built = skillgen("build", "--flavor", "toyed", "--out", own / "dist", *places)
    assert built.code == 0, built.err
    bundle = own / "dist/toyed"
    assert json.loads((bundle / ".toy-plugin/plugin.json").read_text())["name"] == "pepcode"
    assert not (bundle / ".claude-plugin").exists()
    contract = json.loads((bundle / "skills/cancel/contract.json").read_text())
    assert contract["host"] == {
        "id": "toy-cli",
        "name": "Toy CLI",
        "manifests": ["toy-cli"],
        "agent": "Toy",
        "skill_directory": "",
        "session": "",
        "tells": "the directory of this file",
        "allowed_tools": "",
    }
    assert "@pepcode.cancel" in (bundle / "skills/cancel/SKILL.md").read_text()
    assert skillgen("build", "--flavor", "toyed", "--out", own / "dist", "--check", *places).code == 0
    packed = skillgen("pack", "--flavor", "toyed", "--dist", own / "dist", "--out", own / "packed", *places)
    assert packed.code == 0, packed.err


def test_explain_names_the_hosts_file_for_what_it_gives(skillgen: Any) -> None:
    told = skillgen("explain", "omc", "host.name")
    assert "templates/hosts/claude-code.yaml:2" in told.out, told.out


def test_a_host_without_plugins_gets_the_skill_alone(skillgen: Any, tmp_path: Path) -> None:
    (tmp_path / "flavors").mkdir()
    text = "base: pep\nhost: {id: agent-skills, name: Qwen Code, agent: Qwen}\ncommand: {form: /cancel}\n"
    (tmp_path / "flavors/plain.yaml").write_text(text)
    places = ["--flavor", "plain", "--flavors", tmp_path / "flavors"]
    assert skillgen("build", *places, "--out", tmp_path / "dist").code == 0
    assert [path.name for path in (tmp_path / "dist/plain").iterdir()] == ["skills"]
    packed = skillgen("pack", *places, "--dist", tmp_path / "dist", "--out", tmp_path / "packed")
    assert packed.code == 0, packed.err
    archives = {path.name for path in (tmp_path / "packed/plain").iterdir() if path.is_file()}
    assert archives == {"cancel.skill", "SHA256SUMS", "provenance.json", "sbom.spdx.json"}
    audited = skillgen("audit", tmp_path / "dist/plain")
    assert audited.code == 0, audited.out


def test_the_schema_offers_exactly_the_hosts_that_can_be_built(skillgen: Any) -> None:
    host = json.loads(skillgen("schema").out)["$defs"]["Host"]["properties"]
    offered = {path.name for path in Path(shipped("templates"), "hosts").iterdir() if path.is_dir()} - {"common"}
    assert set(host["manifests"]["items"]["enum"]) == offered
    assert set(host["id"]["enum"]) == offered | {"agent-skills"}
    for id_ in host["id"]["enum"]:
        form = "" if shipped_hosts()[id_].command else "command: {form: /x}\n"
        package = "plugin: {package: x}\n" if id_ == "dsh" else ""
        assert toy(f"base: pep\nhost: {{id: {id_}}}\n{form}{package}").contract.host.id == id_


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("base: omc\nhost: {id: gemini}\n", "toy.yaml:2:12: `host.id` is `gemini`, for which there are no templates"),
        (
            "base: omc\nhost: {id: claude}\n",
            "toy.yaml:2:12: `host.id` is the text `claude`, did you mean `claude-code`?",
        ),
        (
            "base: omc\nhost:\n  manifests: [claude-code, gemini]\n",
            "toy.yaml:3:28: `host.manifests[1]` is `gemini`, for which there are no templates",
        ),
        (
            "base: omc\nhost:\n  manifests: [codex]\n",
            "toy.yaml:3:14: `host.manifests` leaves out `claude-code`, the flavor's own host",
        ),
        (
            "base: omc\nhost:\n  manifests: [claude-code, agent-skills]\n",
            "toy.yaml:3:28: `host.manifests[1]` is `agent-skills`, which has no manifest",
        ),
        (
            "base: omc\nhost: {id: dsh}\n",
            "toy.yaml:2:12: `plugin.package` is empty, and DeepSeek Harness installs npm packages",
        ),
        (
            "base: omd\nplugin:\n  package: ''\n",
            "toy.yaml:3:12: `plugin.package` is empty, and DeepSeek Harness installs npm packages",
        ),
        (
            "base: omc\nplugin:\n  name: claude-mine\n",
            "toy.yaml:3:9: `plugin.name` begins with `claude-`, which Claude Code keeps for itself",
        ),
    ],
)
def test_a_mistake_about_a_host_is_told_at_the_users_line(text: str, message: str) -> None:
    resolved, problems = resolve_toy(text)
    assert resolved is None
    assert len(problems) == 1 and problems[0].startswith(message), problems


def test_another_host_takes_everything_of_the_bases_host_away() -> None:
    contract = toy("base: omc\nhost: {id: codex}\n").contract
    assert contract.host.model_dump() == {
        "id": "codex",
        "name": "Codex",
        "manifests": ("codex",),
        "agent": "Codex",
        "skill_directory": "",
        "session": "",
        "tells": "this file's directory, whose path Codex names",
        "allowed_tools": "",
    }
    assert contract.command.form == "$oh-my-claudecode:cancel"


def test_the_session_of_another_host_is_known_by_its_own_variables() -> None:
    moved = toy("base: omc\nhost: {id: codex}\n").contract.identity
    assert moved.variables == ("OMC_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID")
    chosen = toy("base: omc\nhost: {id: codex}\nidentity: {variables: [CLAUDE_CODE_SESSION_ID]}\n").contract.identity
    assert chosen.variables == ("CLAUDE_CODE_SESSION_ID",)
    named = toy("base: omc\nidentity: {variables: [TOY_SESSION_ID, CODEX_THREAD_ID]}\n").contract.identity
    assert named.variables == ("TOY_SESSION_ID", "CODEX_THREAD_ID")  # a flavor that leaves the host alone knows its own
    # Where nothing is known of the host's session, what the product reads stays.
    unknown = toy("base: omc\nhost: {id: droid}\n").contract.identity
    assert unknown.variables == toy("base: omc\n").contract.identity.variables


def test_what_a_host_makes_of_the_plugins_name_follows_it() -> None:
    contract = toy("base: omc\nproduct: {name: MINE}\nplugin: {name: mine}\n").contract
    assert contract.command.form == "/mine:cancel"
    assert contract.modes["autopilot"].resume == ("/mine:autopilot",)
    text = contract.model_dump_json()
    assert "mcp__plugin_mine_t__state_clear" in text
    assert "/oh-my-claudecode:" not in text and "plugin_oh-my-claudecode_" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nam: x\n", "toy-cli.yaml:1:1: unknown key `nam`, known are name, agent"),
        ("agent: x\n", "toy-cli.yaml:1:1: `name` is missing, write it"),
        ("name: X\nmanifest: {kind: plug, path: p}\n", "toy-cli.yaml:2:18: is 'plug', write one of plugin, package"),
        ("name: X\nscripts: 1\n", "toy-cli.yaml:2:10: does not fit here, write true or false"),
        ("name: X\nnames: {called: X}\n", "toy-cli.yaml:2:17: does not fit here, write a list"),
        ("name: [\n", "no valid YAML"),
    ],
)
def test_a_mistake_in_a_hosts_file_is_told_with_its_place(own: Path, text: str, message: str) -> None:
    (own / "templates/hosts/toy-cli.yaml").write_text(text)
    with pytest.raises(InputError, match="toy-cli") as caught:
        read_hosts(read_templates(shipped("templates"), [str(own / "templates")]))
    assert any(message in str(problem) for problem in caught.value.problems), caught.value.problems


def test_a_host_that_runs_no_scripts_takes_no_flavor_without_tools(skillgen: Any, own: Path) -> None:
    places = ["--flavors", own / "flavors", "--templates", own / "templates"]
    text = "base: pep\nhost: {id: toy-cli}\ntools: null\nteam: {kind: none}\nbridge: null\nmodes: {team: null}\n"
    (own / "flavors/toyed.yaml").write_text(text)
    done = skillgen("build", "--flavor", "toyed", "--out", own / "dist", *places)
    assert "toyed.yaml:3:8: `tools` is null" in done.err and "Toy CLI runs no scripts of a skill" in done.err
    (own / "templates/hosts/toy-cli.yaml").write_text(TOY_HOST + "scripts: true\n")
    assert "runs no scripts" not in skillgen("build", "--flavor", "toyed", "--out", own / "dist", *places).err


def test_every_host_that_can_be_built_is_proven_by_a_client_that_the_tests_install() -> None:
    clients = Path(__file__).parents[1] / "clients"
    tests = "".join(path.read_text() for path in clients.glob("test_*.py"))
    for id_ in shipped_hosts().offered:
        name = shipped_hosts()[id_].client
        assert name and f"    {name}) echo" in (clients / "install").read_text(), id_
        assert f'client("{name}")' in tests, id_
