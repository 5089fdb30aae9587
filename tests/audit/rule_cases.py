"""Read the rule cases and run one rule over one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from skillgen.audit.engine import Report, audit
from skillgen.audit.rules import all_rules
from skillgen.audit.shell_blocks import shell_blocks
from skillgen.load.shells import ask_shells
from skillgen.load.subjects import load_subjects
from skillgen.model.finding import Finding

CASES = Path(__file__).parent / "cases"
FRONT = "---\nname: {name}\ndescription: Cancels a mode. Use when a mode must stop.\n---\n"


@dataclass(frozen=True)
class Case:
    """One case. `text` is a whole file, `body` a body below good front matter, `shell` a bash block below `# Cancel`.

    `lines` are the lines of the findings, counted in `text`, `body` or `shell` from 1. `file` is its place (SKILL.md),
    `directory` the name of its directory, `files` other files beside it (path -> content, relative to that directory).
    `severity` and `message` (a part of it) are checked when they stand there.
    """

    code: str
    name: str
    lines: tuple[int, ...]
    data: dict[str, Any]


def cases() -> Iterator[Case]:
    for path in sorted(CASES.glob("*.yaml")):
        for data in YAML(typ="safe").load(path.read_text(encoding="utf-8")):
            yield Case(path.stem, data["name"], tuple(data["lines"]), data)
    for rule in all_rules():
        # A rule of YAML holds its cases itself.
        for data in getattr(rule, "cases", ()):
            yield Case(rule.CODE, data["name"], tuple(data["lines"]), data)


def write_case(case: Case, root: Path) -> tuple[Path, int]:
    """Write the case below `root`; return what to audit and how many lines stand above the case's own."""
    data = case.data
    directory = root / data.get("directory", "cancel")
    target = directory / data.get("file", "SKILL.md")
    target.parent.mkdir(parents=True, exist_ok=True)
    before = ""
    if "text" in data:
        content = data["text"]
    else:
        before = FRONT.format(name=directory.name)
        if "shell" in data:
            before += "# Cancel\n\nStop the mode with `/cancel`.\n\n```bash\n"
            content = before + data["shell"].removesuffix("\n") + "\n```\n"
        else:
            content = before + data["body"]
    target.write_bytes(content.encode())
    for name, text in data.get("files", {}).items():
        other = directory / name
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text(text, encoding="utf-8", newline="")
    return (directory if data.get("whole") else target), before.count("\n")


def run_case(case: Case, root: Path) -> tuple[list[Finding], int]:
    target, above = write_case(case, root)
    rules = [rule for rule in all_rules() if case.code == rule.CODE]
    assert rules, (
        f"{case.code}.yaml has cases, and no rule has that code: write audit/rules/{case.code.lower()}_<name>.py"
    )
    report = audit_path(target, rules)
    return [finding for finding in report.findings if finding.code == case.code], above


def audit_path(target: Path, rules: Any = None) -> Report:
    """Audit one path; its texts must all be readable."""
    subjects, problems = load_subjects([str(target)])
    assert not problems
    with ask_shells(shell_blocks(subjects)) as shells:
        reports = audit(subjects, all_rules() if rules is None else rules, shells())
    assert len(reports) == 1
    return reports[0]
