"""`docs/json.md` documents exactly what each command prints as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillgen.cli.conform import _print_json
from skillgen.conform.run import Conformance
from skillgen.conform.verdict import Verdict

Run = Callable[..., Any]
REFERENCE = Path(__file__).parents[2] / "docs/json.md"
TYPES = {"text": str, "number": int, "boolean": bool, "null": type(None)}

SKILL = """\
---
name: cancel
description: Cancel any active Loom mode (autopilot, ralph). Use when asked to cancel.
---

# Cancel Loom

Start with `/loom:cancel`. Records are `.loom/state/sessions/<session_id>/<mode>-state.json`.

1. Autopilot: set `active` to false or remove its record.
2. Ralph: `state_clear(mode="ralph", session_id="<session_id>")`
"""


def documented(section: str) -> dict[str, str]:
    text = REFERENCE.read_text(encoding="utf-8")
    (body,) = re.findall(rf"(?ms)^## {re.escape(section)}$(.*?)(?=^## |\Z)", text)
    return dict(re.findall(r"(?m)^\| `([^`]+)` \| ([^|]+?) \| .+ \|$", body))


def leaves(value: Any, known: dict[str, str], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value that the reference has to know, with its path; what is documented as `any` is one."""
    if known.get(path) == "any":
        yield path, value
    elif isinstance(value, dict):
        for key, child in value.items():
            named = f"{path}.{key}" if path else key
            starred = f"{path}.*" if path else "*"
            below = starred if any(f"{one}.".startswith((f"{starred}.", f"{starred}[")) for one in known) else named
            yield from leaves(child, known, below)
    elif isinstance(value, list):
        for child in value:
            yield from leaves(child, known, f"{path}[]")
    else:
        yield path, value


def hold(section: str, *printed: Any, rare: tuple[str, ...] = ()) -> None:
    known = documented(section)
    seen = set()
    for one in printed:
        for path, value in leaves(one, known):
            assert path in known, f"{section}: {path} is printed and not documented"
            seen.add(path)
            if known[path] != "any":
                types = tuple(TYPES[name] for name in known[path].split(" or "))
                assert isinstance(value, types), (section, path, value)
                assert not (isinstance(value, bool) and bool not in types), (section, path)
    assert set(known) - seen == set(rare), f"{section}: documented and not printed"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "cancel").mkdir()
    (tmp_path / "cancel/SKILL.md").write_text(SKILL)
    return tmp_path / "cancel/SKILL.md"


def test_build(skillgen: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = skillgen("build", "omc", "--out", out, "--json")
    (out / "omc/skills/cancel/SKILL.md").write_text("x")
    (out / "omc/skills/cancel/contract.json").unlink()
    again = skillgen("build", "omc", "--out", out, "--check", "--json")
    hold("skillgen build --json", json.loads(first.out), json.loads(again.out), rare=("bundles[].removed[]",))


def test_build_into(skillgen: Run, tmp_path: Path) -> None:
    fork = tmp_path / "fork"
    first = skillgen("build", "omc", "--into", fork, "--json")
    (fork / "skills/cancel/SKILL.md").write_text("x")
    again = skillgen("build", "omc", "--into", fork, "--check", "--json")
    hold(
        "skillgen build --into DIR --json",
        json.loads(first.out),
        json.loads(again.out),
        rare=("removed[]", "foreign[]"),
    )


@pytest.mark.parametrize(
    ("section", "arguments"),
    [
        ("skillgen flavors --json", ["flavors", "--json"]),
        ("skillgen explain FLAVOR KEY --json", ["explain", "omc", "modes.ralph", "--json"]),
        ("skillgen diff A B --json", ["diff", "omc", "pep", "--json"]),
        ("skillgen rules --json", ["rules", "--json"]),
    ],
)
def test_what_is_known_of_flavors_and_rules(skillgen: Run, section: str, arguments: list[str]) -> None:
    hold(section, json.loads(skillgen(*arguments).out))


def test_a_text(skillgen: Run, copy: Path) -> None:
    copy.write_text(SKILL + "\n```bash\npkill -f loom\n```\n")
    hold("skillgen audit --format json", json.loads(skillgen("audit", copy, "--format", "json").out))
    hold("skillgen facts --json", json.loads(skillgen("facts", copy, "--json").out))


def test_sync(skillgen: Run, tmp_path: Path) -> None:
    fork = tmp_path / "forks/one"
    skillgen("build", "omc", "--into", fork)
    main = fork / "skills/cancel/SKILL.md"
    main.write_text(main.read_text() + "\n## House rule\n\nTell the omc people before.\n")
    (fork / "skills/cancel/contract.json").unlink()
    (tmp_path / "forks/two").mkdir()
    (tmp_path / "forks/two/skillgen.lock").write_text("nonsense\n")
    runs = [
        json.loads(skillgen("sync", option, "--json", tmp_path / "forks").out)
        for option in ("--check", "--propose", "--dry-run", "-q")
    ]
    hold("skillgen sync --json", *runs, rare=("forks[].removed[]",))


def test_watch(skillgen: Run, copy: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer.md"
    newer.write_text(SKILL.replace("1. Autopilot: set", "1. Ultrawork: set"))
    found = json.loads(skillgen("watch", copy, newer, "--format", "json").out)
    hold("skillgen watch --format json", found, rare=("packages[]", "values[]", "questions[]", "patch[]", "notes[]"))


def test_pack_and_verify(skillgen: Run, tmp_path: Path) -> None:
    packed = skillgen("pack", "--flavor", "omc", "--out", tmp_path, "--json")
    hold("skillgen pack --json", json.loads(packed.out), rare=("releases[].removed[]",))
    assert skillgen("pack", "--flavor", "omc", "--out", tmp_path, "--format", "tree").code == 0
    (tree,) = [path.parent for path in tmp_path.rglob("plugin.json") if path.parent.name == ".claude-plugin"]
    (tree.parent / "skills/cancel/SKILL.md").write_text("x")
    done = skillgen("verify", tree.parent, "--json")
    hold("skillgen verify --json", json.loads(done.out))


def test_conform(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = Verdict("one-mode", "ralph", "ends", "broken", "it is still active")
    _print_json(Conformance("omc", "x", "1.0.0", True, ("part",), ("no part",), (verdict,)))
    hold("skillgen conform --json", json.loads(capsys.readouterr().out), rare=("table.*.*",))


def test_questions(skillgen: Run, copy: Path, tmp_path: Path) -> None:
    copy.write_text(re.sub(r"(?m)^(\d\. \w+):.*$", r"\1", SKILL))
    skillgen("adopt", copy, "-o", tmp_path / "loom.yaml", "--questions", tmp_path / "questions.json")
    found = json.loads((tmp_path / "questions.json").read_text())
    hold("skillgen adopt --questions FILE", found, rare=("answers[]",))


def test_every_command_that_prints_json_has_its_section() -> None:
    import importlib

    from skillgen.cli.main import COMMANDS

    text = REFERENCE.read_text(encoding="utf-8")
    for name in COMMANDS:
        command = importlib.import_module(f"skillgen.cli.{COMMANDS[name][0]}").command
        options = {one for param in command.params for one in param.opts}
        choices = {one for param in command.params for one in getattr(param.type, "choices", ())}
        if "--json" in options or "json" in choices:
            assert re.search(rf"(?m)^## skillgen {name}\b", text), name
