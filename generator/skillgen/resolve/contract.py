"""Join the skill and a flavor's files into that flavor's contract."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from skillgen.errors import Problem
from skillgen.model.host import Hosts
from skillgen.model.node import Node, Place
from skillgen.model.question import UNKNOWN
from skillgen.model.resolved import Resolved
from skillgen.resolve.chain import chain
from skillgen.resolve.cross import cross_check
from skillgen.resolve.dropped import Drop, without_dropped
from skillgen.resolve.host import check_host, fill_host
from skillgen.resolve.merge import merge
from skillgen.resolve.misplaced import STEERING, without_misplaced
from skillgen.resolve.modes import join_modes
from skillgen.resolve.placeholders import expand
from skillgen.resolve.validate import validate

#: Mappings whose keys a flavor chooses: those of the front matter, and fields that go into a record.
_FREE = ("metadata", "host_keys", "deactivate", "terminalize")


def resolve(
    flavor: str,
    skill: Node,
    documents: Mapping[str, Node],
    known: Collection[str],
    hosts: Hosts,
    problems: list[Problem],
) -> Resolved | None:
    """Return the flavor's contract with the place of every value, or None after adding every problem.

    `documents`: flavor id to file, with at least the flavor and its bases as far as they could be read; `known`: all ids.
    """
    found = len(problems)
    ids = chain(flavor, documents, known, problems)
    if not ids:
        return None
    # Without its base, or its host, a flavor lacks much; only what it says itself can be wrong then.
    complete = len(problems) == found and documents[ids[0]].mapping().get("base") is None
    layers = []
    modes = set(skill.mapping().get("modes", Node({}, skill.place)).mapping())
    for id_ in ids:
        layer, based = without_misplaced(documents[id_], modes, problems)
        complete = complete and based
        modes |= set(layer.mapping().get("modes", Node({}, layer.place)).mapping())
        layers.append(layer)
    joined = _drop_steering(skill)
    before: list[Node] = []
    for layer in layers:
        below, joined = joined, merge(joined, _drop_steering(layer), before)
        before.append(below)
        if (own := layer.mapping().get("flavor")) is not None:
            problems.append(own.named_at.problem("`flavor` is set by the file's name", "leave it out"))
    by_key, absent = join_modes(skill, layers, problems)
    tree = _finish(flavor, joined, by_key, absent.dropped, [layer.place.path for layer in layers], hosts)
    # Most flavors leave nothing open; what it takes to tell need not be read for them.
    if any(_says_unknown(layer) for layer in layers):
        from skillgen.resolve.unknowns import close_unknowns

        tree = close_unknowns(tree, problems)
    tree = expand(tree, problems)
    if complete:
        cross_check(tree, absent, problems)
    complete = check_host(tree, hosts, problems) and complete
    contract = validate(tree, problems, complete=complete)
    if contract is None or len(problems) > found:
        return None
    return Resolved(contract, tree)


def _says_unknown(node: Node) -> bool:
    """Whether a file holds the key `unknown` anywhere."""
    if isinstance(node.value, dict):
        return UNKNOWN in node.value or any(map(_says_unknown, node.value.values()))
    return any(map(_says_unknown, node.items()))


def bases(flavor: str, documents: Mapping[str, Node]) -> tuple[str, ...]:
    """Return the ids that a flavor builds on, lowest first; of a sound chain only."""
    return tuple(chain(flavor, documents, documents, [])[:-1])


def _without_nulls(name: str, node: Node) -> Node:
    """Drop the keys of the free mappings that a flavor took away by null."""
    if name not in _FREE or not isinstance(node.value, dict):
        return node
    return Node({key: child for key, child in node.value.items() if child.value is not None}, node.place, node.key)


def _drop_steering(document: Node) -> Node:
    entries = {name: node for name, node in document.mapping().items() if name not in STEERING}
    return Node(entries, document.place)


def _finish(
    flavor: str, joined: Node, modes: dict[str, Node], dropped: dict[str, Drop], paths: list[str], hosts: Hosts
) -> Node:
    """Add what no file writes and what the host gives, take out what is dropped, and bring order and modes into one form."""
    entries = dict(joined.mapping())
    modes = without_dropped(entries, modes, dropped)
    whole = Place(paths[-1], 0, 0)
    entries["flavor"] = Node(flavor, whole)
    entries.setdefault("schema_version", Node(1, whole))
    fill_host(entries, hosts, paths)
    order = entries.get("order")
    if order is not None and isinstance(order.value, list):
        groups = [item if isinstance(item.value, list) else Node([item], item.place) for item in order.value]
        entries["order"] = Node(groups, order.place, order.key)
        keys = [name.text() for group in groups for name in group.items()]
        # A mode that the order leaves out is refused later; until then it comes last.
        modes = {key: modes[key] for key in dict.fromkeys([*keys, *modes]) if key in modes}
    for key in ("front", "outcome_fields"):
        if (part := entries.get(key)) is not None and isinstance(part.value, dict):
            kept = {name: _without_nulls(name, node) for name, node in part.value.items()}
            entries[key] = Node(kept, part.place, part.key)
    section = joined.mapping().get("modes")
    entries["modes"] = Node(modes, section.place if section else whole)
    return Node(entries, whole)
