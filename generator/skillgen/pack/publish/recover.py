"""Take back a publication that was cut off while the working tree was moving."""

from __future__ import annotations

from pathlib import Path

from skillgen.errors import UsageError
from skillgen.model.json_text import parse_json
from skillgen.pack.publish.git import Git
from skillgen.pack.publish.target import Target

JOURNAL = "skillgen-publish.json"


def recover(target: Target) -> bool:
    """Bring index and working tree back to the branch if a journal tells of a move that did not end.

    Only paths of that move are touched, and only where they hold its bytes (or a beginning of them); raises UsageError
    where anything else has changed since. Returns whether there was something to take back.
    """
    journal = Path(target.git.text("rev-parse", "--absolute-git-dir")) / JOURNAL
    try:
        move = parse_json(journal.read_bytes())
        old, new = str(move["old"]), str(move["new"])
    except FileNotFoundError:
        return False
    except (ValueError, KeyError, TypeError):
        journal.unlink()
        return False
    git = target.git
    if old:
        moved = set(_names(git.run("diff", "--name-only", "-z", "--no-renames", old, new)))
    else:
        moved = set(_names(git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", new)))
    changed = [
        row[3:] for row in _names(git.run("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"))
    ]
    dirty = [path for path in changed if path in moved]
    foreign = [path for path in dirty if not _is_ours(target.path / path, git, (old, new), path)]
    if foreign:
        raise UsageError(
            f"{target.path}: a publication was cut off and these files were edited since; commit or discard them:\n  "
            + "\n  ".join(foreign)
        )
    if dirty:
        _restore(target, dirty)
    journal.unlink(missing_ok=True)
    return bool(dirty)


def _is_ours(file: Path, git: Git, commits: tuple[str, str], path: str) -> bool:
    """Tell whether a file holds the bytes of either side of the move, or the beginning that a killed git wrote."""
    if not file.is_symlink() and not file.exists():
        return True
    if file.is_symlink() or not file.is_file():
        return False
    there = file.read_bytes()
    sides = [
        git.run("cat-file", "blob", f"{c}:{path}")
        for c in commits
        if c and git.succeeds("cat-file", "-e", f"{c}:{path}")
    ]
    return there in sides or any(side.startswith(there) for side in sides)


def _restore(target: Target, paths: list[str]) -> None:
    git = target.git
    born = git.succeeds("rev-parse", "-q", "--verify", "HEAD")
    names = set(_names(git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"))) if born else set()
    tracked = [path for path in paths if path in names]
    if tracked:
        git.run("checkout", "--quiet", "HEAD", "--", *tracked)
    for path in paths:
        if path not in names:
            git.run("rm", "--quiet", "--cached", "--ignore-unmatch", "--", path)
            (target.path / path).unlink(missing_ok=True)
            for parent in Path(path).parents:
                if parent != Path() and (target.path / parent).is_dir() and not any((target.path / parent).iterdir()):
                    (target.path / parent).rmdir()


def _names(output: bytes) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in output.split(b"\0") if name]
