"""See on which host a text's product runs, where it is not the base's."""

from __future__ import annotations

import re

from skillgen.adopt.wanted import Target
from skillgen.hosts import known_hosts
from skillgen.model.host import Host


def take_host(target: Target) -> None:
    """Take the one host with plugins whose home directory the text names, where it does not name that of the base's.

    A host of packages is left out: its bundles are like no other's.
    """
    homes = {
        id_: host
        for id_, host in known_hosts().items()
        if host.offered and host.home and host.manifest and host.manifest.kind == "plugin"
    }
    own = target.data["host"]["id"]
    if target.kin or own not in homes:
        return
    told = {}
    for id_, host in homes.items():
        home = re.escape(host.home)
        name, line = target.evidence.first(re.compile(rf"(?:~|\$HOME|\$\{{HOME\}})/({home})(?![\w.-])"))
        if name:
            told[id_] = line
    if len(told) != 1 or own in told:
        return
    host = homes[next(iter(told))]
    put_host(target, host, told[host.id])


def put_host(target: Target, host: Host, line: int) -> None:
    """Make the bundle for a host, which the given line names."""
    target.data["host"] = {
        "id": host.id,
        "name": host.name,
        "manifests": [host.id],
        "agent": host.agent,
        "skill_directory": host.skill.directory,
        "session": host.skill.session,
        "tells": host.skill.tells,
        "allowed_tools": host.skill.allowed_tools,
    }
    target.lines[("host",)] = line


def form_of(host: str, plugin: str, skill: str) -> str:
    """Return how a host calls a plugin's skill; empty where that is not known."""
    known = known_hosts().get(host)
    return known.form(plugin, skill) if known else ""


def session_variables(host: str) -> tuple[str, ...]:
    """Return the variables that a host sets, then those that its texts name though nothing sets them."""
    known = known_hosts().get(host)
    return (*known.session.variables, *known.session.never) if known else ()


def set_variable(host: str) -> str:
    """Return the variable that a host sets where its texts often name others; empty where nothing is to be mended."""
    known = known_hosts().get(host)
    return known.session.variables[0] if known and known.session.never else ""
