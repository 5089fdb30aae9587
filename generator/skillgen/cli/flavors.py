"""List the flavors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skillgen.cli.options import json_option, reads_flavors
from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.build.inputs import Inputs

EPILOG = """\b
Examples:
  skillgen flavors
  skillgen flavors --flavors my-flavors --json
"""


@click.command(name="flavors", epilog=EPILOG)
@json_option
@reads_flavors
def command(as_json: bool, flavors: tuple[str, ...], templates: tuple[str, ...]) -> int:
    """List the flavors: id, revision, product, host, the releases whose facts they hold and that they were held against, file."""
    from skillgen.build.contracts import resolve_all
    from skillgen.build.inputs import Inputs
    from skillgen.load.files import shown
    from skillgen.load.revisions import is_older

    inputs = Inputs(flavors, templates)
    rows: list[dict[str, Any]] = []
    for id_, resolved in resolve_all(inputs, list(inputs.files.paths)).items():
        contract = resolved.contract
        rows.append(
            {
                "id": id_,
                "revision": contract.revision,
                "current": not is_older(id_, inputs.files),
                "product": contract.product.title,
                "host": contract.host.id,
                "modes": list(contract.modes),
                "upstream": contract.upstream.model_dump() if contract.upstream else None,
                "held_against": _proof(id_, inputs),
                "path": shown(inputs.files.paths[id_]),
            }
        )
    if as_json:
        import json

        say(json.dumps({"flavors": rows}, indent=2, ensure_ascii=False))
        return 0
    for row in rows:
        row["facts of"] = _release(row["upstream"])
        row["held against"] = row["held_against"] or "-"
    columns = ("id", "revision", "product", "host", "facts of", "held against", "path")
    widths = {name: max(len(str(row[name])) for row in rows) for name in columns}
    for row in rows:
        line = "  ".join(str(row[name]).ljust(widths[name]) for name in columns).rstrip()
        say(line if row["current"] else f"{line}  (older revision)", dim=not row["current"])
    return 0


def _proof(id_: str, inputs: Inputs) -> str:
    """Return the release that `skillgen conform` last held the flavor against, or ""."""
    from skillgen.conform.proof import load_proof

    proof = load_proof(id_, inputs.files.paths[id_])
    return f"{proof.program} {proof.version}" if proof else ""


def _release(upstream: Any) -> str:
    return f"{upstream['package'] or upstream['repository']} {upstream['version']}" if upstream else "-"
