"""What audit says of a manifest or marketplace is what the real clients do with it: none refused by them passes, no sound one is refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mutated import Case, cases, failing, write_marketplace, write_plugin
from real import Home, client
from test_codex import skills

PLUGINS = list(cases("plugin"))
MARKETPLACES = list(cases("marketplace"))
NAMES = {"argnames": "case", "ids": lambda case: case.name}


def disagrees(case: Case, client: str, found: list[Any]) -> str:
    """Return how the audit's verdict differs from a client's, "" where it does not."""
    label = case.label(client)
    if label == "broken" and not found:
        return f"{client} refuses it or loads nothing, and audit finds nothing"
    if label == "sound" and found and not case.stricter:
        return f"{client} takes it, and audit finds {[finding.message for finding in found]}"
    if case.stricter and not found:
        return f"audit was meant to be stricter ({case.stricter}) and finds nothing"
    return ""


def test_the_tables_are_as_large_as_promised() -> None:
    assert len(PLUGINS) >= 170 and len(MARKETPLACES) >= 120
    for table in (PLUGINS, MARKETPLACES):
        labels = [case.label("claude") for case in table]
        assert len({case.name for case in table}) == len(table)
        assert labels.count("broken") >= 20 and labels.count("sound") >= 15


@pytest.mark.parametrize(**NAMES, argvalues=PLUGINS)
def test_audit_judges_a_manifest_as_claude_code_does(case: Case, tmp_path: Path) -> None:
    write_plugin(tmp_path / "toy", case, "claude")
    assert disagrees(case, "claude", failing(tmp_path / "toy")) == ""


@pytest.mark.parametrize(**NAMES, argvalues=[case for case in PLUGINS if case.label("codex") == "broken"])
def test_audit_passes_nothing_that_codex_refuses(case: Case, tmp_path: Path) -> None:
    write_plugin(tmp_path / "toy", case, "codex")
    assert disagrees(case, "codex", failing(tmp_path / "toy")) == ""


@pytest.mark.parametrize(**NAMES, argvalues=MARKETPLACES)
def test_audit_judges_a_marketplace_as_claude_code_does(case: Case, tmp_path: Path) -> None:
    write_marketplace(tmp_path / "market", case)
    assert disagrees(case, "claude", failing(tmp_path / "market")) == ""


def claude_says(home: Home, root: Path) -> tuple[str, dict[str, Any]]:
    """Return Claude Code's own verdict on a manifest or marketplace, and its report."""
    report = home.run(client("claude"), "plugin", "validate", "--json", root).json()
    parts = [report["manifest"], *report["contents"]]
    if not report["success"] or any(part["errors"] for part in parts):
        return "broken", report
    return ("odd" if any(part["warnings"] for part in parts) else "sound"), report


@pytest.mark.client
@pytest.mark.slow
def test_claude_code_judges_every_manifest_as_the_table_says(home: Home, tmp_path: Path) -> None:
    wrong = {}
    for case in PLUGINS:
        root = tmp_path / "toy"
        shutil.rmtree(root, ignore_errors=True)
        write_plugin(root, case, "claude")
        said, report = claude_says(home, root)
        if said != "broken" and not any(name.endswith(":cancel") for name in report["provides"]["skills"]):
            said = "broken"
        if said != case.label("claude"):
            wrong[case.name] = said
    assert wrong == {}


@pytest.mark.client
@pytest.mark.slow
def test_claude_code_judges_every_marketplace_as_the_table_says(home: Home, tmp_path: Path) -> None:
    wrong = {}
    for case in MARKETPLACES:
        root = tmp_path / "market"
        shutil.rmtree(root, ignore_errors=True)
        document = write_marketplace(root, case)
        said, _ = claude_says(home, root)
        if said != "broken" and not _is_loaded(home, root, document):
            said = "broken"
        if said != case.label("claude"):
            wrong[case.name] = said
    assert wrong == {}


def _is_loaded(home: Home, root: Path, document: dict[str, Any]) -> bool:
    """Whether the listed plugin can be installed from there and gives its skill; one from elsewhere is not fetched."""
    if not document["plugins"] or not isinstance(document["plugins"][0]["source"], str):
        return True
    shutil.rmtree(home.path)
    home.path.mkdir()
    claude = client("claude")
    plugin = f"{document['plugins'][0]['name']}@{document['name']}"
    if home.run(claude, "plugin", "marketplace", "add", root).code:
        return False
    if home.run(claude, "plugin", "install", "--json", plugin).code:
        return False
    (ours,) = [entry for entry in home.run(claude, "plugin", "list", "--json").json() if entry["id"] == plugin]
    return not ours.get("errors") and "Skills (1)  cancel" in home.run(claude, "plugin", "details", plugin).out


@pytest.mark.client
@pytest.mark.slow
def test_codex_judges_every_manifest_as_the_table_says(home: Home, tmp_path: Path) -> None:
    wrong = {}
    for case, said in _codex_says(home, tmp_path):
        if said != case.label("codex"):
            wrong[case.name] = said
    assert wrong == {}


def _codex_says(home: Home, tmp_path: Path) -> Iterator[tuple[Case, str]]:
    """Install every plugin from one marketplace, each under its own name, and see whose skill is loaded."""
    import json

    codex, root, entries, names = client("codex"), tmp_path / "market", [], {}
    for number, case in enumerate(PLUGINS):
        manifest = write_plugin(root / f"p{number}", case, "codex", f"p{number}")
        given = manifest.get("name")
        names[case.name] = given if isinstance(given, str) and given else f"p{number}"
        source = {"source": "local", "path": f"./p{number}"}
        policy = {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}
        entries.append({"name": names[case.name], "source": source, "policy": policy, "category": "Productivity"})
    (root / ".agents/plugins").mkdir(parents=True)
    document = {"name": "market", "interface": {"displayName": "market"}, "plugins": entries}
    (root / ".agents/plugins/marketplace.json").write_text(json.dumps(document))
    assert home.run(codex, "plugin", "marketplace", "add", root, "--json").code == 0
    refused = {
        case.name for case in PLUGINS if home.run(codex, "plugin", "add", f"{names[case.name]}@market", "--json").code
    }
    loaded = {skill["pluginId"] for skill in skills(home)["skills"] if skill.get("pluginId")}
    for case in PLUGINS:
        there = case.name not in refused and f"{names[case.name]}@market" in loaded
        yield case, "sound" if there else "broken"
