"""A sync that is killed anywhere and run again ends as one that was not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sync_world import SKILL, Cli, edit, tree

from skillgen.cli.main import run

CHANGING = ("replace", "link", "unlink", "rmdir")


def sync_until(fork: Path, limit: int) -> tuple[int, int]:
    """Sync in a child that is gone at the change number `limit` of the disk; return its exit code and the count."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        done = 0

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **options: Any) -> Any:
                nonlocal done
                if done == limit:
                    os.write(writer, str(done).encode())
                    os._exit(137)
                done += 1
                return real(*args, **options)

            return call

        for name in CHANGING:
            setattr(os, name, counted(getattr(os, name)))
        sys.argv = ["skillgen", "sync", str(fork)]
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = run()
        os.write(writer, str(done).encode())
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as stream:
        count = int(stream.read() or -1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), count


@pytest.mark.slow
def test_killed_at_any_change_of_the_disk_and_repeated_it_ends_the_same(old: Path, skillgen: Cli) -> None:
    edit(old / SKILL, "## Rules\n", "## House notes\n\nBe kind.\n\n## Rules\n")
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    edit(old / "skills/cancel/contract.json", '"revision": "20260824"', '"revision": "ours"')
    (old / "skills/cancel/references/team.md").unlink()
    whole = Path(shutil.copytree(old, old.parent / "whole"))
    code, total = sync_until(whole, -1)
    assert (code, total > 8) == (1, True)
    wanted = tree(whole)
    for limit in range(total):
        copy = Path(shutil.copytree(old, old.parent / f"killed-{limit}"))
        assert sync_until(copy, limit)[0] == 137
        assert sync_until(copy, -1)[0] == 1
        assert tree(copy) == wanted, f"killed at {limit}"
        shutil.rmtree(copy)


def test_what_was_edited_after_a_kill_is_kept(old: Path, skillgen: Cli) -> None:
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    _, total = sync_until(Path(shutil.copytree(old, old.parent / "whole")), -1)
    for limit in range(1, total):
        copy = Path(shutil.copytree(old, old.parent / f"killed-{limit}"))
        assert sync_until(copy, limit)[0] == 137
        (copy / SKILL).write_text((copy / SKILL).read_text() + "\nLater.\n")
        assert sync_until(copy, -1)[0] in (0, 1)
        text = (copy / SKILL).read_text()
        assert "\nOwn.\n" in text
        assert "\nLater.\n" in text
        assert not [name for name in tree(copy) if ".skillgen-tmp-" in name]
        break
