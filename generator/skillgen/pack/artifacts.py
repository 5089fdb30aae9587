"""Turn one bundle into the files that a release carries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from skillgen.errors import UsageError
from skillgen.model.files import Files
from skillgen.model.origin import Origin
from skillgen.model.release import PROVENANCE, SPDX, SUMS
from skillgen.pack.npm import write_tgz
from skillgen.pack.provenance import write_provenance
from skillgen.pack.spdx import write_spdx
from skillgen.pack.strict import strict_skill
from skillgen.pack.sums import sha256, write_sums
from skillgen.pack.zips import write_zip

Format = Literal["plugin-zip", "skill", "npm", "tree"]
FORMATS: tuple[Format, ...] = ("plugin-zip", "skill", "npm", "tree")


def default_formats(files: Files) -> tuple[Format, ...]:
    """Return the formats that make sense for a bundle: an npm package is for a host that installs from npm.

    A skill alone is no plugin.
    """
    if all(path.startswith("skills/") for path in files):
        return ("skill", "tree")
    return ("skill", "npm", "tree") if "package.json" in files else ("plugin-zip", "skill", "tree")


def make_artifacts(files: Files, origin: Origin, formats: Iterable[Format]) -> dict[str, tuple[bytes, int]]:
    """Return the release of one bundle: path below its output directory -> (content, mode).

    Raises UsageError where a format does not fit the bundle.
    """
    title = f"{origin.plugin}-{origin.version}"
    chosen = tuple(name for name in FORMATS if name in set(formats))
    artifacts: dict[str, tuple[Files, bytes | None]] = {}
    for form in chosen:
        if form == "plugin-zip":
            artifacts[f"{title}.zip"] = (files, write_zip(files))
        elif form == "skill":
            skill = strict_skill(files, origin.skill)
            artifacts[f"{origin.skill}.skill"] = (skill, write_zip(skill, top=origin.skill))
        elif form == "npm":
            if "package.json" not in files:
                raise UsageError(
                    f"{origin.flavor}: has no package.json, so no npm package can be made of it; leave `--format npm` out"
                )
            artifacts[f"{title}.tgz"] = (files, write_tgz(files))
        else:
            artifacts[title] = (files, None)
    release: dict[str, tuple[bytes, int]] = {}
    for name, (tree, data) in artifacts.items():
        if data is None:
            release |= {f"{name}/{path}": file for path, file in tree.items()}
        else:
            release[name] = (data, 0o644)
    subjects = {name: sha256(data) for name, (data, _) in release.items()}
    release[SPDX] = (write_spdx(origin, artifacts), 0o644)
    release[PROVENANCE] = (write_provenance(origin, chosen, subjects), 0o644)
    release[SUMS] = (write_sums({name: data for name, (data, _) in release.items()}), 0o644)
    return release
