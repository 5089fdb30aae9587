"""Put each mode of a flavor together: defaults, pool, base flavors, `like`, the flavor's own words."""

from __future__ import annotations

from collections.abc import Set

from skillgen.errors import Problem
from skillgen.model.guess import did_you_mean, nearest
from skillgen.model.mode import Mode
from skillgen.model.node import Node
from skillgen.resolve.dropped import Absent, find_dropped
from skillgen.resolve.merge import merge

_LONGEST = 20
"""Modes that may start from each other in a row."""


def join_modes(skill: Node, flavors: list[Node], problems: list[Problem]) -> tuple[dict[str, Node], Absent]:
    """Return key -> mode of every mode that the flavors name, lowest base first, later ones over earlier ones, and what they lack.

    `null` drops a mode that a base has. `like: other` takes the pool's mode, or the same file's, as the base.
    """
    defaults = skill.mapping().get("mode")
    for flavor in flavors:
        if (own := flavor.mapping().get("mode")) is not None:
            defaults = merge(defaults, own)
    pool = _section(skill).mapping()
    joined: dict[str, Node] = {}
    below: list[dict[str, Node]] = []
    slips: set[str] = set()
    needed = Mode.model_fields.keys() - (defaults.mapping() if defaults is not None else {}).keys()
    for flavor in flavors:
        below.append(joined)
        layer = _Layer(_section(flavor), pool, joined, needed, problems)
        joined = layer.result()
        slips |= set(layer.meant)
    absent = Absent(find_dropped(flavors, skill, below), frozenset(slips))
    return {key: _over_defaults(defaults, mode) for key, mode in joined.items()}, absent


def _section(document: Node) -> Node:
    return document.mapping().get("modes", Node({}, document.place))


def _over_defaults(defaults: Node | None, mode: Node) -> Node:
    return merge(defaults, mode) if isinstance(mode.value, dict) else mode


class _Layer:
    """The modes of one flavor file, over those of its base."""

    def __init__(
        self,
        section: Node,
        pool: dict[str, Node],
        base: dict[str, Node],
        needed: Set[str],
        problems: list[Problem],
    ) -> None:
        """Take what a mode has to say for itself, since no default says it."""
        self.needed = needed
        self.named = section.mapping()
        self.pool = pool
        self.base = base
        self.problems = problems
        self.done: dict[str, Node] = {}
        self.meant: dict[str, str] = {}
        """Slips of the pen -> the mode that was meant."""

    def result(self) -> dict[str, Node]:
        joined = {key: mode for key, mode in self.base.items() if not self._is_dropped(key)}
        for key, mode in self.named.items():
            if mode.value is None:
                if key not in self.base:
                    what = f"`modes.{key}` is null, yet no base has that mode"
                    repair = did_you_mean(key, self.base, f"write `{key}: {{}}` to have it, or leave it out")
                    self.problems.append(mode.named_at.problem(what, repair))
                continue
            made = self._mode(key, ())
            meant = self.meant.get(key, key)
            if meant == key or meant not in self.named:
                joined[meant] = made
        return joined

    def _is_dropped(self, key: str) -> bool:
        return key in self.named and self.named[key].value is None

    def _mode(self, key: str, via: tuple[str, ...]) -> Node:
        if key in self.done:
            return self.done[key]
        own = self.named[key]
        like = own.mapping().get("like")
        below = self.base.get(key, self.pool.get(key)) if like is None else self._resolve_like(key, like, (*via, key))
        if below is None and like is None and self.needed - own.mapping().keys():
            below = self._nearest(key, own)
        rest = Node({name: child for name, child in own.mapping().items() if name != "like"}, own.place, own.key)
        mode = merge(below, rest) if isinstance(own.value, dict) else own
        mode = Node(mode.value, own.place, own.key)
        self.done[key] = mode
        return mode

    def _nearest(self, key: str, own: Node) -> Node | None:
        """Take a mode that nobody knows for a slip of the pen, and go on with the one that was meant."""
        near = nearest(key, [*self.base, *self.pool])
        if not near:
            return None
        what = f"`modes.{key}` says too little for a new mode, and none is known by that name"
        self.problems.append(own.named_at.problem(what, f"did you mean `{near}`?"))
        self.meant[key] = near
        return self.base.get(near, self.pool.get(near))

    def _resolve_like(self, key: str, like: Node, via: tuple[str, ...]) -> Node | None:
        name = like.text()
        if name in via[:-1]:
            what = f"`modes.{key}.like` comes back to `{name}`"
            self.problems.append(like.place.problem(what, "let one of them stand by itself"))
            return None
        if len(via) > _LONGEST:
            self.problems.append(like.place.problem(f"`like` leads through more than {_LONGEST} modes", "start nearer"))
            return None
        if name != key and name in self.named and isinstance(self.named[name].value, dict):
            return self._mode(name, via)
        if name in self.pool:
            return self.pool[name]
        known = sorted({*self.pool, *(other for other in self.named if other != key)})
        what = f"`modes.{key}.like` names the unknown mode `{name}`" if name else f"`modes.{key}.like` is no mode"
        self.problems.append(like.place.problem(what, did_you_mean(name, known)))
        return self.base.get(key, self.pool.get(key))
