"""Hold the rebuilt texts of the five products against the verdicts that a reader of the text alone can see."""

from __future__ import annotations

from pathlib import Path

import pytest
from rule_cases import audit_path

FIXTURES = Path(__file__).parent / "fixtures"

#: (text, the verdict or kind, rule, words on the line that it must point to)
VERDICTS = [
    ("rcs", "terminal in words, removed in the snippet", "SG501", "forge-state.json"),
    ("rcs", "a snippet on the unscoped file", "SG302", "rm -f .rcs/state/ultraqa-state.json"),
    ("rcs", "a link tested in two ways", "SG511", "ultrawork-state.json"),
    ("rcs", "phase under two names", "SG512", ".phase"),
    ("rcs", "sessions by prefix", "SG202", "grep '^rcs-team-'"),
    ("rcs", "a target without =", "SG203", "kill-session -t rcs-team-{name}"),
    ("rcs", "cancel says cancel", "SG503", "Use /cancel to cancel both"),
    ("rcs", "what was looked for", "SG504", "- Autopilot (.rcs"),
    ("rcs", "a mode that nothing handles", "SG504", "If Team Active"),
    ("rcs", "the same rule twice", "SG508", "Normative Forge post-conditions"),
    ("rcs", "a wait nobody can check", "SG509", "2-hour"),
    ("rcs", "another product's keyword", "SG601", "cancelomc"),
    ("rcs", "line numbers", "SG702", "cancel.ts:27-78"),
    ("rcs", "a contract that is not there", "SG701", "forge-cancel-contract.md"),
    ("rcs", "a flag by substring", "SG201", '*"--all"*'),
    ("rcs", "rewritten in place", "SG204", "jq '.active = false'"),
    ("rcs", "removal of an open path", "SG205", "rm -rf .rcs/state/team/{name}/"),
    ("rcs", "extra steps for one flag", "SG502", "When `--force` is used"),
    ("rcs", "exit in a snippet", "SG212", "exit 1"),
    ("omni", "the record in an ignored argument", "SG306", "...existing"),
    ("omni", "a tool through a program", "SG307", "subagent.py state_clear"),
    ("omni", "state files beside a table", "SG517", ".omni/state/"),
    ("omni", "a check that cleans up by force", "SG518", "cleanup <run_id> --force"),
    ("omni", "ecomode cut out", "SG602", "ralph/ultraqa/ cleanup"),
    ("omni", "ecomode cut out of a link", "SG602", "ultrawork or )"),
    ("omni", "the upstream's issue", "SG703", "#2118"),
    ("omni", "placeholders that redirect", "SG209", "cancel <run_id> --reason"),
    ("omd", "flags that never arrive", "SG309", "--force"),
    ("omd", "a mode outside the order", "SG506", "autoresearch"),
    ("omd", "a goal paused unread", "SG516", "update_goal"),
    ("omd", "a phase that nobody read", "SG515", 'mode: "autopilot"'),
    ("pep", "every project's teams", "SG305", "~/.claude/teams/*/"),
    ("pep", "another product's keyword", "SG601", "stopomc"),
    ("pep", "a wait nobody can check", "SG509", "2-hour"),
    ("omc-20260824", "a variable that is never set", "SG304", "CLAUDE_SESSION_ID"),
    ("omc-20260824", "a clear without the session", "SG301", 'state_clear(mode="team")'),
    ("omc-20260824", "no identity widens", "SG303", '-z "$SESSION_ID"'),
    ("omc-20260824", "a here-document on one line", "SG208", "<<'PY'\\n"),
    ("omc-20260824", "two clock reads", "SG215", "EXPIRES_ISO"),
    ("omc-20260824", "a tool call in a bash fence", "SG209", 'state_read(mode="team")'),
    ("omc-20260824", "one tool in two shapes", "SG301", 'state_clear(mode="team")'),
    ("omc", "a variable that is never set", "SG304", "CLAUDE_SESSION_ID"),
    ("omc", "a run id in any case", "SG308", "workflowRunId"),
    ("omc", "the list in two forms", "SG510", "{ultrapilot-ownership,"),
    ("omc", "two clock reads", "SG215", "EXPIRES_ISO"),
    ("omc", "flow style", "SG109", "[cancel-ralph]"),
    ("omc", "unknown keys", "SG108", "level: 2"),
]


@pytest.mark.parametrize(("text", "verdict", "code", "words"), VERDICTS, ids=[f"{v[0]}: {v[1]}" for v in VERDICTS])
def test_a_verdict_on_the_text_is_found_at_its_line(text: str, verdict: str, code: str, words: str) -> None:
    path = FIXTURES / text / "cancel"
    lines = (path / "SKILL.md").read_text(encoding="utf-8").split("\n")
    found = [lines[finding.line - 1] for finding in audit_path(path).findings if finding.code == code]
    assert any(words in line for line in found), found


@pytest.mark.parametrize("code", ["SG201", "SG202", "SG301", "SG302", "SG303", "SG501", "SG502", "SG511"])
def test_the_newest_upstream_text_has_shed_old_faults(code: str) -> None:
    assert code not in {finding.code for finding in audit_path(FIXTURES / "omc" / "cancel").findings}
