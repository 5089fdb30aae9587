"""Hold every rule against its cases and its documentation."""

from __future__ import annotations

from pathlib import Path

import pytest
from rule_cases import CASES, Case, cases, run_case

from skillgen.audit.rules import all_rules
from skillgen.load.shells import find_shellcheck

ALL = list(cases())


@pytest.mark.parametrize("case", ALL, ids=[f"{case.code}: {case.name}" for case in ALL])
def test_a_rule_finds_the_lines_of_its_case_and_no_others(case: Case, tmp_path: Path) -> None:
    if case.data.get("needs") == "shellcheck" and not find_shellcheck():
        pytest.skip("shellcheck is not installed")
    found, above = run_case(case, tmp_path)
    assert [finding.line - above for finding in found] == list(case.lines), [f.message for f in found]
    for finding in found:
        assert finding.repair
        if "severity" in case.data:
            assert finding.severity == case.data["severity"]
        if "message" in case.data:
            assert case.data["message"] in finding.message


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.CODE)
def test_a_rule_documents_itself(rule) -> None:  # type: ignore[no-untyped-def]
    text = rule.__doc__ or ""
    for part in ("What it checks:", "Why it matters:", "How to fix it:"):
        assert part in text
    assert rule.__name__.rpartition(".")[2].startswith(rule.CODE.lower() + "_")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.CODE)
def test_a_rule_has_a_case_that_breaks_it_and_one_that_does_not(rule) -> None:  # type: ignore[no-untyped-def]
    own = [case for case in ALL if case.code == rule.CODE]
    assert any(case.lines for case in own), f"write {CASES.name}/{rule.CODE}.yaml"
    assert any(not case.lines for case in own)


def test_codes_are_unique_and_in_order() -> None:
    codes = [rule.CODE for rule in all_rules()]
    assert codes == sorted(set(codes))
