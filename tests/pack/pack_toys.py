"""Small bundles to pack, as trees in memory and on disk."""

from __future__ import annotations

import json
from pathlib import Path

from skillgen.model.files import Files
from skillgen.model.origin import Origin

SKILL = """---
name: cancel
description: "Cancels: the toy mode. Use when the user says stop."
argument-hint: "[--force]"
aliases:
  - cancel-toy
level: 2
---

# Cancel

Run `python3 scripts/cancel.py`.
"""


def toy_files() -> dict[str, tuple[bytes, int]]:
    """Return a bundle for Claude Code with one skill."""
    manifest = {
        "name": "toy-plugin",
        "version": "1.2.3",
        "description": "Cancels toys.",
        "license": "MIT",
        "author": {"name": "Toys"},
    }
    return {
        ".claude-plugin/plugin.json": (json.dumps(manifest).encode(), 0o644),
        "LICENSE": (b"MIT License\n", 0o644),
        "README.md": (b"# Toy\n\nCancels toys.\n", 0o644),
        "skills/cancel/SKILL.md": (SKILL.encode(), 0o644),
        "skills/cancel/contract.json": (b'{"flavor": "toy"}\n', 0o644),
        "skills/cancel/scripts/cancel.py": (b"#!/usr/bin/env python3\nprint('h\xc3\xb6')\n", 0o755),
    }


def toy_origin(version: str = "1.2.3") -> Origin:
    return Origin(
        skillgen="0.1.0",
        flavor="toy",
        revision="20260101",
        plugin="toy-plugin",
        version=version,
        license="MIT",
        skill="cancel",
        contract="c" * 64,
        sources={"flavors/toy.yaml": "a" * 64, "templates/cancel/skill.yaml": "b" * 64},
    )


def put(directory: Path, files: Files) -> Path:
    """Write a tree to disk."""
    for path, (data, mode) in files.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(mode)
    return directory


def toy_npm_files() -> dict[str, tuple[bytes, int]]:
    """Return a bundle for dsh."""
    files = toy_files()
    del files[".claude-plugin/plugin.json"]
    package = {
        "name": "toy-plugin",
        "version": "1.2.3",
        "description": "Cancels toys.",
        "type": "module",
        "files": ["lib", "skills"],
    }
    return files | {"package.json": (json.dumps(package).encode(), 0o644), "lib/index.js": (b"export {};\n", 0o644)}
