"""Make releases: refuse what no client could load or what is not as built, and choose what a marketplace can list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from skillgen.build.bundles import Bundles, with_release
from skillgen.build.inputs import Inputs
from skillgen.errors import InputError, Problem
from skillgen.load.directory import read_directory
from skillgen.load.kept_modes import keeps_modes
from skillgen.model.files import Files
from skillgen.model.origin import Origin
from skillgen.pack.artifacts import Format, default_formats, make_artifacts
from skillgen.pack.same import refuse_different


def make_releases(
    inputs: Inputs, ids: Sequence[str], formats: Sequence[Format], dist: str, version: str | None = None
) -> dict[str, Files]:
    """Return flavor -> the files of its release: archives in `formats`, by default all that fit, and their records.

    `version` replaces the flavors' own, as in a publication.

    Raises InputError with every problem of all flavors, also where a bundle under `dist` is not what is packed.
    """
    bundles = Bundles(inputs, ids)
    releases: dict[str, Files] = {}
    problems: list[Problem] = []
    for id_ in ids:
        try:
            origin, files = bundles.render(bundles.contracts[id_])
            built = Path(dist) / id_
            if built.is_symlink() or built.exists():
                refuse_different(str(built), read_directory(built), files, keeps_modes(str(built)))
        except InputError as error:
            problems += error.problems
            continue
        if version is not None:
            # What was built is held against the flavor's own version, and what is packed says the other.
            origin, files = bundles.render(with_release(bundles.contracts[id_], version, None))
        releases[id_] = make_artifacts(files, origin, formats or default_formats(files))
    if problems:
        raise InputError(problems)
    return releases


def publishable(
    inputs: Inputs, ids: Sequence[str], version: str | None
) -> Callable[[Callable[[str], str]], Iterator[tuple[Origin, Files]]]:
    """Return what renders the named flavors, or all current ones whose client has marketplaces, as they are released.

    It takes what names the marketplace of a host. `version` replaces the flavors' own.
    """
    chosen = inputs.choose(ids)
    bundles = Bundles(inputs, chosen)
    hosts = {host.id for host in inputs.hosts.listing}
    listed = [bundles.contracts[id_] for id_ in chosen if ids or hosts & set(bundles.contracts[id_].host.manifests)]

    def render(marketplace: Callable[[str], str]) -> Iterator[tuple[Origin, Files]]:
        for contract in listed:
            yield bundles.render(with_release(contract, version, marketplace(contract.host.id)))

    return render
