"""A host costs one YAML and its templates, in a user's own directory: every command that is told of it knows it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HOST = """\
name: Acme Code
agent: Acme
names: {word: acme, called: [Acme Code]}
home: .acme
session: {variables: [ACME_SESSION_ID], never: [ACME_SESSION]}
plugin_root: ACME_PLUGIN_ROOT
command: /{plugin}:{skill}
tools: mcp__plugin_{plugin}_{server}__{tool}
scripts: true
manifest:
  kind: plugin
  path: .acme-plugin/plugin.json
  reserved: [acme-]
  keys: {name: text, version: text, description: text, author: person, homepage: text, license: text, keywords: texts}
catalogue: {kind: owned, places: [.acme-plugin/marketplace.json]}
"""
README = """\
{% extends "hosts/README.md.j2" %}

{% block install %}
{{ ["acme plugin install " ~ plugin.name] | fence("bash") }}
{% endblock %}
"""
FLAVOR = "base: rcs\nhost: {id: acme-code}\nteam: {kind: none}\nmodes: {team: null}\n"
COPY = """\
---
name: cancel
description: Cancel any active Gull mode (dive, glide). Use when the user asks to stop one.
---
# Cancel

`/gull:cancel` ends the active Gull mode. Records are `.gull/state/sessions/<session_id>/<mode>-state.json`, and the
session is `$ACME_SESSION_ID`. Without a session id refuse.

1. Glide: `state_clear(mode="glide", session_id="<session_id>")`. Say "Glide cancelled."
2. Dive: `state_clear(mode="dive", session_id="<session_id>")`. Say "Dive cancelled."
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A user's own directory: the host's file, its manifest and README, and a flavor for it."""
    shipped = Path(__file__).parents[2] / "templates/hosts/droid/.factory-plugin/plugin.json.j2"
    drawn = tmp_path / "templates/hosts/acme-code"
    (drawn / ".acme-plugin").mkdir(parents=True)
    (tmp_path / "templates/hosts/acme-code.yaml").write_text(HOST)
    shutil.copy(shipped, drawn / ".acme-plugin/plugin.json.j2")
    (drawn / "README.md.j2").write_text(README)
    (tmp_path / "flavors").mkdir()
    (tmp_path / "flavors/acme.yaml").write_text(FLAVOR)
    return tmp_path


@pytest.fixture
def run(skillgen: Callable[..., Any], own: Path) -> Callable[..., Any]:
    """Give a function that runs a command which is told of the host and has to succeed."""

    def call(*arguments: object, code: int = 0) -> Any:
        done = skillgen(*arguments, "--templates", own / "templates")
        assert done.code == code, (done.out, done.err)
        return done

    return call


@pytest.fixture
def bundle(run: Callable[..., Any], own: Path) -> Path:
    run("build", "--flavor", "acme", "--flavors", own / "flavors", "--out", own / "dist")
    return own / "dist/acme"


def test_the_schema_offers_it(run: Callable[..., Any], skillgen: Callable[..., Any]) -> None:
    assert "acme-code" in json.loads(run("schema").out)["$defs"]["Host"]["properties"]["id"]["enum"]
    assert "acme-code" not in skillgen("schema").out, "what one command was told another knows"


def test_its_bundle_is_built_current_and_knows_the_session_by_the_hosts_variable(
    run: Callable[..., Any], own: Path, bundle: Path
) -> None:
    run("build", "--check", "--flavor", "acme", "--flavors", own / "flavors", "--out", own / "dist")
    contract = json.loads((bundle / "skills/cancel/contract.json").read_text())
    assert contract["identity"]["variables"] == ["RCS_SESSION_ID", "SESSION_ID", "ACME_SESSION_ID"]
    told = run("explain", "acme", "identity.variables", "--flavors", own / "flavors")
    assert "hosts/acme-code.yaml:5" in told.out, told.out


def test_the_audit_holds_a_bundle_against_it(run: Callable[..., Any], bundle: Path) -> None:
    run("audit", bundle)
    text = bundle / "skills/cancel/SKILL.md"
    text.write_text(text.read_text() + "\nIn Claude Code look at `$ACME_SESSION`.\n")
    manifest = bundle / ".acme-plugin/plugin.json"
    manifest.write_text(manifest.read_text().replace('"keywords"', '"keyword"'))
    found = run("audit", bundle, code=1).out
    assert "SG603: Claude Code in a text for Acme Code" in found
    assert "SG406: Acme Code does not know the key 'keyword'" in found


def test_a_remembered_report_is_not_taken_for_one_that_knows_the_host(
    run: Callable[..., Any], skillgen: Callable[..., Any], bundle: Path
) -> None:
    manifest = bundle / ".acme-plugin/plugin.json"
    manifest.write_text(manifest.read_text().replace('"keywords"', '"keyword"'))
    assert "Acme Code does not know" not in skillgen("audit", bundle).out
    assert "Acme Code does not know" in run("audit", bundle, code=1).out
    assert "Acme Code does not know" not in skillgen("audit", bundle).out


def test_it_is_packed_verified_and_listed_in_the_hosts_marketplace(
    run: Callable[..., Any], own: Path, bundle: Path
) -> None:
    flavor = ("--flavor", "acme", "--flavors", own / "flavors")
    run("pack", *flavor, "--dist", own / "dist", "--out", own / "packed")
    archive = next((own / "packed/acme").glob("*.zip"))
    run("verify", archive)
    run("marketplace", own)
    listed = json.loads((own / ".acme-plugin/marketplace.json").read_text())
    assert [entry["source"] for entry in listed["plugins"]] == ["./dist/acme"]
    run("marketplace", own, "--check")


def test_it_is_published_for_the_host(run: Callable[..., Any], own: Path, bundle: Path) -> None:
    import subprocess

    market = own / "market"
    subprocess.run(["git", "init", "-q", str(market)], check=True)
    for key, value in (("user.name", "t"), ("user.email", "t@example.org")):
        subprocess.run(["git", "-C", str(market), "config", key, value], check=True)
    run("publish", "--to", market, "--flavor", "acme", "--flavors", own / "flavors", "--version", "0.2.0")
    assert json.loads((market / ".acme-plugin/marketplace.json").read_text())["plugins"]


def test_adopt_takes_the_host_whose_manifest_lies_there(run: Callable[..., Any], own: Path) -> None:
    plugin = own / "gull"
    (plugin / "skills/cancel").mkdir(parents=True)
    (plugin / ".acme-plugin").mkdir()
    (plugin / ".acme-plugin/plugin.json").write_text('{"name": "gull", "version": "1.0.0", "license": "MIT"}\n')
    (plugin / "skills/cancel/SKILL.md").write_text(COPY)
    run("adopt", plugin, "--safest", "--yes", "--uncommitted")
    flavor = (plugin / "flavors/gull.yaml").read_text()
    assert "acme-code" in flavor, flavor
    assert "CLAUDE" not in flavor
    run("sync", "--check", plugin, "--flavors", plugin / "flavors")


def test_facts_are_read_with_it_in_mind(run: Callable[..., Any], own: Path, bundle: Path) -> None:
    assert "ACME_SESSION_ID" in run("facts", bundle / "skills/cancel/SKILL.md").out


@pytest.mark.parametrize("command", [["audit", "x"], ["schema"], ["facts", "x"], ["marketplace", "."]])
def test_a_mistake_in_its_file_is_told_at_its_line_by_every_command(
    skillgen: Callable[..., Any], own: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own)
    (own / "x").mkdir()
    (own / "x/SKILL.md").write_text(COPY)
    (own / "templates/hosts/acme-code.yaml").write_text(HOST.replace("home:", "hom:"))
    done = skillgen(*command, "--templates", own / "templates")
    assert done.code == 2
    assert "hosts/acme-code.yaml:4:1: unknown key `hom`" in done.err
