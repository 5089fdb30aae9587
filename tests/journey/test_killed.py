"""An adoption that is killed anywhere and run again ends as one that was not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forks import COMMANDS, REFERENCES, Wild, lay_out
from journey_world import skillgen, tree

from skillgen.cli.main import run

CHANGING = ("replace", "unlink", "rmdir", "makedirs")


def adopt_until(top: Path, limit: int) -> tuple[int, int]:
    """Adopt in a child that is gone at the change number `limit` of the fork; return its exit code and the count."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        done = 0

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **options: Any) -> Any:
                nonlocal done
                if not str(args[0]).startswith(str(top)):
                    return real(*args, **options)
                if done == limit:
                    os.write(writer, str(done).encode())
                    os._exit(137)
                done += 1
                return real(*args, **options)

            return call

        for name in CHANGING:
            setattr(os, name, counted(getattr(os, name)))
        sys.argv = ["skillgen", "adopt", "--safest", str(top)]
        for stream, way in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
            os.dup2(os.open(os.devnull, way), stream)
        code = run()
        os.write(writer, str(done).encode())
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as stream:
        count = int(stream.read() or -1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), count


@pytest.mark.slow
@pytest.mark.parametrize("wild", [COMMANDS, REFERENCES], ids=lambda wild: wild.name)
def test_killed_at_any_change_of_the_fork_and_repeated_it_ends_the_same(wild: Wild, tmp_path: Path) -> None:
    top = lay_out(wild, tmp_path / "fork")
    before = tree(top)
    code, total = adopt_until(Path(shutil.copytree(top, tmp_path / "whole")), -1)
    assert code == 0 and total > 30
    wanted = tree(tmp_path / "whole")
    # Every step until all is decided, then some of those that put files in place, and every one that ends it.
    for limit in [*range(8), *range(8, total - 8, 5), *range(total - 8, total)]:
        copy = Path(shutil.copytree(top, tmp_path / f"killed-{limit}"))
        assert adopt_until(copy, limit)[0] == 137
        half = tree(copy)
        decided = ".skillgen-adopting" in half or "skillgen.lock" in half
        touched = {path for path in before.keys() | half.keys() if before.get(path) != half.get(path)}
        assert decided or all(".skillgen-" in path for path in touched), (limit, touched)
        assert adopt_until(copy, -1)[0] == 0
        assert tree(copy) == wanted, f"killed at {limit}"
        shutil.rmtree(copy)


def test_a_sync_finishes_an_adoption_that_was_killed_after_its_lock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    top = lay_out(REFERENCES, tmp_path / "fork")
    whole = Path(shutil.copytree(top, tmp_path / "whole"))
    _, total = adopt_until(whole, -1)
    assert adopt_until(top, total - 1)[0] == 137
    assert (top / ".skillgen-adopting").exists() and (top / "skillgen.lock").exists()
    assert skillgen(capsys, monkeypatch, "sync", top).code == 0
    assert tree(top) == tree(whole)


def test_what_was_edited_after_a_kill_is_not_written_over(tmp_path: Path) -> None:
    top = lay_out(REFERENCES, tmp_path / "fork")
    assert adopt_until(top, 12)[0] == 137
    assert (top / ".skillgen-adopting").exists()
    skill = top / "skills/cancel/SKILL.md"
    skill.write_text("Mine, of this minute.\n")
    before = tree(top)
    assert adopt_until(top, -1)[0] == 2
    assert tree(top) == before


@pytest.mark.parametrize("path", ["../away.md", "/tmp/away.md", ".git/hooks/pre-commit", "a/../../b", "C:/x", ""])
def test_a_journal_of_a_stranger_leads_nowhere(path: str, tmp_path: Path) -> None:
    top = lay_out(REFERENCES, tmp_path / "fork")
    step = f'{{"path": "{path}", "mode": 420, "old": "", "data": "aGVsbG8="}}'
    (top / ".skillgen-adopting").write_text(f'{{"steps": [{step}]}}')
    before = tree(tmp_path)
    hooks = sorted((top / ".git").rglob("*"))
    assert adopt_until(top, -1)[0] == 2
    assert tree(tmp_path) == before and sorted((top / ".git").rglob("*")) == hooks
