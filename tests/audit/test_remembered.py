"""A second audit over unchanged files takes the first one's word, and never a word that no longer holds or is not its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillgen.cli.main import cli

TEXT = (
    "---\nname: cancel\ndescription: Cancel any active Zed mode (ralph, team). Use when asked.\n---\n# Cancel\n\n"
    '`state_clear(mode="ralph", session_id="s")` ends ralph; see `scripts/none.py`.\n\n```bash\nrm -rf ~/.claude/teams\n```\n'
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "skillgen"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    path = tmp_path / "repository" / "cancel" / "SKILL.md"
    path.parent.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    path.write_text(TEXT)
    return path


def audit(path: Path, *options: str) -> str:
    result = CliRunner().invoke(cli, ["audit", str(path), "--no-shellcheck", *options], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.output


def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by the number of subjects of each audit that is really done."""
    import skillgen.audit.engine as engine

    counts: list[int] = []
    real: Callable[..., object] = engine.audit

    def counted(subjects, *rest):  # type: ignore[no-untyped-def]
        counts.append(len(subjects))
        return real(subjects, *rest)

    monkeypatch.setattr(engine, "audit", counted)
    return counts


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_what_is_remembered_is_said_in_the_same_words(
    cache: Path, skill: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    counts = judged(monkeypatch)
    first = audit(skill, "--format", form)
    assert "SG305" in first and audit(skill, "--format", form) == first
    assert counts == [1]


@pytest.mark.parametrize(
    "change",
    [
        lambda skill: skill.write_text(TEXT.replace("rm -rf", "ls")),
        lambda skill: (skill.parent / "references").mkdir() or (skill.parent / "references/a.md").write_text("# A\n"),
        lambda skill: skill.chmod(0o755),
        lambda skill: (skill.parents[1] / "scripts").mkdir() or (skill.parents[1] / "scripts/none.py").write_text(""),
        lambda skill: (skill.parents[1] / ".git").rmdir(),
    ],
    ids=["another text", "another file", "another mode", "a file around it", "no repository around it"],
)
def test_a_change_of_what_decides_is_seen(
    cache: Path, skill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    audit(skill)
    change(skill)
    second = audit(skill, "--format", "json")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    assert second == audit(skill, "--format", "json")


def test_other_rules_have_reports_of_their_own(cache: Path, skill: Path) -> None:
    assert "SG305" in audit(skill)
    assert "SG305" not in audit(skill, "--ignore", "SG3")
    assert "SG305" in audit(skill)


def poison(cache: Path, skill: Path) -> Path:
    audit(skill)
    (kept,) = cache.glob("audits-*")
    data = json.loads(kept.read_text())
    for report in data.values():
        report["findings"] = []
    kept.write_text(json.dumps(data))
    assert "SG305" not in audit(skill)  # that it would be believed is what makes the next tests ones
    return kept


@pytest.mark.parametrize("mode", [0o606, 0o660])
def test_what_others_could_write_is_not_believed(cache: Path, skill: Path, mode: int) -> None:
    poison(cache, skill).chmod(mode)
    assert "SG305" in audit(skill)


def test_a_directory_that_others_could_write_is_not_believed(cache: Path, skill: Path) -> None:
    poison(cache, skill)
    cache.chmod(0o703)
    assert "SG305" in audit(skill)


def test_another_version_does_not_believe_it(cache: Path, skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    poison(cache, skill)
    monkeypatch.setattr("skillgen.cli.audited.__version__", "9.9.9")
    assert "SG305" in audit(skill)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"x": 1}', b"\xff"])
def test_a_broken_cache_changes_nothing(cache: Path, skill: Path, data: bytes) -> None:
    first = audit(skill)
    (kept,) = cache.glob("audits-*")
    kept.write_bytes(data)
    assert audit(skill) == first
    whole = {key: {"asked": 3} for key in json.loads(kept.read_text())}
    kept.write_text(json.dumps(whole))
    assert audit(skill) == first


def test_an_answer_that_a_shell_did_not_give_is_not_remembered(
    cache: Path, skill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillgen.load.shells._SECONDS", -5.0)
    audit(skill)
    assert not list(cache.glob("audits-*"))


def test_a_fix_looks_for_itself(cache: Path, skill: Path) -> None:
    poison(cache, skill)
    skill.write_text(TEXT.replace("rm -rf ~/.claude/teams", "while read x; do echo; done"))
    audit(skill)
    audit(skill, "--fix")
    assert "read -r x" in skill.read_text()


def test_other_bytes_of_the_same_number_in_a_script_are_seen(cache: Path, skill: Path) -> None:
    script = skill.parent / "scripts" / "a.sh"
    script.parent.mkdir()
    script.write_bytes(b"#!/bin/sh\necho aa\n")
    assert "SG418" not in audit(skill)
    script.write_bytes(b"#!/bin/sh\necho a\r\n")
    assert "SG418" in audit(skill)
