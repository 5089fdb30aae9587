"""Hold the joined values against the contract's model, and say of each mistake where it was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from skillgen.errors import Problem
from skillgen.model.contract import Contract
from skillgen.model.node import Node, plain
from skillgen.resolve.shape import Shape, shape_at
from skillgen.resolve.wording import word

#: What is to be expected where a base could not be found.
_LACKS = ("missing", "union_tag_not_found", "too_short")


def validate(tree: Node, problems: list[Problem], *, complete: bool = True) -> Contract | None:
    """Return the contract, or None after adding a problem for every mistake.

    Without `complete` a base is known to be absent, and what only lacks is not a mistake of its own.
    """
    try:
        return Contract.model_validate(plain(tree))
    except ValidationError as error:
        details = [one for one in error.errors(include_url=False) if complete or one["type"] not in _LACKS]
        problems.extend(_once_a_place(tree, details))
        return None


def _once_a_place(tree: Node, details: list[Any]) -> Iterator[Problem]:
    """Yield a problem a mistake: what `mode`, `like` or an alias gives to many modes is written, so told, once."""
    shared: dict[object, list[Any]] = {}
    for detail in details:
        loc = detail["loc"]
        if loc[:1] != ("modes",):
            yield problem_at(tree, detail, Contract)
            continue
        node = _locate(tree, loc, Contract)[0]
        shared.setdefault((node.named_at, node.place, detail["type"], loc[2:]), []).append(detail)
    for first, *others in shared.values():
        problem = problem_at(tree, first, Contract)
        if others:
            modes = "another mode" if len(others) == 1 else f"{len(others)} other modes"
            problem = problem._replace(what=f"{problem.what} (the same in {modes})")
        yield problem


def problem_at(tree: Node, detail: Any, root: type[BaseModel]) -> Problem:
    """Return one of pydantic's error details about a document of the model `root`, at the place where it was written."""
    node, path, shape, missing = _locate(tree, detail["loc"], root)
    what, repair = word(detail, path, shape)
    if detail["type"] == "extra_forbidden":
        return node.named_at.problem(what, repair)
    if missing:
        # What no flavor of the chain has begun to say is missing from this one as a whole.
        place = node.named_at if node.place.path == tree.place.path else tree.place
        return place.problem(what, repair)
    return node.place.problem(what, repair)


def _locate(
    tree: Node, loc: tuple[str | int, ...], root: type[BaseModel]
) -> tuple[Node, tuple[str | int, ...], Shape, tuple[str | int, ...]]:
    """Follow pydantic's location through the tree.

    Steps that name a member of a union or a kind of check stand for no value and are passed over. What is left when
    the tree ends is the missing key.
    """
    node = tree
    path: tuple[str | int, ...] = ()
    rest: tuple[str | int, ...] = ()
    for index, step in enumerate(loc):
        value = node.value
        child: Node | None = None
        if isinstance(step, int) and isinstance(value, list) and step < len(value):
            child = value[step]
        elif isinstance(step, str) and isinstance(value, dict):
            child = value.get(step)
        if child is not None:
            node, path = child, (*path, step)
        elif isinstance(value, dict) and index == len(loc) - 1 and step != "[key]" and not _is_kind(value, step):
            rest = (step,)
            path = (*path, step)
    return node, path, shape_at(path, tree, root), rest


def _is_kind(value: dict[str, Node], step: str | int) -> bool:
    return "kind" in value and value["kind"].value == step
