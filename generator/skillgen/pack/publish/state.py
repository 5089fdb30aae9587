"""Read what a marketplace repository says about itself."""

from __future__ import annotations

from skillgen.hosts import shipped_hosts
from skillgen.pack.marketplace import catalogue_name, read_catalogue
from skillgen.pack.publish.plan import State
from skillgen.pack.publish.record import RECORD, read_record
from skillgen.pack.publish.target import Target


def read_state(target: Target) -> State:
    """Return record and marketplace files of the branch; a marketplace that is new takes a sibling's or the directory's name."""
    catalogues = {}
    for path in shipped_hosts().catalogues:
        data = target.read(path)
        if data is not None:
            catalogues[path] = data
    names = [read_catalogue(path, data).get("name") for path, data in catalogues.items()]
    given = next((name for name in names if isinstance(name, str) and name), "")
    owner = target.git.text("config", "user.name") if target.git.succeeds("config", "user.name") else ""
    name = given or catalogue_name(target.path.resolve().name.removesuffix(".git"))
    return State(read_record(target.read(RECORD)), catalogues, name, owner or name)


def marketplace_name(state: State, host: str) -> str:
    """Return the name under which a host's users know this marketplace."""
    for client in shipped_hosts().listing:
        if client.id == host:
            for path in client.places:
                if path in state.catalogues:
                    return str(read_catalogue(path, state.catalogues[path]).get("name") or state.name)
    return state.name
