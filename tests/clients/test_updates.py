"""Users get a published version by the commands that README.md names, and the one before it when it is taken back."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from real import Home, client, files_of

from skillgen.cli.publish import command

pytestmark = pytest.mark.client
ROOT = Path(__file__).parents[2]
NAMES = {"claude": ("omc", "oh-my-claudecode"), "codex": ("rcs", "rcs"), "copilot": ("omni", "copilot-omni")}


@pytest.fixture
def market(tmp_path: Path) -> Path:
    root = tmp_path / "skillgen"
    subprocess.run(["git", "init", "--quiet", "-b", "main", root], check=True)
    for key, value in (("user.name", "Pub Lisher"), ("user.email", "pub@example.org")):
        subprocess.run(["git", "config", key, value], cwd=root, check=True)
    return root


@pytest.fixture
def user(market: Path, tmp_path: Path) -> Home:
    """A home in which github.com/owner/repo is the market, over git."""
    (tmp_path / "user").mkdir()
    config = tmp_path / "gitconfig"
    config.write_text(
        f'[url "file://{market}"]\n\tinsteadOf = https://github.com/owner/repo.git\n\tinsteadOf = https://github.com/owner/repo\n'
        f'\tinsteadOf = git@github.com:owner/repo.git\n[protocol "file"]\n\tallow = always\n[safe]\n\tdirectory = *\n'
    )
    cache = os.environ.get("SKILLGEN_CLIENTS") or str(Path.home() / ".cache/skillgen-clients")
    return Home(tmp_path / "user", {"GIT_CONFIG_GLOBAL": str(config), "XDG_CACHE_HOME": f"{cache}/copilot-cache"})


def publish(market: Path, flavor: str, version: str) -> None:
    arguments = ["--to", str(market), "--flavor", flavor, "--version", version]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert done.exception is None, done.exception


def told_in_readme(*commands: str) -> None:
    text = (ROOT / "README.md").read_text()
    for line in commands:
        assert f"`{line}`" in text, line


def claude(user: Home, name: str) -> Callable[[], Path]:
    run = client("claude")
    assert user.run(run, "plugin", "marketplace", "add", "owner/repo").code == 0
    assert user.run(run, "plugin", "install", "--json", f"{name}@skillgen").json()["outcome"] == "ok"
    told_in_readme("claude plugin marketplace update skillgen", f"claude plugin update {name}@skillgen")

    def update() -> Path:
        assert user.run(run, "plugin", "marketplace", "update", "skillgen").code == 0
        assert user.run(run, "plugin", "update", f"{name}@skillgen").code == 0
        listed = user.run(run, "plugin", "list", "--json").json()
        (ours,) = [plugin for plugin in listed if plugin["id"] == f"{name}@skillgen"]
        assert not ours.get("errors")
        return Path(ours["installPath"])

    return update


def codex(user: Home, name: str) -> Callable[[], Path]:
    run = client("codex")
    assert user.run(run, "plugin", "marketplace", "add", "owner/repo", "--json").code == 0
    assert user.run(run, "plugin", "add", f"{name}@skillgen", "--json").code == 0
    told_in_readme("codex plugin marketplace upgrade skillgen")

    def update() -> Path:
        done = user.run(run, "plugin", "marketplace", "upgrade", "skillgen", "--json")
        assert done.code == 0, done.text
        (one,) = (user.path / f".codex/plugins/cache/skillgen/{name}").iterdir()
        return one

    return update


def copilot(user: Home, name: str) -> Callable[[], Path]:
    run = client("copilot")
    assert user.run(run, "plugin", "marketplace", "add", "owner/repo").code == 0
    assert user.run(run, "plugin", "install", f"{name}@skillgen").code == 0
    told_in_readme("copilot plugin marketplace update skillgen", f"copilot plugin update {name}@skillgen")

    def update() -> Path:
        assert user.run(run, "plugin", "marketplace", "update", "skillgen").code == 0
        done = user.run(run, "plugin", "update", f"{name}@skillgen")
        assert done.code == 0, done.text
        return user.path / f".copilot/installed-plugins/skillgen/{name}"

    return update


slower = pytest.mark.skipif(not os.environ.get("SKILLGEN_SLOWER_CLIENTS"), reason="tests/clients/run-slower runs this")


@pytest.mark.parametrize("which", ["claude", "codex", pytest.param("copilot", marks=slower)])
def test_an_update_brings_what_is_published_and_takes_back_what_was_reverted(
    market: Path, user: Home, which: str
) -> None:
    flavor, name = NAMES[which]
    publish(market, flavor, "0.1.0")
    update = {"claude": claude, "codex": codex, "copilot": copilot}[which](user, name)
    place = market / "plugins" / name
    for change in ("publish 0.2.0", "revert", "publish 0.3.0"):
        if change == "revert":
            subprocess.run(["git", "revert", "--no-edit", "HEAD"], cwd=market, check=True, capture_output=True)
        else:
            publish(market, flavor, change.split()[1])
        installed = update()
        assert files_of(installed) == files_of(place), change
