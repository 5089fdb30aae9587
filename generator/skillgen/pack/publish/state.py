"""Read what a marketplace repository says about itself."""

from __future__ import annotations

from skillgen.errors import InputError, Problem
from skillgen.hosts import known_hosts
from skillgen.model.release import RECORD
from skillgen.model.visible import escaped
from skillgen.pack.marketplace import catalogue_name, read_catalogue
from skillgen.pack.publish.plan import State
from skillgen.pack.publish.record import read_record
from skillgen.pack.publish.target import Target


def read_state(target: Target) -> State:
    """Return record and marketplace files of the branch; a marketplace that is new takes a sibling's or the directory's name."""
    catalogues = {}
    for path in known_hosts().catalogues:
        data = target.read(path)
        if data is not None:
            catalogues[path] = data
    names = [read_catalogue(path, data).get("name") for path, data in catalogues.items()]
    given = next((name for name in names if isinstance(name, str) and name), "")
    owner = target.git.text("config", "user.name") if target.git.succeeds("config", "user.name") else ""
    name = given or catalogue_name(target.path.resolve().name.removesuffix(".git"))
    return State(read_record(target.read(RECORD)), catalogues, name, owner or name)


def marketplace_name(state: State, host: str) -> str:
    """Return the name under which a host's users know this marketplace; raise InputError for one that no command takes."""
    for client in known_hosts().listing:
        if client.id == host:
            for path in client.places:
                if path in state.catalogues:
                    return _checked_name(
                        path, str(read_catalogue(path, state.catalogues[path]).get("name") or state.name)
                    )
    return state.name


def _checked_name(path: str, name: str) -> str:
    """Return a marketplace's name: it becomes part of commands that users copy."""
    if catalogue_name(name) != name:
        what = f"the marketplace is called {escaped(name[:80])!r}"
        repair = "rename it: lower-case letters, digits and single hyphens, at most 64"
        raise InputError([Problem(path, 0, 0, what, repair)])
    return name
