"""Render bundles, or hold them against what would be rendered now."""

from __future__ import annotations

import os

import click
from click.core import ParameterSource

from skillgen.cli.options import complete_flavor, json_option, reads_flavors

EPILOG = """\b
Examples:
  skillgen build                             all current flavors to dist/
  skillgen build --flavor omc --out X        one flavor to X/omc
  skillgen build --flavor omc --into FORK    one flavor to the root of a fork of that plugin
  skillgen build --check                     exit 1 if dist/ is not what would be written now
"""


@click.command(name="build", epilog=EPILOG)
@click.option(
    "--flavor", "ids", multiple=True, metavar="ID", shell_complete=complete_flavor, help="Build only this one."
)
@click.option(
    "--out", default="dist", show_default=True, metavar="DIR", type=click.Path(), help="Directory of bundles."
)
@click.option("--into", metavar="DIR", type=click.Path(), help="A fork's plugin root, instead of --out.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if something would be written.")
@json_option
@reads_flavors
def command(
    ids: tuple[str, ...],
    out: str,
    into: str | None,
    check: bool,
    as_json: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Render flavors to OUT/ID, one bundle each.

    Writes only what changed and prunes only what an earlier build wrote; what it wrote is recorded in OUT/skillgen.lock.

    With --into, files that the fork has of its own stay as they are, and files that it edited are left to `sync`.
    """
    if into is not None:
        from skillgen.cli.into import build_into

        given = click.get_current_context().get_parameter_source("out") is not ParameterSource.DEFAULT
        if len(ids) != 1 or given:
            raise click.UsageError("--into DIR takes exactly one --flavor, and no --out")
        return build_into(ids[0], into, flavors, templates, check=check, as_json=as_json)
    from skillgen.cli.inputs import Inputs
    from skillgen.cli.locks import is_current, read_lock
    from skillgen.pack.output import check_output, tidy

    inputs = Inputs(flavors, templates)
    chosen = inputs.choose(ids)
    if not out:
        raise click.UsageError("--out is empty; name a directory")
    out = out.rstrip(os.sep) or os.sep
    check_output(out, chosen)
    if not check:
        tidy(out)
    lock = read_lock(out)
    stale = [id_ for id_ in chosen if not is_current(id_, inputs, lock, out)]
    if not stale and not as_json:
        click.echo(nothing_to_do(len(chosen), out, check=check))
        return 0
    from skillgen.cli.build_report import Bundle, report

    bundles = {id_: Bundle(id_) for id_ in chosen}
    if stale:
        from skillgen.cli.rebuild import rebuild

        bundles |= rebuild(inputs, stale, out, check=check)
    return report([bundles[id_] for id_ in chosen], out, check=check, as_json=as_json)


def nothing_to_do(count: int, out: str, *, check: bool) -> str:
    """Say that all bundles are current."""
    bundles = f"{count} bundle{'' if count == 1 else 's'} in {out}"
    return f"{bundles} current" if check else f"{bundles}, 0 changed"
