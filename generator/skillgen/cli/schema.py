"""Print the JSON Schema of a flavor file, or of a conform file."""

from __future__ import annotations

import click

from skillgen.cli.options import knows_hosts
from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen schema > flavor.schema.json
  # then, as the first line of a flavor, for editors with a YAML language server:
  # yaml-language-server: $schema=flavor.schema.json
  skillgen schema --conform > conform.schema.json      for flavors/ID.conform.yaml
"""


@click.command(name="schema", epilog=EPILOG)
@click.option("--conform", is_flag=True, help="Of the file that says how `skillgen conform` drives a flavor's program.")
@knows_hosts
def command(conform: bool) -> int:
    """Print the JSON Schema of a flavor file, for editors and other tools."""
    import json

    from skillgen.hosts import known_hosts
    from skillgen.resolve.schema import conform_schema, flavor_schema

    schema = conform_schema() if conform else flavor_schema(known_hosts())
    say(json.dumps(schema, indent=2, ensure_ascii=False))
    return 0
