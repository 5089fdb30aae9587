"""Run `skillgen verify` in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from skillgen.cli.verify import command


def verify(*arguments: object) -> tuple[int, str]:
    """Return exit code and output; what the command raises is raised."""
    result: Result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.return_value, result.output
