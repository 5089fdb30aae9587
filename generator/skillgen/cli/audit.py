"""Hold skills against the rules, print what is wrong, grade it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skillgen.audit.choice import choose_codes
from skillgen.audit.rules import CODES
from skillgen.cli.options import complete_codes, knows_hosts
from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.audit.report import Report
    from skillgen.model.subject import Source, Tree

EXAMPLES = """\b
Examples:
  skillgen audit skills/cancel/SKILL.md
  skillgen audit . --format github --ignore SG7
  skillgen audit my.skill --select SG2,SG3
  skillgen audit skills/ --fix
"""


@click.command(epilog=EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text", show_default=True
)
@click.option(
    "--select",
    multiple=True,
    metavar="CODES",
    shell_complete=complete_codes,
    help="Only rules with these codes or prefixes (SG2,SG301).",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODES",
    shell_complete=complete_codes,
    help="No rules with these codes or prefixes.",
)
@click.option("--fix", is_flag=True, help="Carry out the safe repairs first; what it does not understand it leaves.")
@click.option("--no-shellcheck", is_flag=True, help="Do not run shellcheck, even where it is installed.")
@knows_hosts
def command(
    paths: tuple[str, ...],
    form: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fix: bool,
    no_shellcheck: bool,
) -> int:
    """Find what is wrong with any SKILL.md, command file, TOML prompt, skill directory, bundle or .skill archive.

    Exit 0 without errors and warnings (grade A; notes may remain), 1 with some, 2 where a text cannot be read. What a
    code means: `skillgen rules SG201`. An inline waiver: `<!-- skillgen: allow SG201 - the reason -->`.

    The grade: every rule that is broken costs 10 points at error level and 4 at warning level, each further finding of
    the same rule 1 more, up to 5; notes cost nothing. 0 points are A, up to 10 B, up to 25 C, up to 50 D, up to 80 E,
    more F.

    A waiver covers its own line and the next; `allow-file` covers the whole text; in a shell block it is a comment,
    `# skillgen: allow SG212 - the reason`. One without a reason waives nothing.
    """
    from skillgen.cli.audited import audited
    from skillgen.load.subjects import load_subjects
    from skillgen.model.finding import Severity

    subjects, problems = load_subjects(paths)
    codes = choose_codes(CODES, _codes(select), _codes(ignore))
    if fix:
        from skillgen.audit.fix import fix_reports
        from skillgen.pack.rewrite import rewrite

        changed = fix_reports(_audit(subjects, codes, not no_shellcheck)[0])
        rewrite(changed)
        for source in changed:
            say(f"{source.path}: fixed", err=True)
        if changed:
            subjects, problems = load_subjects(paths)
    reports = audited(subjects, codes, shellcheck=not no_shellcheck, judge=_audit)
    output = _render(form, reports, codes)
    if output and form == "text" and sys.stdout.isatty():
        for line in output.split("\n"):
            severity = _SEVERITY.search(line)
            say(line, fg=_COLORS[severity[1]] if severity else None)
    elif output:
        say(output)
    for problem in problems:
        say(str(problem), err=True)
    if problems:
        return 2
    failing = any(f.severity is not Severity.NOTE for report in reports for f in report.findings)
    return 1 if failing else 0


#: What a line of a finding says behind its place, and how it is shown on a terminal.
_SEVERITY = re.compile(r":\d*: (error|warning|note) SG\d+: ", re.A)
_COLORS = {"error": "red", "warning": "yellow", "note": "cyan"}


def _audit(subjects: Sequence[Source | Tree], codes: Sequence[str], shellcheck: bool) -> tuple[Sequence[Report], bool]:
    """Return the reports of subjects, and whether they can be remembered: not where a shell gave no answer in time."""
    import gc

    from skillgen.audit.shell_blocks import shell_blocks
    from skillgen.load.shells import ask_shells

    # Parsing makes many small objects that live as long as their text; looking for cycles so often costs a tenth.
    gc.set_threshold(100_000, 20, 20)
    blocks = list(shell_blocks(subjects))
    with ask_shells(blocks, shellcheck=shellcheck) as shells:
        # Imported while bash is at work.
        from skillgen.audit.engine import audit
        from skillgen.audit.rules import all_rules

        rules = [rule for rule in all_rules() if rule.CODE in codes]
        said = shells()
        return audit(subjects, rules, said), not said.late


def _codes(options: tuple[str, ...]) -> list[str]:
    return [code.strip().upper() for option in options for code in option.split(",") if code.strip()]


def _render(form: str, reports: Sequence[Report], codes: Sequence[str]) -> str:
    if form == "json":
        from skillgen.audit.formats.json import format_json

        return format_json(reports)
    if form == "sarif":
        from skillgen.audit.formats.sarif import format_sarif
        from skillgen.audit.rules import all_rules

        return format_sarif(reports, [rule for rule in all_rules() if rule.CODE in codes])
    if form == "github":
        from skillgen.audit.formats.github import format_github

        return format_github(reports)
    from skillgen.audit.formats.text import format_text

    return format_text(reports)
