"""Say in a fork's lock where its bundle comes from."""

from __future__ import annotations

import json
import os
from functools import cache

from skillgen import __version__
from skillgen.build.inputs import Inputs
from skillgen.errors import UsageError
from skillgen.model.lock import ForkOrigin
from skillgen.resources import shipped


def fork_origin(inputs: Inputs, id_: str, root: str, product: str, before: ForkOrigin) -> ForkOrigin:
    """Return the origin of a bundle that is rendered now; pin, place and exclusions stay as they were."""
    return ForkOrigin(
        product=product,
        flavors=flavors_directory(inputs.files.paths[id_], root),
        parent=_parent(inputs, id_),
        source=source(),
        pin=before.pin,
        skill=before.skill,
        command=before.command,
        excluded=before.excluded,
    )


def flavors_directory(path: str, root: str) -> str:
    """Return where a flavor's file lies, relative to a fork's root; "" for a shipped one, or one outside its repository."""
    directory = os.path.dirname(os.path.realpath(path))
    if directory == os.path.realpath(shipped("flavors")):
        return ""
    top = repository(root)
    if directory != top and not directory.startswith(top + os.sep):
        return ""
    return os.path.relpath(directory, os.path.realpath(root)).replace(os.sep, "/")


def own_flavors(root: str, origin: ForkOrigin) -> str:
    """Return the directory of flavors that a fork's lock names, "" for none; raise UsageError for one that is not there.

    A lock is a stranger's: only a directory of the same repository is read.
    """
    if not origin.flavors:
        return ""
    directory = os.path.realpath(os.path.join(root, origin.flavors))
    top = repository(root)
    if directory != top and not directory.startswith(top + os.sep):
        raise UsageError(
            f"{root}: its lock names flavors outside the repository ({origin.flavors}); give --flavors DIR"
        )
    if not os.path.isdir(directory):
        raise UsageError(
            f"{root}: its lock names the flavors in {origin.flavors}, which is not there; give --flavors DIR"
        )
    return directory


def repository(root: str) -> str:
    """Return the top of the work tree around a directory, or the directory itself where there is none."""
    here = at = os.path.realpath(root)
    while True:
        if os.path.lexists(os.path.join(at, ".git")):
            return at
        above = os.path.dirname(at)
        if above == at:
            return here
        at = above


def _parent(inputs: Inputs, id_: str) -> str:
    """Return id, revision and digest of the flavor that this one builds on, "" for one that builds on none."""
    import hashlib

    document = inputs.files.with_bases([id_], []).get(id_)
    base = document.mapping().get("base") if document else None
    if base is None or base.text() not in inputs.files.paths:
        return ""
    above = inputs.files.document(base.text(), [])
    revision = above.mapping().get("revision") if above else None
    digest = hashlib.sha256(inputs.files.data(base.text())).hexdigest()
    return f"{base.text()} {(revision.text() if revision else '') or '-'} {digest}"


@cache
def source() -> str:
    """Return the version of this skillgen, and the commit that it was installed from where its installer recorded one."""
    from importlib.metadata import PackageNotFoundError, distribution

    for name in ("cancel-skillgen", "skillgen"):
        try:
            text = distribution(name).read_text("direct_url.json")
        except PackageNotFoundError:
            continue
        try:
            commit = json.loads(text or "{}").get("vcs_info", {}).get("commit_id", "")
        except (ValueError, AttributeError):
            commit = ""
        return f"{__version__} {commit}".strip() if str(commit).isalnum() else __version__
    return __version__
