"""From publication to update, as a stranger lives it: published, cloned with Windows line ends, verified, installed, run by a
scripted model, updated to the next version, verified and run again.

Claude Code runs in every CI run; Codex, Copilot CLI, dsh and Droid by `tests/clients/run-slower`.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from real import CACHE, Home, client
from scripted_model import Conversation, Model, Say, Step, Use, serve
from text_commands import asks, runs, says, text_of

from skillgen.cli.pack import command as pack
from skillgen.cli.publish import command as publish
from skillgen.cli.verify import command as verify

pytestmark = pytest.mark.client
slower = pytest.mark.skipif(not os.environ.get("SKILLGEN_SLOWER_CLIENTS"), reason="tests/clients/run-slower runs this")
SESSION = "0f0e0d0c-1111-4222-8333-444455556666"


def skillgen(command: Any, *arguments: object) -> str:
    done = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    assert done.exception is None and done.return_value == 0, (done.output, done.exception)
    return done.output


@dataclass
class Scene:
    """A publisher's repository, a user's clone of it with `core.autocrlf=true`, and the user's home and project."""

    root: Path
    user: Home

    @property
    def market(self) -> Path:
        return self.root / "market"

    @property
    def clone(self) -> Path:
        return self.root / "skillgen"

    @property
    def project(self) -> Path:
        return self.root / "project"

    def publish(self, flavor: str, version: str) -> None:
        skillgen(
            publish, "--to", self.market, "--flavor", flavor, "--flavors", self.root / "flavors", "--version", version
        )
        if self.clone.exists():
            git(self.clone, "pull", "--quiet")
        else:
            git(self.root, "clone", "--quiet", "-c", "core.autocrlf=true", str(self.market), "skillgen")

    def verified(self, place: Path) -> None:
        """Hold a tree against the record that the clone carries, and run what is in it as bash reads it."""
        assert "as it was published" in skillgen(verify, place, "--against", self.clone)
        script = place / "skills/cancel/scripts/cancel.sh"
        checked = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr

    def seed(self, path: str, **record: object) -> Path:
        place = self.project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"active": True, **record}))
        return place


def git(where: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    for name in ("market", "project", "user", "flavors"):
        (tmp_path / name).mkdir()
    (tmp_path / "flavors/omc-droid.yaml").write_text("base: omc\nhost: {id: droid}\n")
    for name in ("market", "project"):
        git(tmp_path / name, "init", "--quiet", "-b", "main")
    for key, value in (("user.name", "Pub Lisher"), ("user.email", "pub@example.org")):
        git(tmp_path / "market", "config", key, value)
    (tmp_path / "market/.github/plugin").mkdir(parents=True)
    config = tmp_path / "gitconfig"
    address = f'[url "file://{tmp_path}/market"]\n'
    for name in ("https://github.com/owner/repo.git", "https://github.com/owner/repo", "git@github.com:owner/repo.git"):
        address += f"\tinsteadOf = {name}\n"
    config.write_text(
        f'{address}[protocol "file"]\n\tallow = always\n[safe]\n\tdirectory = *\n[core]\n\tautocrlf = true\n'
    )
    env = {"GIT_CONFIG_GLOBAL": str(config), "XDG_CACHE_HOME": str(CACHE / "copilot-cache")}
    return Scene(tmp_path, Home(tmp_path / "user", env))


def talk(
    scene: Scene, script: tuple[Step, ...], command: Callable[[Model], tuple[list[object], dict[str, str]]]
) -> Model:
    with serve(*script) as model:
        arguments, env = command(model)
        done = scene.user.run(*arguments, cwd=scene.project, env=env)
    assert done.code == 0 and not model.errors, (model.errors, done.text[-2000:])
    return model


def ok(scene: Scene, *arguments: object) -> str:
    done = scene.user.run(*arguments)
    assert done.code == 0, done.text
    return done.out


class Claude:
    flavor, plugin, title, said = "omc", "oh-my-claudecode", "OMC", "Ralph cancelled."

    def install(self, scene: Scene) -> Path:
        ok(scene, client("claude"), "plugin", "marketplace", "add", "owner/repo")
        ok(scene, client("claude"), "plugin", "install", "--json", f"{self.plugin}@market")
        return self._place(scene)

    def update(self, scene: Scene) -> Path:
        ok(scene, client("claude"), "plugin", "marketplace", "update", "market")
        ok(scene, client("claude"), "plugin", "update", f"{self.plugin}@market")
        return self._place(scene)

    def _place(self, scene: Scene) -> Path:
        listed = json.loads(ok(scene, client("claude"), "plugin", "list", "--json"))
        (ours,) = [plugin for plugin in listed if plugin["id"] == f"{self.plugin}@market"]
        assert not ours.get("errors")
        return Path(ours["installPath"])

    def run(self, scene: Scene) -> tuple[Model, Path]:
        record = scene.seed(f".omc/state/sessions/{SESSION}/ralph-state.json", session_id=SESSION)
        act = runs(self.title, "Bash", "command", dry_run=False, description="Run the cancel script")

        def command(model: Model) -> tuple[list[object], dict[str, str]]:
            options = ["--session-id", SESSION, "--output-format", "stream-json", "--verbose"]
            env = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"}
            return [client("claude"), "-p", f"/{self.plugin}:cancel", *options], env

        # A conversation of an id is begun once; the second run is another user's session on the same project.
        shutil.rmtree(scene.user.path / ".claude/projects", ignore_errors=True)
        return talk(scene, (act, says("Ralph cancelled.")), command), record


class Codex:
    flavor, plugin, title, said = "rcs", "rcs", "RCS", "Forge cancelled."

    def install(self, scene: Scene) -> Path:
        ok(scene, client("codex"), "plugin", "marketplace", "add", "owner/repo", "--json")
        return Path(json.loads(ok(scene, client("codex"), "plugin", "add", "rcs@market", "--json"))["installedPath"])

    def update(self, scene: Scene) -> Path:
        ok(scene, client("codex"), "plugin", "marketplace", "upgrade", "market", "--json")
        (one,) = (scene.user.path / ".codex/plugins/cache/market/rcs").iterdir()
        return one

    def run(self, scene: Scene) -> tuple[Model, Path]:
        gone = scene.root / "gone"
        seed = (
            'd=".rcs/state/sessions/$CODEX_SESSION_ID"; mkdir -p "$d"; '
            'printf \'{"active": true}\' >"$d/forge-state.json"; echo "$CODEX_SESSION_ID"'
        )

        def begins(conversation: Conversation) -> Say | Use:
            return Use("exec_command", {"cmd": seed})

        def command(model: Model) -> tuple[list[object], dict[str, str]]:
            provider = f'{{name="stub",base_url="{model.url}/v1",wire_api="responses",env_key="STUB_KEY"}}'
            options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", "scripted"]
            options += ["-c", "model_provider=stub", "-c", f"model_providers.stub={provider}"]
            return [client("codex"), "exec", *options, "$rcs:cancel"], {"STUB_KEY": "none"}

        script = (begins, runs(self.title, "exec_command", "cmd", dry_run=False), says("Forge cancelled."))
        return talk(scene, script, command), gone


class Copilot:
    flavor, plugin, title, said = "omni", "copilot-omni", "copilot-omni", "Ralph cancelled."

    def install(self, scene: Scene) -> Path:
        ok(scene, client("copilot"), "plugin", "marketplace", "add", "owner/repo")
        ok(scene, client("copilot"), "plugin", "install", "copilot-omni@market")
        return scene.user.path / ".copilot/installed-plugins/market/copilot-omni"

    def update(self, scene: Scene) -> Path:
        ok(scene, client("copilot"), "plugin", "marketplace", "update", "market")
        ok(scene, client("copilot"), "plugin", "update", "copilot-omni@market")
        return scene.user.path / ".copilot/installed-plugins/market/copilot-omni"

    def run(self, scene: Scene) -> tuple[Model, Path]:
        (scene.user.path / ".omni").mkdir(exist_ok=True)
        with sqlite3.connect(scene.user.path / ".omni/omni.db") as database:
            database.executescript(
                "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER); DELETE FROM schema_version;"
                "INSERT INTO schema_version VALUES (6);"
                "CREATE TABLE IF NOT EXISTS state (mode TEXT NOT NULL, body TEXT NOT NULL, session_id TEXT NOT NULL"
                " DEFAULT '', updated_at REAL NOT NULL, PRIMARY KEY (mode, session_id));"
            )
            row = ("ralph", json.dumps({"phase": "execution"}), "", time.time())
            database.execute("INSERT INTO state VALUES (?, ?, ?, ?)", row)

        def command(model: Model) -> tuple[list[object], dict[str, str]]:
            env = {
                "COPILOT_OFFLINE": "true",
                "COPILOT_PROVIDER_TYPE": "openai",
                "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
                "COPILOT_PROVIDER_API_KEY": "none",
                "COPILOT_MODEL": "gpt-4.1",
            }
            return [client("copilot"), "-p", "Cancel ralph.", "--allow-all-tools", "--allow-all-paths"], env

        act = runs(self.title, "bash", "command", dry_run=False, description="Run the cancel script")
        return talk(scene, (asks("skill", skill="cancel"), act, says("Done.")), command), scene.root / "gone"


class Droid:
    flavor, plugin, title, said = "omc-droid", "oh-my-claudecode", "OMC", "Ralph cancelled."

    def install(self, scene: Scene) -> Path:
        # A marketplace of a directory; Droid names it after that.
        ok(scene, client("droid"), "plugin", "marketplace", "add", scene.clone)
        ok(scene, client("droid"), "plugin", "install", f"{self.plugin}@{scene.clone.name}")
        return self._place(scene, "0.1.0")

    def update(self, scene: Scene) -> Path:
        ok(scene, client("droid"), "plugin", "marketplace", "update", scene.clone.name)
        ok(scene, client("droid"), "plugin", "update", f"{self.plugin}@{scene.clone.name}")
        return self._place(scene, "0.2.0")

    def _place(self, scene: Scene, version: str) -> Path:
        found = [path.parents[1] for path in (scene.user.path / ".factory/plugins/cache").rglob("plugin.json")]
        (one,) = [p for p in found if json.loads((p / ".factory-plugin/plugin.json").read_text())["version"] == version]
        return one

    def run(self, scene: Scene) -> tuple[Model, Path]:
        record = scene.seed(f".omc/state/sessions/{SESSION}/ralph-state.json", session_id=SESSION)

        def command(model: Model) -> tuple[list[object], dict[str, str]]:
            own = {
                "model": "scripted",
                "id": "custom:scripted-0",
                "index": 0,
                "displayName": "scripted",
                "apiKey": "none",
            }
            own |= {"baseUrl": f"{model.url}/v1", "provider": "generic-chat-completion-api", "maxOutputTokens": 1000}
            settings = scene.user.path / ".factory/settings.json"
            settings.write_text(json.dumps(json.loads(settings.read_text()) | {"customModels": [own]}))
            return [client("droid"), "exec", "--skip-permissions-unsafe", "-m", "custom:scripted-0", "/cancel"], {}

        # Droid tells a shell no session: the script asks for one, and the second call names it.
        asked = runs(self.title, "Execute", "command", summary="Look what is active")
        flags = f" --session-id {SESSION}"
        act = runs(self.title, "Execute", "command", flags=flags, dry_run=False, summary="Run the cancel script")
        model = talk(scene, (asked, act, says("Ralph cancelled.")), command)
        assert "which session is meant is not known: give --session-id" in model.last.results[0]
        return model, record


@pytest.mark.parametrize(
    "kind",
    [Claude, *(pytest.param(kind, marks=slower) for kind in (Codex, Copilot, Droid))],
    ids=lambda kind: kind.__name__,
)
def test_what_is_published_is_installed_run_updated_and_run_again(scene: Scene, kind: Any) -> None:
    host = kind()
    for version, bring in (("0.1.0", host.install), ("0.2.0", host.update)):
        scene.publish(host.flavor, version)
        scene.verified(scene.clone / "plugins" / host.plugin)
        installed = bring(scene)
        contract = json.loads((installed / "skills/cancel/contract.json").read_text())
        assert contract["plugin"]["version"] == version
        scene.verified(installed)
        model, record = host.run(scene)
        assert f"{installed}/skills/cancel" in "\n".join(model.last.texts)
        assert host.said in model.last.results[-1], model.last.results
        assert not record.exists()
        # The run left nothing in what was installed.
        scene.verified(installed)


@slower
def test_what_is_packed_for_dsh_is_verified_installed_run_updated_and_run_again(scene: Scene) -> None:
    """dsh has no marketplace: users add the package, and add the next version over it."""
    dsh = client("dsh")
    for version in ("0.1.0", "0.2.0"):
        out = scene.root / "packed" / version
        skillgen(pack, "--flavor", "omd", "--out", out, "--version", version)
        package = out / f"omd/omd-cancel-{version}.tgz"
        assert "as it was packed" in skillgen(verify, package)
        ok(scene, dsh, "plugin", "--profile", "headless", "add", package)
        installed = (scene.user.path / ".dsh/profiles/headless/node_modules/omd-cancel").resolve()
        assert json.loads((installed / "package.json").read_text())["version"] == version
        assert "as it was packed" in skillgen(verify, installed, "--against", out / "omd")
        (scene.user.path / "patch.yml").write_text("- id: hmr\n  disabled: false\n")
        seed = (
            'd=".omd/state/sessions/$DSH_SESSION_ID"; mkdir -p "$d"; printf \'{"active": true}\' >"$d/ralph-state.json"'
        )

        def command(model: Model) -> tuple[list[object], dict[str, str]]:
            env = {
                "DEEPSEEK_BASE_URL": model.url,
                "DEEPSEEK_API_KEY": "none",
                "DSH_PERMISSION_MODE": "danger-full-access",
            }
            return [dsh, "--profile", "headless", "--patch", scene.user.path / "patch.yml", "/cancel"], env

        begins = asks("bash", command=seed, description="Begin a mode")
        act = runs("omd", "bash", "command", dry_run=False, description="Run the cancel script")
        model = talk(scene, (begins, act, says("Done.")), command)
        assert text_of(model.last, "omd") and "Ralph cancelled." in model.last.results[-1], model.last.results
        assert "as it was packed" in skillgen(verify, installed, "--against", out / "omd")
