"""Run `skillgen pack`: make the archives of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skillgen.cli.options import complete_flavor, json_option, reads_flavors
from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.pack.artifacts import Format

EPILOG = """\b
Examples:
  skillgen pack                              all current flavors to build/bundles/ID/
  skillgen pack --flavor omc --format skill  only the .skill of one flavor
"""


@click.command(name="pack", epilog=EPILOG)
@click.option(
    "--flavor", "ids", multiple=True, metavar="ID", shell_complete=complete_flavor, help="Pack only this one."
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(["plugin-zip", "skill", "npm", "tree"]),
    help="Only this form; by default all that fit the flavor's host.",
)
@click.option("--version", metavar="X.Y.Z", help="Release under this version instead of the flavor's.")
@click.option("--out", default="build/bundles", show_default=True, metavar="DIR", help="Directory of releases.")
@click.option("--dist", default="dist", show_default=True, metavar="DIR", help="Built bundles that must be current.")
@json_option
@reads_flavors
def command(
    ids: tuple[str, ...],
    formats: tuple[Format, ...],
    version: str | None,
    out: str,
    dist: str,
    as_json: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Pack bundles into archives that are the same bytes on every machine, one directory a flavor.

    Beside the archives: SHA256SUMS, provenance.json (in-toto) and sbom.spdx.json. A bundle under DIST that differs from
    what is packed, by an edit or because its sources changed, stops the pack; so does one that no client could load.
    """
    import json
    from pathlib import Path

    from skillgen.build.inputs import Inputs
    from skillgen.build.release import make_releases
    from skillgen.errors import UsageError
    from skillgen.model.semver import is_version
    from skillgen.pack.output import check_place
    from skillgen.pack.place import write_release

    inputs = Inputs(flavors, templates)
    chosen = inputs.choose(ids)
    if version is not None and (not is_version(version) or "+" in version):
        raise UsageError(
            f"--version {version}: is no semantic version; write MAJOR.MINOR.PATCH or MAJOR.MINOR.PATCH-rc.1"
        )
    check_place(out, inputs.places)
    releases = make_releases(inputs, chosen, formats, dist, version)
    rows = []
    for id_, release in releases.items():
        removed = write_release(Path(out) / id_, release)
        names = [line[66:] for line in release["SHA256SUMS"][0].decode().splitlines()]
        archives = [name for name in names if "/" not in name and not name.endswith(".json")]
        rows.append({"flavor": id_, "directory": f"{out}/{id_}", "archives": archives, "removed": list(removed)})
        if not as_json:
            say(f"{out}/{id_}: {', '.join(archives) or 'tree'}")
    if as_json:
        say(json.dumps({"releases": rows}, indent=2, ensure_ascii=False))
    return 0
