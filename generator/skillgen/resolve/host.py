"""Fill in what follows from a flavor's host, and refuse what its host or manifests cannot take."""

from __future__ import annotations

from collections.abc import Sequence

from skillgen.errors import Problem
from skillgen.model.guess import did_you_mean
from skillgen.model.host import Host, Hosts
from skillgen.model.node import Node

#: What a host's file says of the skill's text -> key of the contract.
HANDED = {"directory": "skill_directory", "session": "session", "tells": "tells", "allowed_tools": "allowed_tools"}


def fill_host(entries: dict[str, Node], hosts: Hosts, paths: Sequence[str]) -> None:
    """Add the host's name, agent and manifest, how it hands the text over, and the command by which it calls the skill, where no file says them."""
    given = entries.get("host")
    id_ = given.mapping().get("id") if given else None
    if given is None or id_ is None or id_.text() not in hosts:
        return
    host = hosts[id_.text()]
    found = {name: node for name in ("name", "agent") if (node := host.node.mapping().get(name)) is not None}
    skill = host.node.mapping().get("skill")
    for name, key in HANDED.items():
        said = skill.mapping().get(name) if skill else None
        found[key] = said or Node(getattr(host.skill, name), id_.place, id_.key)
    found["manifests"] = Node([] if host.skill_only else [Node(host.id, id_.place)], id_.place, id_.key)
    entries["host"] = Node({**found, **given.mapping()}, given.place, given.key)
    _follow_session(entries, host, id_, hosts, paths)
    command = entries.get("command") or Node({}, given.place)
    plugin, front = (
        (part.mapping().get("name") if (part := entries.get(name)) else None) for name in ("plugin", "front")
    )
    if plugin is None or front is None or not isinstance(command.value, dict) or "form" in command.value:
        return
    if form := host.form(plugin.text(), front.text()):
        entries["command"] = Node({"form": Node(form, plugin.place), **command.value}, command.place, command.key)


def _follow_session(entries: dict[str, Node], host: Host, id_: Node, hosts: Hosts, paths: Sequence[str]) -> None:
    """Put the host's session variables in place of another host's, where a file below the one that chooses the host wrote them.

    Else a shell that another host's session started, and that starts this one, would name that other session's records.
    """
    identity = entries.get("identity")
    listed = identity.mapping().get("variables") if identity else None
    if identity is None or listed is None or not host.session.variables:
        return
    if not _is_below(listed.place.path, id_.place.path, paths):
        return
    own = {*host.session.variables, *host.session.never}
    others = {name for one in hosts.values() for name in (*one.session.variables, *one.session.never)} - own
    kept = [node for node in listed.items() if node.text() not in others]
    if len(kept) == len(listed.items()):
        return
    session = host.node.mapping()["session"].mapping()["variables"].items()
    said = {node.text() for node in kept}
    variables = Node([*kept, *(node for node in session if node.text() not in said)], id_.place, listed.key)
    entries["identity"] = Node({**identity.mapping(), "variables": variables}, identity.place, identity.key)


def _is_below(path: str, other: str, paths: Sequence[str]) -> bool:
    """Whether a file comes before another one; `paths` are those of the flavors, lowest base first, and none of the skill."""
    level = {name: n for n, name in enumerate(paths)}
    return level.get(path, -1) < level.get(other, -1)


def check_host(tree: Node, hosts: Hosts, problems: list[Problem]) -> bool:
    """Add a problem for a host or manifest that no bundle can be built for, and for a plugin that it would refuse.

    Return whether the flavor's own host is known, so that nothing which it gives is missing.
    """
    host = tree.mapping().get("host") or Node(None, tree.place)
    id_ = host.mapping().get("id")
    known = id_ is None or not id_.text() or _is_offered(id_, "host.id", hosts, problems)
    manifests = host.mapping().get("manifests")
    listed = manifests.items() if manifests else []
    for index, node in enumerate(listed):
        if node is id_ or not node.text() or (id_ is not None and node.place == id_.place):
            continue
        if _is_offered(node, f"host.manifests[{index}]", hosts, problems) and hosts[node.text()].skill_only:
            what = f"`host.manifests[{index}]` is `{node.text()}`, which has no manifest"
            problems.append(node.place.problem(what, "leave it out"))
    if manifests is not None and id_ is not None and id_.text() in hosts.offered:
        own = hosts[id_.text()]
        if not own.skill_only and own.id not in [node.text() for node in listed]:
            what = f"`host.manifests` leaves out `{own.id}`, the flavor's own host"
            problems.append(manifests.place.problem(what, "add it, or leave the key out"))
    tools = tree.mapping().get("tools")
    if tools is not None and tools.value is None and id_ is not None and id_.text() in hosts.offered:
        own = hosts[id_.text()]
        if not own.scripts:
            what = f"`tools` is null, so that only the script cancels, and {own.name} runs no scripts of a skill"
            problems.append(tools.place.problem(what, "say how the product's tools are called, or take another host"))
    for node in listed:
        if node.text() in hosts.offered:
            _plugin(node, hosts, tree, problems)
    return known


def _is_offered(node: Node, key: str, hosts: Hosts, problems: list[Problem]) -> bool:
    """Add a problem unless bundles can be built for the host."""
    name = node.text()
    if name in hosts.offered:
        return True
    if name in hosts:
        what = f"`{key}` is `{name}`, for which there are no templates"
        problems.append(node.place.problem(what, f"add hosts/{name}/, or {did_you_mean('', hosts.offered)}"))
    else:
        problems.append(node.place.problem(f"`{key}` is the text `{name}`", did_you_mean(name, hosts.offered)))
    return False


def _plugin(node: Node, hosts: Hosts, tree: Node, problems: list[Problem]) -> None:
    """Hold the plugin's names against what the host takes; where a base wrote them, the user's choice of host is at fault."""
    manifest = hosts[node.text()].manifest
    plugin = tree.mapping().get("plugin")
    if manifest is None or plugin is None:
        return
    key = "package" if manifest.kind == "package" else "name"
    named = plugin.mapping().get(key)
    if named is None or not isinstance(named.value, str):
        return
    where = named.place if named.place.path == tree.place.path else node.place
    if not named.value:
        if key == "package":
            what = f"`plugin.package` is empty, and {hosts[node.text()].name} installs npm packages"
            problems.append(where.problem(what, "write the package's name"))
    elif len(named.value) > manifest.longest_name:
        what = f"`plugin.{key}` has {len(named.value)} characters"
        problems.append(where.problem(what, f"write at most {manifest.longest_name}"))
    elif begin := next((begin for begin in manifest.reserved if named.value.startswith(begin)), ""):
        what = f"`plugin.{key}` begins with `{begin}`, which {hosts[node.text()].name} keeps for itself"
        problems.append(where.problem(what, "name it after the product"))
    _summary(node, hosts[node.text()], plugin, tree, problems)


def _summary(node: Node, host: Host, plugin: Node, tree: Node, problems: list[Problem]) -> None:
    said, limits = plugin.mapping().get("summary"), host.limits
    if said is None or not limits.summary_most or limits.summary_least <= len(said.text()) <= limits.summary_most:
        return
    where = said.place if said.place.path == tree.place.path else node.place
    what = f"`plugin.summary` has {len(said.text())} characters"
    problems.append(where.problem(what, f"write {limits.summary_least} to {limits.summary_most} for {host.name}"))
