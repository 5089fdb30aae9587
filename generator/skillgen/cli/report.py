"""Write one page that shows flavors, differences, grades and forks."""

from __future__ import annotations

import click

from skillgen.cli.options import complete_flavor, reads_flavors
from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen report                              all flavors, to report.html
  skillgen report forks.yaml --out page.html   and how forks stand
"""


@click.command(name="report", epilog=EPILOG)
@click.argument("forks", nargs=-1, type=click.Path())
@click.option("--flavor", "ids", multiple=True, metavar="ID", shell_complete=complete_flavor, help="Show only these.")
@click.option("--out", default="report.html", show_default=True, metavar="FILE", type=click.Path(dir_okay=False))
@reads_flavors
def command(
    forks: tuple[str, ...], ids: tuple[str, ...], out: str, flavors: tuple[str, ...], templates: tuple[str, ...]
) -> int:
    """Write one self-contained HTML page: FORKS as they lie on the disk, flavors by modes, order and links, differences.

    FORKS are as for sync: plugin roots, directories of checkouts, or files that list them. Nothing in the page is
    fetched from a network; on one day (or for one SOURCE_DATE_EPOCH) the same input gives the same page. With FORKS it
    holds the flavors that they carry, or those of --flavor.
    """
    from skillgen.build.inputs import Inputs
    from skillgen.pack.page import write_page
    from skillgen.report.gather import gather
    from skillgen.report.page import draw_page

    page = gather(Inputs(flavors, templates), ids, forks, [*flavors, *templates], _today())
    write_page(out, draw_page(page))
    say(f"{out}: {len(page.contracts)} flavors; {page.headline}" if forks else f"{out}: {len(page.contracts)} flavors")
    return 0


def _today() -> str:
    """Return the day in UTC, or that of SOURCE_DATE_EPOCH."""
    import os
    import time

    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return time.strftime("%Y-%m-%d", time.gmtime(int(given) if given.isdigit() else None))
