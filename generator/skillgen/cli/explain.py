"""Show a contract, each value with the place where it was written."""

from __future__ import annotations

import click

from skillgen.cli.options import complete_flavor, complete_key, json_option, reads_flavors
from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen explain omc                       the whole contract
  skillgen explain omc modes.ralph.links     one value, with the files and lines that it came from
"""


@click.command(name="explain", epilog=EPILOG)
@click.argument("flavor", shell_complete=complete_flavor)
@click.argument("key", required=False, default="", shell_complete=complete_key)
@json_option
@reads_flavors
def command(flavor: str, key: str, as_json: bool, flavors: tuple[str, ...], templates: tuple[str, ...]) -> int:
    """Show the contract of FLAVOR, or the value at KEY, with the file and line each value came from."""
    import json

    from skillgen.build.contracts import resolve_all
    from skillgen.build.inputs import Inputs
    from skillgen.model.node import plain
    from skillgen.model.resolved import format_key, leaves, parse_key

    inputs = Inputs(flavors, templates)
    resolved = resolve_all(inputs, [inputs.known(flavor)])[flavor]
    path = parse_key(key)
    # The contract's own order; its defaults, which no file writes, are shown too.
    node = resolved.in_order().find(path) if path is not None else None
    if node is None or path is None:
        raise _unknown(flavor, key, [format_key(known) for known, _ in leaves(resolved.in_order().tree)])
    found = [(format_key(at), value) for at, value in leaves(node, path)]
    if as_json:
        origins = {at: value.place._asdict() for at, value in found}
        result = {"flavor": flavor, "key": key, "value": plain(node), "origins": origins}
        say(json.dumps(result, indent=2, ensure_ascii=False))
        return 0
    for at, value in found:
        shown = json.dumps(plain(value), ensure_ascii=False)
        say(at, bold=True, nl=False)
        say(f" = {shown}  ", nl=False)
        say(f"# {value.place}", dim=True)
    return 0


def _unknown(flavor: str, key: str, known: list[str]) -> Exception:
    import re

    from skillgen.errors import UsageError
    from skillgen.model.guess import hint

    # Every beginning of a key is a key as well.
    ends = {known_key[: match.start()] for known_key in known for match in re.finditer(r"[.\[]", known_key)}
    repair = hint(key, sorted({*known, *ends}), f"skillgen explain {flavor} lists all")
    return UsageError(f"{flavor} has no value {key}; {repair}")
