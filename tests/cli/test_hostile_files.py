"""Whatever lies where a file of a flavor, a fork or a plugin is read: an exit code, clear lines, and nothing changed outside."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
pytestmark = pytest.mark.slow
SECONDS = 60
"""After which a command counts as hanging, on a busy machine too."""
HIDDEN = "\x1b]0;T\x07\u202e\n::error::x"
COPY = """\
---
name: cancel
description: Cancel any active Gull mode (dive, glide). Use when the user asks to stop one.
---
# Cancel

`/gull:cancel` ends the active Gull mode. Records are `.gull/state/sessions/<session_id>/<mode>-state.json`.

1. Glide: `state_clear(mode="glide", session_id="<session_id>")`
2. Dive: set `active` to `false` in its state file. Never delete its state file.
"""
FLAVOR = 'base: omc\nrevision: "20261130"\nproduct: {name: MINE}\nplugin: {name: mine}\n'

JSON = {
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 50_000,
    "hidden characters": json.dumps(
        dict.fromkeys(("name", "version", "license", "homepage", HIDDEN), HIDDEN) | {"author": {"name": HIDDEN}}
    ).encode(),
    "a lone surrogate": b'{"name": "\\ud800", "version": "\\ud800", "author": "\\udfff", "\\ud800": 1}',
    "wrong kinds": json.dumps(
        {key: [3] for key in ("name", "version", "author", "mcpServers", "plugins", "facts", "upstream", "subject")}
    ).encode(),
    "objects of null": json.dumps(
        dict.fromkeys(("name", "author", "facts", "upstream", "mcpServers", "files", "trials"))
    ).encode(),
    "a number without end": b'{"facts": [{"kind": "mode", "key": "a", "value": "b", "line": 1e999}], "upstream": {}}',
    "zeros": b"\0" * 100,
    "no UTF-8": b"\xff\xfe\xfa\x80",
    "ten megabytes": b"[" + b"1," * 4_999_999 + b"1]",
}
YAML = {
    "a bomb": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(20)),
    "a tag of Python": b'a: !!python/object/apply:os.system ["touch pwned"]\n',
    "itself": b"&a [*a]\n",
    "deep lists": b"[" * 3000 + b"]" * 3000,
    "deep blocks": b"- " * 5000 + b"x",
    "no date": b"revision: 2026-99-99T99:99:99Z\n",
    "a list as a key": b"? [a, b]\n: c\n",
    "a merge of nothing": b"<<: x\na: 1\n",
    "a number of many digits": b"a: " + b"9" * 5000 + b"\n",
    "no number": b"a: !!int x\n",
    "a set": b"!!set {a, b}\n",
    "hidden characters": json.dumps({"forks": [{"path": HIDDEN}], "product": {"name": HIDDEN}, HIDDEN: 1}).encode(),
    "raw hidden characters": b"name: \x1b]0;T\x07\n\xe2\x80\xae::error::x",
    "wrong kinds": b"forks: {a: 3}\nproduct: 3\nmanifest: 3\nmodes: []\n",
    "texts for lists": b"forks: [null, 3, {path: null}, {path: [a]}]\n",
    "zeros": b"\0" * 100,
    "no UTF-8": b"\xff\xfe\xfa\x80",
}
KINDS = ("a pipe", "a directory", "a link to elsewhere", "a link to nothing", "a link to itself", "a device")


@contextmanager
def ended_by(seconds: int) -> Iterator[None]:
    """Fail where what runs inside has not ended."""

    def hang(*_: object) -> None:
        raise TimeoutError(f"it has not ended after {seconds} s")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def put(path: Path, name: str, bytes_of: dict[str, bytes], outside: Path) -> None:
    """Put the named thing in the place of a file."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if name in bytes_of:
        path.write_bytes(bytes_of[name])
    elif name == "a pipe":
        os.mkfifo(path)
    elif name == "a directory":
        path.mkdir()
    else:
        leads = {"elsewhere": outside / "secret", "nothing": outside / "nothing", "itself": path.name}
        path.symlink_to(leads.get(name.rpartition(" ")[2], "/dev/zero"))


def listed(top: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.lstat().st_mode, path.read_bytes()) for path in sorted(top.rglob("*"))}


@pytest.fixture
def world(tmp_path: Path, skillgen: Run) -> Path:
    """A plugin with a copy of its own, a flavor with a built fork and a pack, templates of one's own, and what lies outside."""
    top = tmp_path / "world"
    plugin = top / "plugin"
    for name in ("skills/cancel", ".claude-plugin", "src", "commands"):
        (plugin / name).mkdir(parents=True)
    (plugin / "skills/cancel/SKILL.md").write_text(COPY)
    (plugin / ".claude-plugin/plugin.json").write_text('{"name": "gull", "version": "1.0.0", "author": {"name": "A"}}')
    (top / "flavors").mkdir()
    (top / "flavors/mine.yaml").write_text(FLAVOR)
    (top / "templates").mkdir()
    ours = ["--flavor", "mine", "--flavors", top / "flavors"]
    assert skillgen("build", *ours, "--into", top / "fork").code == 0
    assert skillgen("pack", *ours, "--format", "skill", "--out", top / "packs").code == 0
    (top / "forks.yaml").write_text("forks: [fork]\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text('{"name": "TOPSECRET", "author": "TOPSECRET", "license": "TOPSECRET"}\n')
    return top


PLACES = {
    "plugin/package.json": (JSON, ["adopt -y --uncommitted --safest plugin", "adopt plugin/skills/cancel/SKILL.md"]),
    "plugin/.claude-plugin/plugin.json": (
        JSON,
        ["adopt -y --uncommitted --safest plugin", "audit --format github plugin", "watch plugin plugin"],
    ),
    "plugin/.mcp.json": (JSON, ["audit plugin", "adopt plugin/skills/cancel/SKILL.md", "watch --run plugin plugin"]),
    "plugin/src/a.js": (JSON, ["adopt plugin/skills/cancel/SKILL.md"]),
    "plugin/commands/cancel.md": (JSON, ["adopt -y --uncommitted --safest plugin", "audit plugin"]),
    "plugin/flavors/gull.kept.md": (JSON, ["adopt -y --uncommitted --safest --id gull plugin"]),
    "plugin/flavors/gull.yaml": (YAML, ["adopt -y --uncommitted --safest --id gull plugin"]),
    "answers.json": (JSON, ["adopt plugin/skills/cancel/SKILL.md --answers answers.json"]),
    "questions.json": (JSON, ["adopt plugin/skills/cancel/SKILL.md -o flavors/gull.yaml --questions questions.json"]),
    "flavors/mine.facts.json": (
        JSON,
        ["watch --check plugin --flavor mine --flavors flavors", "build --flavor mine --flavors flavors --out out"],
    ),
    "flavors/mine.proven.json": (
        JSON,
        ["report --flavor mine --flavors flavors --out r.html", "build --flavor mine --flavors flavors --out out"],
    ),
    "flavors/mine.conform.yaml": (YAML, ["conform mine --flavors flavors --program plugin"]),
    "flavors/mine.yaml": (
        YAML,
        ["build --flavor mine --flavors flavors --out out", "sync --check fork --flavors flavors"],
    ),
    "templates/hosts/claude-code.yaml": (YAML, ["build --flavor omc --templates templates --out out"]),
    "templates/hosts/mine.yaml": (YAML, ["build --flavor omc --templates templates --out out"]),
    "templates/cancel/skill.yaml": (YAML, ["build --flavor omc --templates templates --out out"]),
    "templates/cancel/modules.yaml": (YAML, ["build --flavor omc --templates templates --out out"]),
    "forks.yaml": (YAML, ["sync --check --format github forks.yaml", "report forks.yaml --out r.html"]),
    "fork/skillgen.lock": (YAML, ["sync fork --flavors flavors", "report fork --flavors flavors --out r.html"]),
    "fork/skills/cancel/contract.json": (
        JSON,
        ["audit fork", "sync --propose fork --flavors flavors", "report fork --flavors flavors --out r.html"],
    ),
    "packs/mine/SHA256SUMS": (JSON, ["verify packs/mine/cancel.skill"]),
    "packs/mine/provenance.json": (JSON, ["verify packs/mine/cancel.skill"]),
    "packs/mine/sbom.spdx.json": (JSON, ["verify packs/mine/cancel.skill"]),
    "fork/skillgen-published.json": (JSON, ["verify fork"]),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_hostile_file_ends_in_an_exit_code_and_changes_nothing_outside(
    world: Path, place: str, skillgen: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    bytes_of, commands = PLACES[place]
    outside, here = world.parent / "outside", world.parent / "here"
    before = listed(outside)
    for name in (*bytes_of, *KINDS):
        for command in commands:
            shutil.rmtree(here, ignore_errors=True)
            shutil.copytree(world, here)
            monkeypatch.chdir(here)
            put(here / place, name, bytes_of, outside)
            with ended_by(SECONDS):
                ran = skillgen(*command.split())
            said = ran.out + ran.err
            what = f"{name} as {place}: {command}: {said[:2000]}"
            assert ran.code in (0, 1, 2), what
            assert ran.code != 2 or ran.err.strip(), what
            assert "Traceback" not in ran.err and "TOPSECRET" not in said, what
            assert not {"\x1b", "\x07", "\u202e", "\0"} & set(said), what
            assert not any(line.startswith("::error::x") for line in said.splitlines()), what
            assert all(len(line) < 2000 for line in ran.err.splitlines()), what
            assert listed(outside) == before and not (here / "pwned").exists(), what
    monkeypatch.chdir(world.parent)
