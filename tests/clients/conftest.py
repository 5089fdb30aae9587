"""Give tests a repository as a stranger finds it: bundles, marketplaces, one commit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from real import CACHE, Home

FLAVORS = ("omc", "omd", "omni", "omx", "pep", "rcs")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with dist/ and its marketplaces, made by the commands that make ours."""
    from click.testing import CliRunner

    from skillgen.cli.build import command as build
    from skillgen.cli.marketplace import command as marketplace

    root = tmp_path_factory.mktemp("clients") / "market"
    root.mkdir()
    for command, arguments in (
        (build, ["--out", str(root / "dist")]),
        (marketplace, [str(root), "--name", "skillgen", "--owner", "skillgen maintainers"]),
    ):
        done = CliRunner().invoke(command, arguments, standalone_mode=False)
        assert done.exception is None and done.return_value == 0, (done.output, done.exception)
    _commit(root)
    return root


@pytest.fixture
def repo(built: Path, tmp_path: Path) -> Path:
    """A copy that a test may break."""
    shutil.copytree(built, tmp_path / "market")
    return tmp_path / "market"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home", {"XDG_CACHE_HOME": str(CACHE / "copilot-cache")})


@pytest.fixture
def stranger(built: Path, tmp_path: Path) -> Home:
    """A home in which github.com/owner/repo is our repository: the way over git, without a network."""
    (tmp_path / "stranger").mkdir()
    config = tmp_path / "gitconfig"
    config.write_text(
        f'[url "file://{built}"]\n\tinsteadOf = https://github.com/owner/repo.git\n\tinsteadOf = https://github.com/owner/repo\n'
        f'\tinsteadOf = git@github.com:owner/repo.git\n[protocol "file"]\n\tallow = always\n[safe]\n\tdirectory = *\n'
    )
    return Home(
        tmp_path / "stranger", {"GIT_CONFIG_GLOBAL": str(config), "XDG_CACHE_HOME": str(CACHE / "copilot-cache")}
    )


def _commit(root: Path) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (["init", "--quiet", "-b", "main"], ["add", "."], [*who, "commit", "--quiet", "-m", "Bundles"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
