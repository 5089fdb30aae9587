"""Print what the reader makes of a text."""

from __future__ import annotations

import click

from skillgen.cli.options import json_option, knows_hosts
from skillgen.cli.say import say
from skillgen.model.visible import escaped

EPILOG = """\b
Examples:
  skillgen facts skills/cancel/SKILL.md
  skillgen facts skills/cancel --json | jq '.facts[] | select(.kind == "action")'
"""


@click.command(name="facts", epilog=EPILOG)
@click.argument("path", metavar="PATH")
@json_option
@knows_hosts
def command(path: str, as_json: bool) -> int:
    """Print the facts of PATH, a text, a skill directory or an archive: what stands where, and whether the text says or forbids it.

    Each fact has a kind, a key, a value and a detail, whose meaning the kind decides, a line, and the span of the line on
    which it stands. `denied` is what the text forbids, `unknown` what nobody can be sure of; both count for nothing that
    removes or stops.
    """
    import json

    from skillgen.audit.engine import audit
    from skillgen.errors import InputError
    from skillgen.load.subjects import load_subjects
    from skillgen.model.facts import KINDS

    subjects, problems = load_subjects([path])
    if problems:
        raise InputError(problems)
    texts = [text for report in audit(subjects, ()) for text in report.texts]
    if as_json:
        facts = [{"path": text.path, **entry} for text in texts for entry in text.facts.entries(text.lines)]
        kinds = {kind: KINDS[kind] for kind in sorted({str(fact["kind"]) for fact in facts})}
        say(json.dumps({"path": path, "kinds": kinds, "facts": facts}, indent=2, ensure_ascii=False))
        return 0
    for text in texts:
        for entry in text.facts.entries(text.lines):
            words = "  ".join(filter(None, (entry["kind"], entry["key"], entry["value"], entry["detail"])))
            say(f"{escaped(text.path)}:{entry['line']}:{entry['span'][0]}", dim=True, nl=False)
            say(f" {escaped(words)}", nl=entry["stance"] == "said")
            if entry["stance"] != "said":
                say(f"  ({entry['stance']})", fg="yellow")
    return 0
