"""Make small bundles and marketplaces with one thing changed, as mutations/*.yaml lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from skillgen.audit.engine import audit, choose
from skillgen.audit.rules import all_rules
from skillgen.load.subjects import load_subjects
from skillgen.model.finding import Finding, Severity

HERE = Path(__file__).parent / "mutations"
MANIFESTS = {"claude": ".claude-plugin/plugin.json", "codex": ".codex-plugin/plugin.json"}
MANIFEST = {
    "name": "toy",
    "version": "1.0.0",
    "description": "Cancels the active toy mode.",
    "author": {"name": "Somebody"},
    "license": "MIT",
    "keywords": ["cancel"],
}
SKILL = "---\nname: cancel\ndescription: Cancels the active toy mode. Use when a toy must stop.\n---\n\n# Cancel\n\nStop it.\n"
README = (
    "# Toy\n\n" + "A plugin that cancels the active mode of a toy, and says in enough words what it does. " * 4 + "\n"
)


@dataclass(frozen=True)
class Case:
    name: str
    data: Mapping[str, Any]
    """`claude` and `codex`: `sound`, `odd` (taken with a warning) or `broken` (refused, or nothing of it is loaded)."""

    def label(self, client: str) -> str:
        return str(self.data.get(client, "sound"))

    @property
    def stricter(self) -> str:
        return str(self.data.get("stricter", ""))


def cases(which: str) -> Iterator[Case]:
    for data in YAML(typ="safe").load(HERE / f"{which}.yaml"):
        yield Case(data["name"], data)


def write_plugin(root: Path, case: Case, client: str, name: str = "toy") -> dict[str, Any]:
    """Write the bundle below `root`; return its manifest as data, or {} where it is none."""
    data = {**MANIFEST, "name": name, **case.data.get("set", {})}
    for key in case.data.get("drop", ()):
        del data[key]
    _write(root / MANIFESTS[client], case.data.get("text", json.dumps(data, indent=2)).replace("@NAME@", name))
    _write(root / "skills/cancel/SKILL.md", SKILL)
    _write(root / "README.md", README)
    _put(root, case.data.get("files", {}))
    return {} if "text" in case.data else data


def write_marketplace(root: Path, case: Case) -> dict[str, Any]:
    """Write a marketplace with one plugin below `root`; return its file as data, or {} where it is none."""
    write_plugin(root / "toys/toy", Case("", {}), "claude")
    entry: dict[str, Any] = {"name": "toy", "source": "./toys/toy", "description": "Cancels toys."}
    entry |= case.data.get("entry", {})
    for key in case.data.get("drop_entry", ()):
        del entry[key]
    document: dict[str, Any] = {
        "name": "market",
        "owner": {"name": "Somebody"},
        "metadata": {"description": "Toys."},
        "plugins": [entry, dict(entry)] if case.data.get("twice") else [entry],
    }
    document |= case.data.get("root", {})
    for key in case.data.get("drop", ()):
        del document[key]
    _write(root / ".claude-plugin/marketplace.json", case.data.get("text", json.dumps(document, indent=2)))
    _put(root, case.data.get("files", {}))
    return {} if "text" in case.data else document


def _put(root: Path, files: Mapping[str, str | None]) -> None:
    for path, text in files.items():
        if text is None:
            (root / path).unlink()
        else:
            _write(root / path, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def failing(root: Path) -> list[Finding]:
    """Return what an audit's rules on manifests and bundles find at error or warning level."""
    subjects, problems = load_subjects([str(root)])
    assert not problems, problems
    found = [finding for report in audit(subjects, choose(all_rules(), ["SG4"])) for finding in report.findings]
    return [finding for finding in found if finding.severity is not Severity.NOTE]
