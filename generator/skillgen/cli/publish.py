"""Run `skillgen publish`: place bundles in a marketplace repository."""

from __future__ import annotations

import click

from skillgen.cli.options import complete_flavor, reads_flavors
from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen publish --to ../my-market --flavor omc --dry-run
  skillgen publish --to ../my-market --flavor omc --version 0.2.0 --tag
"""


@click.command(name="publish", epilog=EPILOG)
@click.option("--to", "repo", required=True, metavar="REPO", help="Local git working copy or bare repository.")
@click.option(
    "--flavor", "ids", multiple=True, metavar="ID", shell_complete=complete_flavor, help="Publish only this one."
)
@click.option("--version", metavar="X.Y.Z", help="Release under this version instead of the flavor's.")
@click.option("--tag", is_flag=True, help="Set the tag NAME--vVERSION.")
@click.option("--dry-run", is_flag=True, help="Print the plan; write nothing.")
@reads_flavors
def command(
    repo: str,
    ids: tuple[str, ...],
    version: str | None,
    tag: bool,
    dry_run: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Place bundles in REPO, a marketplace repository: files, entries, changelog and commit, or nothing at all.

    By default all current flavors whose client has marketplaces. What is published already stays; a lower version, an
    equal one with other bytes, edits and files of others are refused. Sending it on is git's: nothing is pushed.
    """
    from pathlib import Path

    from skillgen.build.inputs import Inputs
    from skillgen.build.release import publishable
    from skillgen.drift.released import released_changes
    from skillgen.errors import UsageError
    from skillgen.model.semver import is_version
    from skillgen.pack.publish.run import publish_bundles
    from skillgen.sync.unpublished import edits_left_behind

    if version is not None and (not is_version(version) or "+" in version):
        raise UsageError(
            f"--version {version}: is no semantic version; write MAJOR.MINOR.PATCH or MAJOR.MINOR.PATCH-rc.1"
        )
    inputs = Inputs(flavors, templates)
    render = publishable(inputs, ids, version)
    for line in edits_left_behind(inputs, inputs.choose(ids)):
        say(line, err=True)
    publish_bundles(Path(repo), render, released_changes, tag, dry_run, say)
    return 0
