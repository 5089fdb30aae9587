"""Show a contract, each value with the place where it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skillgen.cli.options import complete_flavor, complete_key, json_option, reads_flavors
from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.model.node import Node

EPILOG = """\b
Examples:
  skillgen explain omc                       the whole contract
  skillgen explain omc modes.ralph.links     one value, with the files and lines that it came from
  skillgen explain omc "No active OMC modes detected."
                                             the values that a line which a cancel printed is made of
"""


@click.command(name="explain", epilog=EPILOG)
@click.argument("flavor", shell_complete=complete_flavor)
@click.argument("key", required=False, default="", shell_complete=complete_key)
@json_option
@reads_flavors
def command(flavor: str, key: str, as_json: bool, flavors: tuple[str, ...], templates: tuple[str, ...]) -> int:
    """Show the contract of FLAVOR, or the value at KEY, with the file and line each value came from.

    KEY may also be a line that a cancel printed: then the values are shown that it is made of.
    """
    from skillgen.build.contracts import resolve_all
    from skillgen.build.inputs import Inputs
    from skillgen.model.node import plain
    from skillgen.model.resolved import format_key, leaves, leaves_saying, parse_key

    inputs = Inputs(flavors, templates)
    resolved = resolve_all(inputs, [inputs.known(flavor)])[flavor]
    path = parse_key(key)
    if " " in key.strip():
        said = leaves_saying(resolved.in_order().tree, key)
        if not said:
            raise _unsaid(flavor, key)
        return _show(flavor, key, {format_key(at): plain(value) for at, value in said}, said, as_json)
    # The contract's own order; its defaults, which no file writes, are shown too.
    node = resolved.in_order().find(path) if path is not None else None
    if node is None or path is None:
        raise _unknown(flavor, key, [format_key(known) for known, _ in leaves(resolved.in_order().tree)])
    return _show(flavor, key, plain(node), list(leaves(node, path)), as_json)


def _show(flavor: str, key: str, value: object, found: list[tuple[tuple[str | int, ...], Node]], as_json: bool) -> int:
    import json

    from skillgen.model.node import plain
    from skillgen.model.resolved import format_key

    if as_json:
        origins = {format_key(at): node.place._asdict() for at, node in found}
        result = {"flavor": flavor, "key": key, "value": value, "origins": origins}
        say(json.dumps(result, indent=2, ensure_ascii=False))
        return 0
    for at, node in found:
        say(format_key(at), bold=True, nl=False)
        say(f" = {json.dumps(plain(node), ensure_ascii=False)}  ", nl=False)
        say(f"# {node.place}", dim=True)
    return 0


def _unsaid(flavor: str, line: str) -> Exception:
    from skillgen.errors import UsageError
    from skillgen.model.visible import escaped

    return UsageError(
        f"no value of {flavor} says {escaped(line)!r}; a line that no value says is the script's own: "
        "`cancel.py explain` in the project says why each record is taken or left"
    )


def _unknown(flavor: str, key: str, known: list[str]) -> Exception:
    import re

    from skillgen.errors import UsageError
    from skillgen.model.guess import hint

    # Every beginning of a key is a key as well.
    ends = {known_key[: match.start()] for known_key in known for match in re.finditer(r"[.\[]", known_key)}
    repair = hint(key, sorted({*known, *ends}), f"skillgen explain {flavor} lists all")
    return UsageError(f"{flavor} has no value {key}; {repair}")
