"""Choose the command, print its errors, return its exit code."""

from __future__ import annotations

import codecs
import errno
import importlib
import io
import os
import sys

import click

from skillgen import __version__
from skillgen.cli import progress
from skillgen.cli.say import say
from skillgen.errors import SkillgenError

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Render": {
        "build": ("build", "render bundles, or check that they are current"),
        "flavors": ("flavors", "list the flavors"),
        "explain": ("explain", "show a contract with the file and line of every value"),
        "diff": ("diff", "show what changed between two flavors, in meaning and in text"),
        "schema": ("schema", "print the JSON Schema of a flavor file"),
        "new": ("new", "write a commented starting point for a flavor"),
    },
    "Read a text": {
        "audit": ("audit", "find what is wrong with any skill; grade it"),
        "rules": ("rules", "list the rules of the audit, or document one"),
        "facts": ("facts", "print what is read of a text, each fact with its line"),
        "adopt": ("adopt", "turn a hand-edited copy into a flavor, and the bundle in its place"),
    },
    "Keep forks true": {
        "sync": ("sync", "say how forks stand, and update them with their own edits kept"),
        "watch": ("watch", "tell what moved upstream, and which values of a flavor with it"),
        "conform": ("conform", "hold a flavor against its real program"),
        "report": ("report", "draw flavors, differences, grades and forks on one page"),
    },
    "Publish": {
        "pack": ("pack", "make archives that are the same bytes on every machine"),
        "verify": ("verify", "hold an archive or a tree against its checksums, provenance and list of files"),
        "publish": ("publish", "place bundles in a marketplace repository"),
        "marketplace": ("marketplace", "list the bundles of a repository for its clients"),
    },
}
"""Heading of --help -> command name -> module under skillgen.cli (it holds a click command named `command`), one line."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"skillgen.cli.{COMMANDS[cmd_name][0]}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from skillgen.model.guess import hint

            ctx.fail(f"there is no command {args[0]}; {hint(args[0], COMMANDS, 'see skillgen --help')}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, (_, text) in group.items()])


EPILOG = """\b
Examples:
  skillgen build omc
  skillgen COMMAND --help

\b
Completion of commands, options, flavors, keys and codes, for bash (zsh and fish likewise):
  eval "$(_SKILLGEN_COMPLETE=bash_source skillgen)"

Colours are used on a terminal only, and never where NO_COLOR is set.
"""


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="skillgen")
def cli() -> None:
    """Render one canonical cancel skill for every agent-orchestration plugin."""


def run() -> int:
    """Run the command line; return 0 (clean), 1 (findings or drift) or 2 (no result)."""
    try:
        progress.begin(sys.argv[1:])
        return _run()
    except SystemExit:
        # click ends so where a reader closed its end of the pipe; 1 would say that something was found.
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            return 141
        raise
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        # Not even that can be said; what the interpreter flushes at its end goes nowhere.
        for number in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        return 141 if error.errno == errno.EPIPE else 2
    finally:
        progress.end()


_UNWRITABLE = (errno.ENOSPC, errno.EPIPE, errno.EDQUOT, errno.EIO, errno.EBADF)
"""What the system answers where standard output or error take nothing more."""


def _escapes(error: UnicodeError) -> tuple[str, int]:
    """Give for a character that an encoding does not have its escape as JSON has it, so that JSON stays JSON."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)), error.end


def _run() -> int:
    # What else is installed must neither change a result nor cost a search for it.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    codecs.register_error("skillgen.escapes", _escapes)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without a character shows its escape; the result is the same.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="skillgen.escapes")
    try:
        plain = False if os.environ.get("NO_COLOR") else None
        result = cli.main(prog_name="skillgen", standalone_mode=False, color=plain)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        with io.StringIO() as shown:
            error.show(file=shown)
            say(shown.getvalue().removesuffix("\n"), err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        say("skillgen: interrupted", err=True)
        return 130
    except SkillgenError as error:
        say(str(error), err=True)
        return 2
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        # Nothing more can be printed there, the interpreter's own last flush included.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if error.errno == errno.EPIPE:
            return 141
        say(f"skillgen: the output cannot be written ({error.strerror}); make room and run it again", err=True)
        return 2
    return result if isinstance(result, int) else 0
