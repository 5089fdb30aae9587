"""Waive findings inline, with a reason."""

from __future__ import annotations

from pathlib import Path

from rule_cases import audit_path

FRONT = "---\nname: x\ndescription: Stops a mode. Use when asked.\n---\n\n"


def codes(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "x" / "SKILL.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(FRONT + body, encoding="utf-8")
    return [finding.code for finding in audit_path(path).findings]


def test_a_comment_with_a_reason_waives_the_next_line(tmp_path: Path) -> None:
    body = "<!-- skillgen: allow SG702 - generated with the source -->\n\nSee `a.ts:12`.\n\nSee `b.ts:13`.\n"
    assert codes(tmp_path, body) == ["SG702"]


def test_a_shell_comment_waives_on_its_own_line(tmp_path: Path) -> None:
    assert codes(tmp_path, "```bash\nexit 1  # skillgen: allow SG212 - run as a file\n```\n") == []


def test_a_waiver_for_the_whole_file_and_for_a_range_of_rules(tmp_path: Path) -> None:
    body = "<!-- skillgen: allow-file SG7 - kept as the upstream has it -->\n\nSee `a.ts:12`.\n\nSee `b.ts:13`.\n"
    assert codes(tmp_path, body) == []


def test_several_codes_in_one_waiver(tmp_path: Path) -> None:
    body = "```bash\n# skillgen: allow SG212, SG214 - an example of both\ncat $f || exit 1\n```\n"
    assert codes(tmp_path, body) == []


def test_a_waiver_without_a_reason_waives_nothing(tmp_path: Path) -> None:
    body = "<!-- skillgen: allow SG702 -->\nSee `a.ts:12`.\n"
    assert sorted(codes(tmp_path, body)) == ["SG702", "SG901"]


def test_a_waiver_that_covers_nothing_is_noted(tmp_path: Path) -> None:
    assert codes(tmp_path, "<!-- skillgen: allow SG702 - no longer needed -->\nText.\n") == ["SG902"]
