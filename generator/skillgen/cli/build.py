"""Render bundles, or hold them against what would be rendered now."""

from __future__ import annotations

import os

import click
from click.core import ParameterSource

from skillgen.cli.options import complete_flavor, json_option, reads_flavors

EPILOG = """\b
Examples:
  skillgen build                             all current flavors to dist/
  skillgen build omc --out X                 one flavor to X/omc (or --flavor omc)
  skillgen build omc --into FORK             one flavor to the root of a fork of that plugin
  skillgen build --check                     exit 1 if dist/ is not what would be written now
"""


@click.command(name="build", epilog=EPILOG)
@click.argument("names", metavar="[FLAVOR]...", nargs=-1, shell_complete=complete_flavor)
@click.option(
    "--flavor", "ids", multiple=True, metavar="ID", shell_complete=complete_flavor, help="Build only this one."
)
@click.option(
    "--out", default="dist", show_default=True, metavar="DIR", type=click.Path(), help="Directory of bundles."
)
@click.option("--into", metavar="DIR", type=click.Path(), help="A fork's plugin root, instead of --out.")
@click.option("--with-manifest", is_flag=True, help="With --into: write the host's manifest, README and licence, too.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if something would be written.")
@json_option
@reads_flavors
def command(
    names: tuple[str, ...],
    ids: tuple[str, ...],
    out: str,
    into: str | None,
    with_manifest: bool,
    check: bool,
    as_json: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Render flavors to OUT/ID, one bundle each.

    Writes only what changed and prunes only what an earlier build wrote; what it wrote is recorded in OUT/skillgen.lock.

    With --into, only the skill and the lock are written; files that the fork edited are left to `sync`.
    """
    ids = (*names, *ids)
    from skillgen.build.inputs import Inputs
    from skillgen.cli.build_report import report, report_into

    if into is not None:
        from skillgen.build.into import build_into

        given = click.get_current_context().get_parameter_source("out") is not ParameterSource.DEFAULT
        if len(ids) != 1 or given:
            raise click.UsageError("--into DIR takes exactly one --flavor, and no --out; give `--flavor ID --into DIR`")
        root = into.rstrip(os.sep) or os.sep
        made = build_into(Inputs(flavors, templates), ids[0], root, check=check, manifest=with_manifest)
        return report_into(made, root, ids[0], check=check, as_json=as_json)
    from skillgen.build.run import build

    inputs = Inputs(flavors, templates)
    chosen = inputs.choose(ids)
    if not out:
        raise click.UsageError("--out is empty; name a directory")
    out = out.rstrip(os.sep) or os.sep
    return report(build(inputs, chosen, out, check=check), out, check=check, as_json=as_json)
