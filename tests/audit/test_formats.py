"""Print findings for people, programs, code scanning and pull requests; grade them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skillgen.audit.grade import grade, points
from skillgen.cli.main import cli
from skillgen.model.finding import Finding, Severity

FRONT = "---\nname: x\ndescription: Stops a mode. Use when asked.\n---\n\n"
BODY = '```bash\nif [[ "$*" == *"--all"* ]]; then echo; fi\n```\n\n中文 `a.ts:12`, 100%.\n'


def run(tmp_path: Path, *options: str, body: str = BODY) -> tuple[int, str]:
    path = tmp_path / "x" / "SKILL.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(FRONT + body, encoding="utf-8")
    result = CliRunner().invoke(cli, ["audit", str(path), "--no-shellcheck", *options], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.output


def test_text_shows_the_line_a_caret_below_the_place_and_the_repair(tmp_path: Path) -> None:
    code, output = run(tmp_path)
    assert code == 1
    lines = output.split("\n")
    at = next(n for n, line in enumerate(lines) if "SG201" in line)
    assert lines[at].endswith("SKILL.md:7:7: error SG201: --all is looked for anywhere in the arguments")
    source, caret = lines[at + 1], lines[at + 2]
    marked = source[caret.index("^") : caret.rindex("^") + 1]
    assert marked == '"$*" == *"--all"*'
    assert "repair:" in lines[at + 3]


def test_the_caret_stands_below_its_word_behind_wide_characters(tmp_path: Path) -> None:
    _, output = run(tmp_path, "--select", "SG702")
    lines = output.split("\n")
    at = next(n for n, line in enumerate(lines) if "SG702" in line)
    source, caret = lines[at + 1], lines[at + 2]
    width = sum(2 if char > "\u2fff" else 1 for char in source[: source.index("a.ts")])
    assert caret.index("^") == width


def test_json_holds_grade_place_and_repair(tmp_path: Path) -> None:
    cancels = '# Cancel\n\nEnd Ralph with `state_clear(mode="ralph", session_id="s")`; `--force` does so at once.\n\n'
    _, output = run(tmp_path, "--format", "json", body=cancels + BODY)
    data: dict[str, Any] = json.loads(output)
    (subject,) = data["subjects"]
    assert data["grade"] == subject["grade"] == "C" and subject["judged"] == "cancel"
    first = next(finding for finding in subject["findings"] if finding["code"] == "SG201")
    assert (first["line"], first["column"], first["end_column"], first["severity"]) == (11, 7, 24, "error")


def test_sarif_names_rules_places_and_fingerprints(tmp_path: Path) -> None:
    _, output = run(tmp_path, "--format", "sarif")
    log = json.loads(output)
    (scan,) = log["runs"]
    assert log["version"] == "2.1.0"
    rules = scan["tool"]["driver"]["rules"]
    for result in scan["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] >= 1
        assert result["partialFingerprints"]["skillgen/v1"]
    described = next(rule for rule in rules if rule["id"] == "SG201")
    assert "Why it matters" in described["help"]["text"]


def test_a_fingerprint_survives_lines_put_above_the_finding(tmp_path: Path) -> None:
    prints = []
    for body in (BODY, "New text.\n\n" + BODY):
        _, output = run(tmp_path, "--format", "sarif", body=body)
        results = json.loads(output)["runs"][0]["results"]
        prints.append(next(r["partialFingerprints"] for r in results if r["ruleId"] == "SG201"))
    assert prints[0] == prints[1]


def test_github_commands_are_escaped(tmp_path: Path) -> None:
    _, output = run(tmp_path, "--format", "github")
    line = next(line for line in output.split("\n") if "SG201" in line)
    assert line.startswith("::error file=") and ",line=7,col=7,title=SG201::" in line
    assert "%" not in line or "%25" in line


def test_select_and_ignore_take_codes_and_beginnings(tmp_path: Path) -> None:
    assert "SG702" not in run(tmp_path, "--select", "SG2")[1]
    assert "SG201" not in run(tmp_path, "--ignore", "SG201")[1]
    assert run(tmp_path, "--ignore", "SG2,SG7")[0] == 0


def test_notes_alone_keep_grade_a_and_exit_0(tmp_path: Path) -> None:
    code, output = run(tmp_path, body="a")
    assert code == 0
    assert "no cancel skill; held against the rules for any skill (1 note)" in output


def finding(code: str, severity: Severity) -> Finding:
    return Finding("x", 1, 1, code, severity, "m")


@pytest.mark.parametrize(
    ("findings", "lost", "letter"),
    [
        ([], 0, "A"),
        ([finding("SG113", Severity.NOTE)] * 9, 0, "A"),
        ([finding("SG107", Severity.WARNING)], 4, "B"),
        ([finding("SG201", Severity.ERROR)], 10, "B"),
        ([finding("SG201", Severity.ERROR)] * 2, 11, "C"),
        ([finding("SG201", Severity.ERROR)] * 50, 15, "C"),
        ([finding(f"SG20{n}", Severity.ERROR) for n in range(3)], 30, "D"),
        ([finding(f"SG20{n}", Severity.ERROR) for n in range(6)], 60, "E"),
        ([finding(f"SG20{n}", Severity.ERROR) for n in range(9)], 90, "F"),
    ],
)
def test_the_grade_follows_the_documented_formula(findings: list[Finding], lost: int, letter: str) -> None:
    assert points(findings) == lost
    assert grade(findings) == letter


def test_rules_lists_every_rule_and_documents_one() -> None:
    listing = CliRunner().invoke(cli, ["rules"], standalone_mode=False).output
    assert "SG201" in listing and "SG711" in listing
    one = CliRunner().invoke(cli, ["rules", "sg201"], standalone_mode=False).output
    for part in ("What it checks:", "Why it matters:", "How to fix it:"):
        assert part in one


CANCEL = (
    'Cancels the active mode: `state_clear(mode="ralph", session_id="<id>")`.\n\nRun `sleep 1 && exit 1`, then:\n\n'
)


def test_errors_come_first_and_rules_are_counted_at_the_end(tmp_path: Path) -> None:
    body = CANCEL + '```bash\nwhile read s; do echo "$s"; done < f\nrm -rf .x/state/$NAME/\nexit 1\n```\n'
    output = run(tmp_path, body=body)[1]
    severities = [
        line.split(": ")[1].split()[0] for line in output.splitlines() if ": error SG" in line or ": warning SG" in line
    ]
    assert severities == sorted(severities) and len(set(severities)) == 2
    assert re.search(r"^By rule: SG\d+ \d+(?:, SG\d+ \d+)+$", output, re.M)


def test_a_text_that_is_no_cancel_skill_has_no_grade_in_json_either(tmp_path: Path) -> None:
    _, output = run(tmp_path, "--format", "json")
    data = json.loads(output)
    assert data["subjects"][0]["judged"] == "any skill"
    assert data["grade"] is None and data["subjects"][0]["grade"] is None


def test_a_skill_in_the_directory_of_a_project_is_judged_alone_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "package.json").write_text("{}")
    path = tmp_path / "x" / "SKILL.md"
    path.write_text(FRONT.replace("name: x", "name: y") + BODY, encoding="utf-8")
    output = CliRunner().invoke(cli, ["audit", str(path), "--no-shellcheck"], standalone_mode=False).output
    assert "SKILL.md, judged alone since its directory is no skill's: no cancel skill" in output
    assert "SG104" not in output
    assert "judged alone" not in run(tmp_path)[1]
