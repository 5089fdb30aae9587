"""See on which host a text's product runs, where it is not the base's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skillgen.adopt.wanted import Target
from skillgen.model.contract import Contract

#: The directory under the user's home that is a host's own. A package's host has none of its own bundles elsewhere.
_HOMES = {"claude-code": ".claude", "codex": ".codex", "copilot": ".copilot"}


def known_hosts(contracts: Mapping[str, Contract]) -> dict[str, dict[str, Any]]:
    """Return the hosts of the known flavors by their ids."""
    return {contract.host.id: contract.host.model_dump(mode="json") for contract in contracts.values()}


def take_host(target: Target, hosts: Mapping[str, Mapping[str, Any]]) -> None:
    """Take the one known host whose home directory the text names, where it does not name that of the base's."""
    own = target.data["host"]["id"]
    if target.kin or own not in _HOMES:
        return
    told = {}
    for id_, home in _HOMES.items():
        name, line = target.evidence.first(re.compile(rf"(?:~|\$HOME|\$\{{HOME\}})/({re.escape(home)})(?![\w.-])"))
        if name:
            told[id_] = line
    if len(told) != 1 or own in told or (found := next(iter(told))) not in hosts:
        return
    target.data["host"] = dict(hosts[found])
    target.lines[("host",)] = told[found]
