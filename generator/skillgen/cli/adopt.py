"""Read a fork's text into a flavor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skillgen.cli.options import reads_flavors
from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.sync.adopt_answers import FileAnswers

EPILOG = """\b
Examples:
  skillgen adopt skills/cancel/SKILL.md                      to standard output
  skillgen adopt skills/cancel/SKILL.md -o flavors/mine.yaml --safest
  skillgen adopt skills/cancel/SKILL.md -o flavors/mine.yaml --questions open.json
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
@click.option("--questions", metavar="FILE", help="Write what is open there, as JSON, for somebody who can answer it.")
@click.option("--answers", metavar="FILE", help="Take answers from there, each with the path and line that say it.")
@click.option("--safest", is_flag=True, help="Take for what is open the answer that harms least; it is marked so.")
@reads_flavors
def command(
    path: str,
    output: str | None,
    wanted: str | None,
    questions: str | None,
    answers: str | None,
    safest: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Read SKILL.md (a text, a skill directory or an archive) into a flavor with the nearest known one as its base.

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
    from skillgen.cli.adopt_terminal import TerminalAnswers
    from skillgen.errors import UsageError
    from skillgen.load.files import read
    from skillgen.sync.adopt_answers import FormerAnswers, Several, read_answers
    from skillgen.sync.adopt_questions import questions_json
    from skillgen.sync.adopt_text import Answers, adopt_text

    id_ = "adopted"
    if output:
        id_ = os.path.basename(output).removesuffix(".yaml").removesuffix(".yml")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id_) or not output.endswith((".yaml", ".yml")):
            raise UsageError(
                f"{output}: a flavor file is called <id>.yaml, its id in small letters, digits and hyphens"
            )
        _refuse_edited(output)
    inputs = Inputs(flavors, templates)
    if wanted:
        inputs.known(wanted)
    given = read_answers(answers) if answers else None
    several: list[Answers] = [given] if given else []
    if output and os.path.lexists(output):
        several.append(FormerAnswers(read(output).decode("utf-8", "replace")))
    if sys.stdin.isatty() and sys.stderr.isatty() and not safest and not questions:
        several.append(TerminalAnswers())
    adopted = adopt_text(path, id_, inputs, wanted, answers=Several(several), safest=safest)
    if not output:
        say(adopted.text, nl=False)
    else:
        _write(output, adopted.text.encode())
        directory = os.path.dirname(output) or "."
        done = "" if adopted.questions else f"; build it with: skillgen build --flavor {id_} --flavors {directory}"
        say(f"{output} written on {adopted.base}{done}")
    if questions:
        _write(questions, questions_json(adopted).encode())
    ledger = adopted.ledger
    say(
        f"{ledger.total} facts on the base {adopted.base}: {len(ledger.placed)} placed, {len(ledger.equal)} equal to it, "
        f"{len(ledger.unplaced)} without a place; {adopted.changed} values differ, {adopted.fixed} faults left behind",
        err=True,
    )
    complaints = _complain(given, answers) if given else 0
    if not adopted.questions:
        return min(complaints, 1)
    count = len(adopted.questions)
    say(f"{count} question{'s are' if count > 1 else ' is'} open, and nothing is built before:", err=True)
    for question in adopted.questions:
        lines = f" ({', '.join(map(adopted.reading.whole.where, question.lines))})" if question.lines else ""
        say(f"  {', '.join(map('.'.join, question.keys))}: {question.text}{lines}", err=True)
    say("  --answers FILE takes answers with their lines, --safest what harms least", err=True)
    return 1


def _complain(given: FileAnswers, path: str | None) -> int:
    """Say which answers do not count and why; return how many."""
    told = [*given.complaints, *(f"{key}: no question is open for it" for key in given.unasked())]
    for complaint in told:
        say(f"{path}: {complaint}", err=True)
    return len(told)


def _refuse_edited(output: str) -> None:
    """Refuse to write over a file, unless it is as a former adopt left it."""
    import os

    from skillgen.adopt.writing import is_sealed
    from skillgen.errors import UsageError
    from skillgen.load.files import read

    if os.path.lexists(output) and not is_sealed(read(output).decode("utf-8", "replace")):
        raise UsageError(f"{output} is there already and holds what no adopt wrote; remove it or choose another name")


def _write(path: str, data: bytes) -> None:
    import os

    from skillgen.pack.write import Writer

    with Writer(os.path.dirname(path) or ".") as writer:
        writer.stage(os.path.basename(path), data, 0o644)
        writer.commit()
