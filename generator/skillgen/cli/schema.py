"""Print the JSON Schema of a flavor file."""

from __future__ import annotations

import click

from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen schema > flavor.schema.json
  # then, as the first line of a flavor, for editors with a YAML language server:
  # yaml-language-server: $schema=flavor.schema.json
"""


@click.command(name="schema", epilog=EPILOG)
def command() -> int:
    """Print the JSON Schema of a flavor file, for editors and other tools."""
    import json

    from skillgen.hosts import shipped_hosts
    from skillgen.resolve.schema import flavor_schema

    say(json.dumps(flavor_schema(shipped_hosts()), indent=2, ensure_ascii=False))
    return 0
