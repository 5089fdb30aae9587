"""Bundles that need a file system to go wrong, and the doors at which a wrong bundle is stopped."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pack_toys import put, toy_files

from skillgen.audit.engine import audit, choose
from skillgen.audit.rules import all_rules
from skillgen.build.bundles import refuse_broken
from skillgen.errors import InputError
from skillgen.load.subjects import load_subjects


def findings(bundle: Path) -> list[tuple[str, str]]:
    subjects, problems = load_subjects([str(bundle)])
    assert not problems
    reports = audit(subjects, choose(all_rules(), ["SG4"]))
    return [(f.code, f.path.removeprefix(f"{bundle}/")) for report in reports for f in report.findings]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    files = toy_files()
    files["README.md"] = (b"word " * 40, 0o644)
    return put(tmp_path / "bundle", files)


def test_a_good_bundle_has_no_finding(bundle: Path) -> None:
    assert findings(bundle) == []


def test_a_link_out_of_the_bundle_is_found_and_not_read(bundle: Path) -> None:
    (bundle / "skills/cancel/secrets.md").symlink_to("/etc/hostname")
    assert findings(bundle) == [("SG411", "skills/cancel/secrets.md")]


def test_a_link_inside_the_bundle_is_found(bundle: Path) -> None:
    (bundle / "AGENTS.md").symlink_to("README.md")
    assert findings(bundle) == [("SG411", "AGENTS.md")]


@pytest.mark.parametrize("name", ["pipe", "skills/cancel/scripts/pipe.sh", "skills/cancel/pipe.md"])
def test_a_pipe_is_found_and_not_opened(bundle: Path, name: str) -> None:
    os.mkfifo(bundle / name)
    assert findings(bundle) == [("SG411", name)]


def test_a_text_that_is_executable_is_found(bundle: Path) -> None:
    (bundle / "README.md").chmod(0o755)
    assert findings(bundle) == [("SG410", "README.md")]


def test_a_script_that_lost_its_bit_is_found(bundle: Path) -> None:
    (bundle / "skills/cancel/scripts/cancel.py").chmod(0o644)
    assert findings(bundle) == [("SG410", "skills/cancel/scripts/cancel.py")]


def test_more_files_than_an_upload_takes_are_found(bundle: Path) -> None:
    put(bundle, {f"skills/cancel/references/{number}.txt": (b"", 0o644) for number in range(197)})
    assert findings(bundle) == []
    put(bundle, {"skills/cancel/references/one-more.txt": (b"", 0o644)})
    assert findings(bundle) == [("SG412", "skills/cancel/SKILL.md")]


def test_a_skill_over_30_mib_is_found(bundle: Path) -> None:
    with (bundle / "skills/cancel/big.bin").open("wb") as stream:
        stream.truncate(31 << 20)
    assert findings(bundle) == [("SG412", "skills/cancel/SKILL.md")]


@pytest.mark.parametrize(
    ("path", "data", "code"),
    [
        (".claude-plugin/plugin.json", b"{", "SG401"),
        (".claude-plugin/plugin.json", json.dumps({"name": "claude-x", "version": "1.0.0"}).encode(), "SG403"),
        (".claude-plugin/plugin.json", json.dumps({"name": "x", "version": "1"}).encode(), "SG404"),
        ("skills/cancel/SKILL.md", b"no front matter\n", "SG101"),
        ("skills/cancel/x.zip", b"PK", "SG412"),
    ],
)
def test_what_no_client_could_load_is_not_packed(path: str, data: bytes, code: str) -> None:
    files = toy_files()
    refuse_broken(files, "toy")
    with pytest.raises(InputError, match=code):
        refuse_broken(files | {path: (data, 0o644)}, "toy")


def test_a_repository_that_lists_bundles_is_held_against_them(bundle: Path, tmp_path: Path) -> None:
    market = tmp_path / ".claude-plugin" / "marketplace.json"
    market.parent.mkdir()
    entries = [{"name": "toy-plugin", "source": "./bundle"}, {"name": "gone", "source": "./gone"}]
    market.write_text(json.dumps({"name": "m", "owner": {"name": "o"}, "plugins": entries}))
    assert findings(tmp_path) == [("SG409", ".claude-plugin/marketplace.json")]
    market.write_text(json.dumps({"name": "m", "owner": {"name": "o"}, "plugins": entries[:1]}))
    assert findings(tmp_path) == []
    market.write_text("{")
    assert findings(tmp_path) == [("SG409", ".claude-plugin/marketplace.json")]
