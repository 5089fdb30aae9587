"""Small bundles, git in one line, and a publication without the command line."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skillgen.model.origin import Origin
from skillgen.pack.publish.run import publish_bundles

Files = dict[str, tuple[bytes, int]]


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=repo, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def bundle(version: str = "0.1.0", text: str = "Cancel.\n", name: str = "toy", **extra: bytes) -> tuple[Origin, Files]:
    """Return a bundle for Claude Code and Codex."""
    contract = json.dumps({"flavor": name, "plugin": {"version": version}, "text": text}).encode()
    manifest = {"name": name, "version": version, "description": f"Cancels {name}.", "author": {"name": "Toys"}}
    files = {
        ".claude-plugin/plugin.json": (json.dumps(manifest).encode(), 0o644),
        ".codex-plugin/plugin.json": (json.dumps(manifest).encode(), 0o644),
        "README.md": (b"# Toy\n", 0o644),
        "skills/cancel/SKILL.md": (f"---\nname: cancel\ndescription: x\n---\n{text}".encode(), 0o644),
        "skills/cancel/contract.json": (contract, 0o644),
        "skills/cancel/scripts/cancel.sh": (b"#!/bin/sh\n", 0o755),
    } | {path: (data, 0o644) for path, data in extra.items()}
    origin = Origin(
        skillgen="0.1.0",
        flavor=name,
        revision="20260101",
        plugin=name,
        version=version,
        license="MIT",
        skill="cancel",
        contract=hashlib.sha256(contract).hexdigest(),
        sources={},
    )
    return origin, files


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Sequence[str]:
    return [f"{key}: {old[key]!r} became {new[key]!r}" for key in ("text",) if old[key] != new[key]]


def publish(repo: Path, *bundles: tuple[Origin, Files], tag: bool = False, dry_run: bool = False) -> list[str]:
    """Publish and return what was said."""
    said: list[str] = []
    publish_bundles(repo, lambda name: list(bundles) or [bundle()], changes, tag, dry_run, said.append)
    return said


def snapshot(repo: Path) -> str:
    """Return everything that a user can see of a repository, as one text."""
    rows = [
        git(repo, "for-each-ref", "--format=%(refname) %(objectname)"),
        git(repo, "symbolic-ref", "HEAD")
        if not (repo / ".git" / "HEAD").exists()
        else (repo / ".git" / "HEAD").read_text(),
    ]
    if (repo / ".git").exists():
        rows.append(git(repo, "status", "--porcelain", "--untracked-files=all", "--ignored"))
        for path in sorted(repo.rglob("*")):
            if path.is_file() and ".git" not in path.relative_to(repo).parts:
                rows.append(f"{path.relative_to(repo)} {hashlib.sha256(path.read_bytes()).hexdigest()}")
    rows.append(git(repo, "worktree", "list").count("\n").__str__())
    return "\n".join(rows)
