"""Claude Code hands the installed skill to a scripted model, which runs the command that the text gives."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from real import ROOT, Home, Result, client
from scripted_model import Conversation, Model, Say, Step, Use, serve
from text_commands import asks, directory_of, line_of, runs, says, text_of

from runtime_proofs.real_omc import package
from skillgen.cli.build import command as build

pytestmark = pytest.mark.client

SESSION = "0f0e0d0c-1111-4222-8333-444455556666"
FLAVORS = {"omc": ("OMC", "oh-my-claudecode", ".omc"), "pep": ("PEP", "pepcode", ".pep")}
by_flavor = pytest.mark.parametrize("flavor", FLAVORS)


@dataclass
class Project:
    """A repository with an active ralph of this session and one of another."""

    root: Path
    directory: str

    def record(self, session: str = SESSION, mode: str = "ralph") -> Path:
        return self.root / self.directory / "state" / "sessions" / session / f"{mode}-state.json"

    def seed(self, session: str = SESSION, mode: str = "ralph", **fields: Any) -> bytes:
        path = self.record(session, mode)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"active": True, "session_id": session, **fields}))
        return path.read_bytes()


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Project:
    flavor = request.node.callspec.params.get("flavor", "omc") if hasattr(request.node, "callspec") else "omc"
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "--quiet", root], check=True)
    found = Project(root, FLAVORS[flavor][2])
    found.seed()
    found.seed("another")
    return found


def install(home: Home, flavor: str) -> Path:
    """Install the bundle as a stranger does; return its directory."""
    claude, name = client("claude"), FLAVORS[flavor][1]
    assert home.run(claude, "plugin", "marketplace", "add", "owner/repo").code == 0
    done = home.run(claude, "plugin", "install", "--json", f"{name}@skillgen")
    assert done.json()["outcome"] == "ok", done.text
    (plugin,) = [one for one in home.run(claude, "plugin", "list", "--json").json() if one["id"] == f"{name}@skillgen"]
    return Path(plugin["installPath"])


def talk(home: Home, project: Path, prompt: str, *options: object, script: tuple[Step, ...]) -> tuple[Result, Model]:
    """Give Claude Code one prompt, in its default mode of permissions."""
    with serve(*script) as model:
        done = home.run(
            client("claude"),
            "-p",
            prompt,
            "--session-id",
            SESSION,
            "--output-format",
            "stream-json",
            "--verbose",
            *options,
            cwd=project,
            env={"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"},
        )
    assert done.code == 0 and not model.errors, (model.errors, done.text[-2000:])
    return done, model


def act(title: str, flags: str = "", *, dry_run: bool = False) -> Step:
    return runs(title, "Bash", "command", flags=flags, dry_run=dry_run, description="Run the cancel script")


def skill(plugin: str) -> Step:
    return asks("Skill", skill=f"{plugin}:cancel")


@by_flavor
def test_a_typed_cancel_runs_the_texts_line_without_a_question(stranger: Home, project: Project, flavor: str) -> None:
    title, plugin, _ = FLAVORS[flavor]
    installed = install(stranger, flavor)
    other = project.record("another").read_bytes()
    there: list[bool] = []

    def looked(conversation: Conversation) -> Say | Use:
        there.append(project.record().exists())
        return act(title)(conversation)

    script = (act(title, dry_run=True), looked, act(title, dry_run=True), says("Ralph cancelled."))
    _, model = talk(stranger, project.root, f"/{plugin}:cancel", script=script)

    text = text_of(model.sent[0], title)
    assert directory_of(text) == str(installed / "skills/cancel")
    assert line_of(text) == (
        f'python3 "{installed}/skills/cancel/scripts/cancel.py" --session-id "{SESSION}" --dry-run'
    )
    body = (installed / "skills/cancel/SKILL.md").read_text().partition("\n---\n")[2]
    filled = body.replace("${CLAUDE_SKILL_DIR}", directory_of(text)).replace("${CLAUDE_SESSION_ID}", SESSION)
    assert filled.strip() in text and "${" not in text, "nothing else was changed on the way"
    looked_at, done, again = model.last.results
    assert "would" in looked_at and "ralph" in looked_at and there == [True]
    assert "Ralph cancelled. Persistent mode deactivated." in done
    assert f"No active {title} modes detected." in again
    assert not project.record().exists()
    assert project.record("another").read_bytes() == other


@by_flavor
def test_typed_arguments_reach_the_model_as_they_were_typed(stranger: Home, project: Project, flavor: str) -> None:
    title, plugin, _ = FLAVORS[flavor]
    install(stranger, flavor)
    _, model = talk(stranger, project.root, f"/{plugin}:cancel --force", script=(act(title, " --force"), says("Done.")))
    assert text_of(model.sent[0], title).rstrip().endswith("ARGUMENTS: --force")
    assert "Ralph cancelled. Persistent mode deactivated." in model.last.results[0]


@by_flavor
def test_the_references_can_be_read_where_the_text_points(stranger: Home, project: Project, flavor: str) -> None:
    title, plugin, _ = FLAVORS[flavor]
    installed = install(stranger, flavor)
    names = sorted(path.name for path in (installed / "skills/cancel/references").iterdir())
    script = tuple(asks("Read", file_path=f"{installed}/skills/cancel/references/{name}") for name in names)
    _, model = talk(stranger, project.root, f"/{plugin}:cancel", script=(*script, says("Read.")))
    linked = text_of(model.sent[0], title)
    for name, read in zip(names, model.last.results, strict=True):
        assert f"(references/{name})" in linked and "\t# " in read, (name, read[:200])


def test_a_call_by_the_model_is_refused_without_consent_to_the_skill(stranger: Home, project: Project) -> None:
    """The price of `allowed-tools`, which the README states."""
    plugin = FLAVORS["omc"][1]
    installed = install(stranger, "omc")
    assert f"`Skill({plugin}:cancel)`" in (installed / "README.md").read_text()
    before = project.record().read_bytes()
    _, model = talk(stranger, project.root, "Please cancel ralph.", script=(skill(plugin), says("I may not.")))
    assert "can add the allow rule Skill(oh-my-claudecode:cancel)" in model.last.results[0]
    assert project.record().read_bytes() == before


def test_one_consent_to_the_skill_is_enough_for_a_call_by_the_model(stranger: Home, project: Project) -> None:
    title, plugin, _ = FLAVORS["omc"]
    install(stranger, "omc")
    script = (skill(plugin), act(title), says("Done."))
    _, model = talk(
        stranger, project.root, "Please cancel ralph.", "--allowedTools", f"Skill({plugin}:cancel)", script=script
    )
    assert "Ralph cancelled. Persistent mode deactivated." in model.last.results[1]
    assert not project.record().exists()


@pytest.mark.parametrize("typed", [True, False], ids=["typed", "by the model"])
def test_without_allowed_tools_every_command_and_reference_is_refused(
    repo: Path, home: Home, project: Project, typed: bool
) -> None:
    title, plugin, _ = FLAVORS["omc"]
    path = repo / "dist/omc/skills/cancel/SKILL.md"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("allowed-tools:")))
    read = asks("Read", file_path=str(path.parent / "references/state.md"))
    script = (act(title), read, says("I may not."))
    prompt = f"/{plugin}:cancel" if typed else "Please cancel ralph."
    script = script if typed else (skill(plugin), *script)
    _, model = talk(home, project.root, prompt, "--plugin-dir", repo / "dist/omc", script=script)
    command, reference = model.last.results[-2:]
    assert text_of(model.last, title), "the text itself is handed over at once"
    assert "requires approval" in command and "haven't granted it yet" in reference
    assert project.record().exists()


def test_allowed_tools_allow_nothing_that_is_joined_to_the_script(stranger: Home, project: Project) -> None:
    title, plugin, _ = FLAVORS["omc"]
    install(stranger, "omc")
    script = (act(title, " && touch joined"), says("I may not."))
    _, model = talk(stranger, project.root, f"/{plugin}:cancel", script=script)
    assert "approval" in model.last.results[0]
    assert not (project.root / "joined").exists()


def test_the_products_own_loader_reads_the_alias_of_the_front_matter() -> None:
    script = (
        f"import {{ parseFrontmatter, parseFrontmatterAliases }} from '{package()}/dist/utils/frontmatter.js';"
        "import { readFileSync } from 'node:fs';"
        "const { metadata } = parseFrontmatter(readFileSync(process.argv[1], 'utf8'));"
        "console.log(JSON.stringify([metadata.name, parseFrontmatterAliases(metadata.aliases)]));"
    )
    skill = ROOT / "dist/omc/skills/cancel/SKILL.md"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script, skill], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == ["cancel", ["cancel-ralph"]]


@contextmanager
def product(directory: Path) -> Iterator[Path]:
    """The published oh-my-claudecode as a plugin of its own marketplace."""
    place = directory / "product"
    shutil.copytree(package(), place, ignore=shutil.ignore_patterns("node_modules"))
    manifest = json.loads((place / ".claude-plugin/plugin.json").read_text())
    assert manifest["name"] == "oh-my-claudecode"
    (place / ".claude-plugin/marketplace.json").write_text(
        json.dumps(
            {"name": "theirs", "owner": {"name": "them"}, "plugins": [{"name": manifest["name"], "source": "./"}]}
        )
    )
    yield place


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_of_two_plugins_of_one_name_the_first_installed_is_read(
    stranger: Home, project: Project, tmp_path: Path, first: str
) -> None:
    """As the README warns; the text that arrives is the first one's, whole and alone."""
    claude, name = client("claude"), "oh-my-claudecode"
    with product(tmp_path) as place:
        assert stranger.run(claude, "plugin", "marketplace", "add", "owner/repo").code == 0
        assert stranger.run(claude, "plugin", "marketplace", "add", place).code == 0
        for market in ("skillgen", "theirs") if first == "ours" else ("theirs", "skillgen"):
            assert stranger.run(claude, "plugin", "install", "--json", f"{name}@{market}").json()["outcome"] == "ok"
        assert "the one that was installed first" in (ROOT / "dist/omc/README.md").read_text()
        script = (act("OMC"), says("Done.")) if first == "ours" else (says("Done."),)
        _, model = talk(stranger, project.root, f"/{name}:cancel", script=script)
    ours, theirs = text_of(model.sent[0], "OMC"), [text for text in model.sent[0].texts if "# Cancel Skill\n" in text]
    assert (bool(ours), bool(theirs)) == (first == "ours", first == "theirs")
    assert project.record().exists() == (first == "theirs")


def now() -> str:
    """The product's hooks pass over a record that nobody has touched for two hours."""
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


@contextmanager
def fork(directory: Path) -> Iterator[Path]:
    """The published oh-my-claudecode with our skill in place of its own."""
    with product(directory) as place:
        shutil.rmtree(place / "skills/cancel")
        assert build.main(["--flavor", "omc", "--into", str(place)], standalone_mode=False) == 0
        yield place


def tool_calls(text: str, before: str) -> list[tuple[str, dict[str, str]]]:
    """Return the state tools' calls in the step that a phrase of it names, as (full name, arguments)."""
    step = next(part for part in re.split(r"\n\d+\. ", text) if before in part)
    found = re.findall(r"`(state_\w+)\(([^`]*)\)`", step)
    return [
        (f"mcp__plugin_oh-my-claudecode_t__{name}", dict(re.findall(r'(\w+)="([^"]*)"', arguments)))
        for name, arguments in found
    ]


def test_ultragoals_guard_is_cleared_by_tool_as_the_text_says_before_the_script_runs(
    home: Home, project: Project, tmp_path: Path
) -> None:
    """The product's own hook denies the script while Ultragoal is active, and passes the call that the text gives."""
    project.record().unlink()
    project.seed(mode="ultragoal", objective="All tests pass", started_at=now(), last_checked_at=now())
    durable = project.root / ".omc/ultragoal/goals.json"
    durable.parent.mkdir(parents=True)
    durable.write_text("{}")

    def load(conversation: Conversation) -> Say | Use:
        match = re.search(r'ToolSearch\(query="([^"]+)"\)', text_of(conversation, "OMC"))
        assert match
        return Use("ToolSearch", {"query": match[1]})

    def clear(conversation: Conversation) -> Say | Use:
        ((name, arguments),) = tool_calls(text_of(conversation, "OMC"), "the guard of Ultragoal")
        return Use(name, {**arguments, "session_id": SESSION})

    script = (act("OMC", dry_run=True), load, clear, act("OMC"), act("OMC", dry_run=True), says("Done."))
    with fork(tmp_path) as place:
        _, model = talk(
            home,
            project.root,
            "/oh-my-claudecode:cancel",
            *("--plugin-dir", place),
            *("--allowedTools", "mcp__plugin_oh-my-claudecode_t__state_clear", "ToolSearch"),
            script=script,
        )
    denied, _, cleared, done, again = model.last.results
    assert "ultragoal" in denied.lower() and "would" not in denied, denied
    assert "Successfully cleared state for mode: ultragoal" in cleared, cleared
    assert "No active OMC modes detected." in done and "No active OMC modes detected." in again
    assert not project.record(mode="ultragoal").exists() and durable.read_text() == "{}"


def test_in_the_product_itself_the_stop_hook_holds_the_session_until_the_run_is_done(
    home: Home, project: Project, tmp_path: Path
) -> None:
    with fork(tmp_path) as place:
        held: list[str] = []

        def step(conversation: Conversation) -> Say | Use:
            if conversation.results:
                return Say("Ralph is cancelled.")
            if not held:
                held.append("")
                return Say("I stop here.")
            held[0] = conversation.texts[-1]
            return act("OMC")(conversation)

        project.seed(iteration=1, max_iterations=10, prompt="go on", started_at=now(), last_checked_at=now())
        _, model = talk(
            home, project.root, "/oh-my-claudecode:cancel", "--plugin-dir", place, script=(step, step, step)
        )
    assert "Stop hook" in held[0] and "ralph mode" in held[0], held
    assert str(place) in line_of(text_of(model.last, "OMC"))
    assert "Ralph cancelled. Persistent mode deactivated." in model.last.results[0]
    assert not project.record().exists()
