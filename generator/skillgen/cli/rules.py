"""List the rules of the audit, or document one."""

from __future__ import annotations

import click

from skillgen.cli.options import complete_codes
from skillgen.cli.say import say

EXAMPLES = """\b
Examples:
  skillgen rules
  skillgen rules SG201
"""


@click.command(epilog=EXAMPLES)
@click.argument("code", required=False, shell_complete=complete_codes)
@click.option("--json", "as_json", is_flag=True, help="Print a list of objects.")
def command(code: str | None, as_json: bool) -> int:
    """List the rules; with a CODE, say what that rule checks, why it matters and how to fix a breach."""
    import json

    from skillgen.audit.rules import all_rules
    from skillgen.errors import UsageError

    rules = all_rules()
    if code:
        known = [rule.CODE for rule in rules]
        rules = tuple(rule for rule in rules if code.upper() == rule.CODE)
        if not rules:
            from skillgen.model.guess import hint

            raise UsageError(f"{code}: no rule has this code; {hint(code, known, '`skillgen rules` lists them')}")
    if as_json:
        rows = [
            {
                "code": rule.CODE,
                "title": rule.TITLE,
                "severity": str(rule.SEVERITY),
                "scope": str(rule.SCOPE),
                "cancel_only": rule.CANCEL_ONLY,
                "documentation": (rule.__doc__ or "").strip(),
            }
            for rule in rules
        ]
        say(json.dumps(rows, indent=2, ensure_ascii=False))
    elif code:
        rule = rules[0]
        where = "cancel skills" if rule.CANCEL_ONLY else f"every {rule.SCOPE}"
        say(f"{rule.CODE} ({rule.SEVERITY}, {where}): {rule.TITLE}\n\n{(rule.__doc__ or '').strip()}")
    else:
        width = max(len(rule.TITLE) for rule in rules)
        for rule in rules:
            say(f"{rule.CODE}  {rule.TITLE:<{width}}  {rule.SEVERITY}{'  (cancel)' if rule.CANCEL_ONLY else ''}")
    return 0
