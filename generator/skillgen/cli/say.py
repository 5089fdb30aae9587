"""Print for a terminal, a log or a program: the one place where text leaves the command line."""

from __future__ import annotations

import click

from skillgen.cli.progress import clear
from skillgen.model.visible import escaped


def say(
    text: str = "", *, err: bool = False, nl: bool = True, fg: str | None = None, bold: bool = False, dim: bool = False
) -> None:
    """Print a text, line feeds as they are and every other character that is not seen as its escape.

    What is printed may come from a stranger's file: no sequence of it may move a terminal or turn its text round. Where a
    line feed would begin a line of a stranger's (a file name, a value), its owner escapes that itself.
    """
    clear()
    click.secho(escaped(text, lines=True), err=err, nl=nl, fg=fg, bold=bold or None, dim=dim or None)
