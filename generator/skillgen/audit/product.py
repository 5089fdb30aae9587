"""Say whose text it is: product, plugin prefix, state root, host program."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.hosts import follows_hosts, known_hosts

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: `/plugin:skill`. That the slash comes first lets the search run from slash to slash.
PREFIX = re.compile(r"/(?<![\w/]/)([a-z][\w-]*):[a-z]", re.A)
#: A manifest's name that says little beside another's.
_SHARED = "plugin.json"


@follows_hosts
def host_names() -> dict[str, re.Pattern[str]]:
    """Return host id -> what finds its name or home in a text."""
    return {id_: pattern for id_, host in known_hosts().items() if (pattern := host.says())}


@follows_hosts
def _homes() -> tuple[tuple[str, str], ...]:
    """Return the last directory of each host's home, as it stands in a path, and the host."""
    homes = {id_: host.home.rpartition("/")[2].lstrip(".") for id_, host in known_hosts().items()}
    return tuple((f"/.{home}/", id_) for id_, home in homes.items() if home)


def host_of(text: Text) -> str:
    """Return the host that structure names (manifest, path, label), '' when it is unknown or there are several."""
    known = known_hosts()
    if text.bundle is not None:
        files = text.bundle.files
        found = dict.fromkeys(host for sign, host in known.signs.items() if sign in files and sign != _SHARED)
        if not found and _SHARED in files:
            found = {known.signs[_SHARED]: None}
        if found:
            return next(iter(found)) if len(found) == 1 else ""
    path = f"/{text.path}/"
    if inside := sorted((path.index(home), id_) for home, id_ in _homes() if home in path):
        return inside[0][1]
    label = " ".join((*text.facts.values("label"), *map(namespace, text.facts.values("invocation")))).lower()
    hosts = [id_ for id_, host in known.items() if host.names.word and host.names.word in label]
    if not hosts:
        heads = text.document.headings[:1]
        hosts = [id_ for id_, pattern in host_names().items() if any(pattern.search(head.text) for head in heads)]
    return hosts[0] if len(hosts) == 1 else ""


def namespace(invocation: str) -> str:
    """Return the plugin prefix of `/plugin:cancel`, '' without one."""
    return invocation.lstrip("/$").rpartition(":")[0]


@lru_cache(maxsize=64)
def _contract_words(data: bytes) -> frozenset[str]:
    try:
        return frozenset(_strings(json.loads(data)))
    except (ValueError, RecursionError):
        return frozenset()


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [word for item in value.values() for word in _strings(item)]
    if isinstance(value, list):
        return [word for item in value for word in _strings(item)]
    return []


def declared(text: Text, word: str) -> bool:
    """Whether the skill's own contract.json or its front matter declares a word."""
    if text.skill is not None and "contract.json" in text.skill.files:
        return word in _contract_words(text.skill.files["contract.json"].read())
    key = next((text.front.get(name) for name in ("triggers", "keywords") if text.front.get(name)), None)
    return bool(key and word in str(key.value))
