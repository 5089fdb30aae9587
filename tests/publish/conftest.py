"""Give tests real repositories to publish to, away from the user's own git configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from publish_toys import git


@pytest.fixture(autouse=True)
def own_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Pub Lisher\n\temail = pub@example.org\n[init]\n\tdefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def market(tmp_path: Path) -> Path:
    """A working copy with one commit and a file of its own."""
    repo = tmp_path / "my-market"
    git(tmp_path, "init", "--quiet", str(repo))
    (repo / "README.md").write_text("My market\n")
    git(repo, "add", ".")
    git(repo, "commit", "--quiet", "--message", "Start")
    return repo


@pytest.fixture
def bare(tmp_path: Path, market: Path) -> Path:
    repo = tmp_path / "bare-market.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(market), str(repo))
    return repo
