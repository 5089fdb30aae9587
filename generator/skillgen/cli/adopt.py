"""Read a fork's text into a flavor."""

from __future__ import annotations

import click

from skillgen.cli.options import complete_flavor, reads_flavors
from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen adopt .                                           in a plugin's root: the bundle in its place
  skillgen adopt --dry-run .                                 what that would change, as a diff
  skillgen adopt skills/cancel/SKILL.md                      to standard output
  skillgen adopt skills/cancel/SKILL.md -o flavors/mine.yaml --safest
  skillgen adopt skills/cancel/SKILL.md -o flavors/mine.yaml --questions open.json
"""


@click.command(name="adopt", epilog=EPILOG)
@click.argument("path", metavar="PATH")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the flavor there; its name without .yaml is the flavor's id."
)
@click.option(
    "--base",
    "wanted",
    metavar="FLAVOR",
    shell_complete=complete_flavor,
    help="Build on this flavor instead of the nearest one; the modes stay the text's.",
)
@click.option("--questions", metavar="FILE", help="Write what is open there, as JSON, for somebody who can answer it.")
@click.option("--answers", metavar="FILE", help="Take answers from there, each with the path and line that say it.")
@click.option("--safest", is_flag=True, help="Take for what is open the answer that harms least; it is marked so.")
@click.option("--id", "id_", default="", metavar="ID", help="Of a directory: call its flavor so.")
@click.option("--dry-run", is_flag=True, help="Of a directory: write nothing; show what would change as a diff.")
@click.option("-y", "--yes", is_flag=True, help="Of a directory: do not ask.")
@click.option("--keep-command", is_flag=True, help="Leave commands/cancel.md as it is; the exit code is 1 then.")
@click.option("--uncommitted", is_flag=True, help="Replace also what is in no commit.")
@reads_flavors
def command(
    path: str,
    output: str | None,
    wanted: str | None,
    questions: str | None,
    answers: str | None,
    safest: bool,
    id_: str,
    dry_run: bool,
    yes: bool,
    keep_command: bool,
    uncommitted: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Turn a hand-edited cancel skill into a flavor, over the nearest known one as its base.

    PATH a directory (a plugin's root, or a skill in it): the skill becomes the bundle of flavors/ID.yaml in its place; what
    its text said beyond the facts goes to flavors/ID.kept.md, and skillgen.lock is what `skillgen sync` goes by ever after.
    All of it is shown first, and written as one or not at all. With -o, or of a file or an archive, only the flavor is written.

    The modes are exactly those of the text. Only differences from the base are written, each with the line on which it
    stands; at the end stands what is inherited, with its values, what found no place, and which faults of the text are
    not carried over. A value that decides what is removed or stopped, or whose session it is, comes from the base only
    where the text agrees; else it is open, nothing is built of the flavor before it is said, and the exit code is 1.

    A text with fewer than two modes, or with neither a state directory nor a state tool, is refused:
    it carries no flavor. Nothing is written then.
    """
    import os
    import re
    import sys

    from skillgen.build.inputs import Inputs
    from skillgen.cli.adopt_said import complain, say_open
    from skillgen.cli.adopt_terminal import TerminalAnswers
    from skillgen.errors import UsageError
    from skillgen.load.files import read
    from skillgen.pack.write import write_file
    from skillgen.sync.adopt_answers import FormerAnswers, Several, read_answers
    from skillgen.sync.adopt_questions import questions_json
    from skillgen.sync.adopt_text import Answers, adopt_text

    given = read_answers(answers) if answers else None
    asks = sys.stdin.isatty() and sys.stderr.isatty() and not safest and not questions
    name = "adopted"
    if output:
        name = os.path.basename(output).removesuffix(".yaml").removesuffix(".yml")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or not output.endswith((".yaml", ".yml")):
            raise UsageError(
                f"{output}: a flavor file is called ID.yaml; take an id of small letters, digits and hyphens"
            )
        _refuse_edited(output)
    inputs = Inputs(flavors, templates)
    if wanted:
        inputs.known(wanted)
    if os.path.isdir(path) and not output:
        from skillgen.cli.adopt_place import adopt_place
        from skillgen.sync.takeover import Asked

        asking = TerminalAnswers() if asks and not dry_run else None
        asked = Asked(wanted, id_, stub=not keep_command, safest=safest, given=given, asking=asking)
        return adopt_place(path, inputs, asked, questions=questions, dry_run=dry_run, yes=yes, uncommitted=uncommitted)
    several: list[Answers] = [given] if given else []
    if output and os.path.lexists(output):
        several.append(FormerAnswers(read(output).decode("utf-8", "replace")))
    if asks:
        several.append(TerminalAnswers())
    adopted = adopt_text(path, name, inputs, wanted, answers=Several(several), safest=safest)
    if not output:
        say(adopted.text, nl=False)
    else:
        write_file(output, adopted.text.encode())
        directory = os.path.dirname(output) or "."
        done = "" if adopted.questions else f"; build it with: skillgen build --flavor {name} --flavors {directory}"
        say(f"{output} written on {adopted.base}{done}")
    if questions:
        write_file(questions, questions_json(adopted).encode())
    ledger = adopted.ledger
    say(
        f"{ledger.total} facts on the base {adopted.base}: {len(ledger.placed)} placed, {len(ledger.equal)} equal to it, "
        f"{len(ledger.unplaced)} without a place; {adopted.changed} values differ, {adopted.fixed} faults left behind",
        err=True,
    )
    complaints = complain(given) if given else 0
    return max(say_open(adopted), min(complaints, 1))


def _refuse_edited(output: str) -> None:
    """Refuse to write over a file, unless it is as a former adopt left it."""
    import os

    from skillgen.adopt.writing import is_sealed
    from skillgen.errors import UsageError
    from skillgen.load.files import read

    if os.path.lexists(output) and not is_sealed(read(output).decode("utf-8", "replace")):
        raise UsageError(f"{output} is there already and holds what no adopt wrote; remove it or choose another name")
