"""Show what changed between two flavors or revisions: in meaning first, then in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skillgen.cli.options import complete_flavor, json_option, reads_flavors
from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.drift.change import Change

EPILOG = """\b
Examples:
  skillgen diff omc-20260824 omc             what the newer revision does differently
  skillgen diff omc pep --json
"""


@click.command(name="diff", epilog=EPILOG)
@click.argument("a", shell_complete=complete_flavor)
@click.argument("b", shell_complete=complete_flavor)
@json_option
@reads_flavors
def command(a: str, b: str, as_json: bool, flavors: tuple[str, ...], templates: tuple[str, ...]) -> int:
    """Show how flavor B differs from A: what its contract means, then the text of its SKILL.md.

    Exit code 0 if both mean and say the same, else 1.
    """
    from skillgen.build.contracts import resolve_all
    from skillgen.build.inputs import Inputs
    from skillgen.build.templates import renderer
    from skillgen.drift.meaning import changes
    from skillgen.drift.text import text_diff

    inputs = Inputs(flavors, templates)
    resolved = resolve_all(inputs, [inputs.known(a), inputs.known(b)])
    old, new = resolved[a].contract, resolved[b].contract
    found = changes(old, new)
    texts = []
    with renderer(inputs) as ready:
        for contract in (old, new):
            files, _ = ready.render(contract)
            texts.append(files[f"skills/{contract.front.name}/SKILL.md"].data.decode())
    lines = text_diff(texts[0], texts[1], f"{a}/SKILL.md", f"{b}/SKILL.md")
    if as_json:
        import json
        from dataclasses import asdict

        result = {"a": a, "b": b, "changes": [asdict(change) for change in found], "text": lines}
        say(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        _print(f"{a} (revision {old.revision}) → {b} (revision {new.revision})", found, lines)
    return 1 if found or lines else 0


def _print(head: str, found: list[Change], lines: list[str]) -> None:
    say(head, bold=True)
    if not found:
        say("\nNo change in meaning.")
    group = ""
    for change in found:
        if change.group != group:
            group = change.group
            say(f"\n{group[:1].upper()}{group[1:]}", bold=True)
        say("  ! " if change.behaviour else "  · ", fg="yellow" if change.behaviour else None, nl=False)
        say(change.text)
    if found:
        count = sum(change.behaviour for change in found)
        say(f"\n{len(found)} changes, {count} of them (!) in behaviour")
    colors = {"+": "green", "-": "red", "@": "cyan"}
    say("\nText" if lines else "\nNo change in the text of SKILL.md.", bold=bool(lines))
    for line in lines:
        say(line, fg=colors.get(line[:1]))
