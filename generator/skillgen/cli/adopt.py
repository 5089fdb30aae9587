"""Read a fork's text into a flavor."""

from __future__ import annotations

import click

from skillgen.cli.options import reads_flavors
from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen adopt skills/cancel/SKILL.md                      to standard output
  skillgen adopt skills/cancel/SKILL.md -o flavors/mine.yaml
  skillgen build --flavor mine --flavors flavors
"""


@click.command(name="adopt", epilog=EPILOG)
@click.argument("path", metavar="SKILL.md")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the flavor there; its name without .yaml is the flavor's id."
)
@click.option(
    "--base",
    "wanted",
    metavar="FLAVOR",
    help="Build on this flavor instead of the nearest one; the modes stay the text's.",
)
@reads_flavors
def command(
    path: str, output: str | None, wanted: str | None, flavors: tuple[str, ...], templates: tuple[str, ...]
) -> int:
    """Read SKILL.md (a text, a skill directory or an archive) into a flavor with the nearest known one as its base.

    The modes are exactly those of the text. Only differences from the base are written, each with the line on which it
    stands; at the end stands what is inherited, with its values, what found no place, and which faults of the text are
    not carried over. A text with fewer than two modes, or with neither a state directory nor a state tool, is refused:
    it carries no flavor. Nothing is written then.
    """
    import os
    import re

    from skillgen.build.inputs import Inputs
    from skillgen.errors import UsageError
    from skillgen.pack.write import Writer
    from skillgen.sync.adopt_text import adopt_text

    id_ = "adopted"
    if output:
        id_ = os.path.basename(output).removesuffix(".yaml").removesuffix(".yml")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id_) or not output.endswith((".yaml", ".yml")):
            raise UsageError(
                f"{output}: a flavor file is called <id>.yaml, its id in small letters, digits and hyphens"
            )
        if os.path.lexists(output):
            raise UsageError(f"{output} is there already; remove it or choose another name")
    inputs = Inputs(flavors, templates)
    if wanted:
        inputs.known(wanted)
    adopted = adopt_text(path, id_, inputs, wanted)
    if not output:
        say(adopted.text, nl=False)
    else:
        with Writer(os.path.dirname(output) or ".") as writer:
            writer.stage(os.path.basename(output), adopted.text.encode(), 0o644)
            writer.commit()
        directory = os.path.dirname(output) or "."
        say(f"{output} written on {adopted.base}; build it with: skillgen build --flavor {id_} --flavors {directory}")
    ledger = adopted.ledger
    say(
        f"{ledger.total} facts on the base {adopted.base}: {len(ledger.placed)} placed, {len(ledger.equal)} equal to it, "
        f"{len(ledger.unplaced)} without a place; {adopted.changed} values differ, {adopted.fixed} faults left behind",
        err=True,
    )
    return 0
