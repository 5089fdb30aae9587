"""Killed anywhere and run again, a publication ends as one that was left alone."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from publish_toys import bundle, git, publish

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from publish_toys import bundle, publish
publish(Path(sys.argv[1]), bundle("0.2.0", text="Cancel well."), tag=True)
"""
# Kills the publishing process after the call of that number, or in the middle of moving the working tree.
WRAPPER = """#!/bin/sh
real={real}
word=; skip=
for part; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$part" in -c|--git-dir) skip=1 ;; -*) ;; *) word=$part; break ;; esac
done
echo "$word" >> {counter}; count=$(wc -l < {counter})
if [ "$word" = merge ] && [ "{when}" = middle ]; then
  for last; do :; done
  "$real" checkout --quiet "$last" -- plugins/toy/README.md plugins/toy/skills/cancel/contract.json
  "$real" show "$last:plugins/toy/skills/cancel/SKILL.md" | head -c 20 > plugins/toy/skills/cancel/SKILL.md
  "$real" show "$last:plugins/toy/new.md" | head -c 3 > plugins/toy/new.md
  kill -9 $PPID; exit 1
fi
if [ "{when}" = after ] && [ $count = {number} ]; then "$real" "$@"; kill -9 $PPID; exit 1; fi
exec "$real" "$@"
"""


def result(repo: Path) -> str:
    """Return what the publication left: trees, messages, tags, cleanliness, worktrees; no dates."""
    rows = [
        git(repo, "log", "--format=%T %s", "main"),
        git(repo, "for-each-ref", "--format=%(refname) %(objecttype) %(subject)"),
        git(repo, "rev-parse", "toy--v0.2.0^{tree}"),
        str(git(repo, "worktree", "list").count("\n")),
    ]
    if (repo / ".git").exists():
        rows.append(git(repo, "status", "--porcelain", "--untracked-files=all", "--ignored"))
    return "\n".join(rows)


def run(repo: Path, scratch: Path, when: str, number: int) -> int:
    """Publish with a git that kills; return the exit code."""
    binary = scratch / "bin"
    binary.mkdir(parents=True, exist_ok=True)
    counter = scratch / "count"
    counter.write_text("")
    real = shutil.which("git")
    (binary / "git").write_text(WRAPPER.format(real=real, counter=counter, when=when, number=number))
    (binary / "git").chmod(0o755)
    (scratch / "tmp").mkdir(exist_ok=True)
    env = {**os.environ, "PATH": f"{binary}:{os.environ['PATH']}", "TMPDIR": str(scratch / "tmp")}
    paths = [str(ROOT / "generator"), str(ROOT / "tests" / "publish")]
    return subprocess.run([sys.executable, "-c", SCRIPT, str(repo), *paths], env=env, capture_output=True).returncode


@pytest.fixture(params=["working copy", "bare"])
def start(request: pytest.FixtureRequest, market: Path, tmp_path: Path) -> Path:
    publish(market, bundle("0.1.0", **{"old.md": b"old\n"}), tag=True)
    if request.param == "working copy":
        return market
    git(tmp_path, "clone", "--quiet", "--bare", str(market), "start.git")
    return tmp_path / "start.git"


WRITING = {"worktree", "add", "rm", "commit", "merge", "push", "tag", "mktag"}


@pytest.mark.slow
def test_killed_after_any_git_command_that_writes_and_repeated_it_ends_the_same(start: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(start, whole)
    assert run(whole, tmp_path / "whole-scratch", "never", 0) == 0
    expected = result(whole)
    calls = (tmp_path / "whole-scratch" / "count").read_text().splitlines()
    writing = [number for number, call in enumerate(calls, 1) if call.split()[0] in WRITING]
    assert len(writing) >= 6
    for number in writing:
        repo = tmp_path / f"cut-{number}"
        shutil.copytree(start, repo)
        assert run(repo, tmp_path / "scratch", "after", number) == -signal.SIGKILL
        assert run(repo, tmp_path / "scratch", "never", 0) == 0, calls[number - 1]
        assert result(repo) == expected, calls[number - 1]


def with_new_file(repo: Path) -> None:
    origin, files = bundle("0.2.0", text="Cancel well.", **{"new.md": b"new file\n"})
    publish(repo, (origin, files), tag=True)


MIDDLE = SCRIPT.replace('text="Cancel well."', 'text="Cancel well.", **{"new.md": b"new file\\n"}')


def cut_in_the_middle(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SCRIPT", MIDDLE)
    assert run(repo, tmp_path / "scratch", "middle", 0) == -signal.SIGKILL
    assert git(repo, "status", "--porcelain") != ""
    assert (repo / "plugins/toy/new.md").read_text() == "new"


def test_killed_while_the_working_tree_moves_and_repeated_it_ends_the_same(
    market: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(market, tag=True)
    shutil.copytree(market, tmp_path / "whole")
    with_new_file(tmp_path / "whole")
    cut_in_the_middle(market, tmp_path, monkeypatch)
    with_new_file(market)
    assert result(market) == result(tmp_path / "whole")


def test_an_edit_made_after_a_kill_is_not_lost(market: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(market, tag=True)
    cut_in_the_middle(market, tmp_path, monkeypatch)
    (market / "plugins/toy/skills/cancel/SKILL.md").write_text("my own words\n")
    with pytest.raises(Exception, match="were edited since"):
        with_new_file(market)
    assert (market / "plugins/toy/skills/cancel/SKILL.md").read_text() == "my own words\n"


def test_two_publications_at_once_do_not_mix(market: Path) -> None:
    from skillgen.errors import UsageError
    from skillgen.pack.publish.commit import locked
    from skillgen.pack.publish.target import open_target

    with locked(open_target(market)), pytest.raises(UsageError, match="another `skillgen publish` is at work"):
        publish(market)
