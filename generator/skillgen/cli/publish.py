"""Run `skillgen publish`: place bundles in a marketplace repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from skillgen.cli.options import complete_flavor, reads_flavors

if TYPE_CHECKING:
    from skillgen.model.files import Files
    from skillgen.model.origin import Origin

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

    from skillgen.build.bundles import Bundles, with_release
    from skillgen.build.inputs import Inputs
    from skillgen.errors import UsageError
    from skillgen.model.semver import is_version
    from skillgen.pack.publish.run import publish_bundles

    if version is not None and (not is_version(version) or "+" in version):
        raise UsageError(
            f"--version {version}: is no semantic version, write MAJOR.MINOR.PATCH or MAJOR.MINOR.PATCH-rc.1"
        )
    inputs = Inputs(flavors, templates)
    chosen = inputs.choose(ids)
    bundles = Bundles(inputs, chosen)
    hosts = {host.id for host in inputs.hosts.listing}
    listed = [bundles.contracts[id_] for id_ in chosen if ids or hosts & set(bundles.contracts[id_].host.manifests)]

    def render(marketplace: Callable[[str], str]) -> Iterator[tuple[Origin, Files]]:
        for contract in listed:
            yield bundles.render(with_release(contract, version, marketplace(contract.host.id)))

    publish_bundles(Path(repo), render, changes_in_words, tag, dry_run, click.echo)
    return 0


def changes_in_words(old: Mapping[str, Any], new: Mapping[str, Any]) -> Sequence[str]:
    """Return what one contract.json says differently from another, the release itself left out."""
    import json

    from pydantic import ValidationError

    from skillgen.drift.meaning import changes
    from skillgen.model.contract import Contract

    try:
        before, after = (Contract.model_validate_json(json.dumps(contract)) for contract in (old, new))
    except ValidationError:
        return ["The published contract has another form; its differences cannot be told in words."]
    return [change.text for change in changes(before, after) if change.key not in _RELEASE]


_RELEASE = {"plugin.version", "plugin.marketplace"}
