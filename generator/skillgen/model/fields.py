"""Find the field of the contract that a path names, with what is said at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from skillgen.model.base import Model
from skillgen.model.contract import Contract
from skillgen.model.told import DECIDES, Decides, Read, Told

Path = tuple[str | int, ...]
EACH = "*"
"""The step of a path that stands for any key of a mapping."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the contract; the members of a union count as one model."""

    told: Told = field(default_factory=Told)
    read: Read = field(default_factory=Read)
    decides: Decides | None = None
    type: Any = None
    """What the value may be; of a union's members the first."""


@cache
def contract_fields() -> dict[tuple[str, ...], Field]:
    """Return every field of the contract by its path, in the contract's order; items of a list have their list's path."""
    found: dict[tuple[str, ...], Field] = {}
    for path, one in _of_model(Contract, (), Told(), False):
        below = found.get(path)
        if below:
            one = Field(
                _join_told(below.told, one.told),
                _join_read(below.read, one.read),
                _decides(below.decides, one.decides),
                below.type or one.type,
            )
        found[path] = one
    return found


def find_field(path: Path) -> Field:
    """Return the field at a path of a contract's JSON; for a path that no contract has now, what it inherits."""
    known = contract_fields()
    at: tuple[str, ...] = ()
    lost = False
    for step in path:
        if isinstance(step, int):
            continue
        at, lost = next(
            ((near, False) for near in ((*at, step), (*at, EACH)) if near in known),
            (at, True),
        )
        if lost:
            break
    there = known.get(at, Field())
    if not lost:
        return there
    return Field(Told(group=there.told.group, only_said=there.told.only_said), decides=there.decides and DECIDES)


def type_at(path: Path) -> Any:
    """Return what the value at a path may be."""
    return find_field(path).type or Any


def choices_at(path: Path) -> tuple[str, ...]:
    """Return the values from which one at a path is chosen; none where it is not chosen from a few."""
    one = find_field(path)
    if one.decides and one.decides.choices:
        return one.decides.choices
    inside = one.type
    while get_origin(inside) is Annotated:
        inside = get_args(inside)[0]
    return tuple(get_args(inside)) if get_origin(inside) is Literal else ()


def deciding() -> frozenset[tuple[str, str]]:
    """Return the models and fields that may be left open, by name."""
    return frozenset(_find_deciding(Contract, False))


def models_in(root: type[Model]) -> tuple[type[Model], ...]:
    """Return a model and every model that its fields reach, each once."""
    found: dict[type[Model], None] = {}
    waiting = [root]
    while waiting:
        model = waiting.pop()
        if model not in found:
            found[model] = None
            waiting += [below for info in model.model_fields.values() for below in _models_of(info.annotation)]
    return tuple(found)


def _find_deciding(model: type[Model], above: bool) -> Iterator[tuple[str, str]]:
    for name, info in model.model_fields.items():
        decides = above or any(isinstance(item, Decides) for item in info.metadata)
        if decides:
            yield model.__name__, name
        for below in _models_of(info.annotation):
            yield from _find_deciding(below, decides)


def _models_of(annotation: Any) -> Iterator[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for part in get_args(annotation):
        yield from _models_of(part)


def _of_model(
    model: type[Model], path: tuple[str, ...], above: Told, decided: bool
) -> Iterator[tuple[tuple[str, ...], Field]]:
    for name, info in model.model_fields.items():
        told, read = _merge(info.metadata)
        decides = next((item for item in info.metadata if isinstance(item, Decides)), DECIDES if decided else None)
        at = (*path, name)
        kinds = bool(told.change) and _has_kinds(info.annotation)
        inherited = replace(told, group=told.group or above.group, only_said=told.only_said or above.only_said)
        # On a union the words are those of its kind.
        whole = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
        yield at, Field(replace(inherited, change="") if kinds else inherited, read, decides, whole)
        if kinds:
            yield (*at, "kind"), Field(replace(inherited, values=(), group=told.group), decides=decides and DECIDES)
        below = Told(group=inherited.group, only_said=inherited.only_said)
        yield from _walk_fields(info.annotation, at, below, decides is not None)


def _walk_fields(
    annotation: Any, path: tuple[str, ...], above: Told, decided: bool
) -> Iterator[tuple[tuple[str, ...], Field]]:
    """Yield the fields of every model that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield from _of_model(annotation, path, above, decided)
        return
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inside = inside[:1]
    elif origin is dict:
        path, inside = (*path, EACH), inside[1:]
        yield path, Field(above, decides=DECIDES if decided else None)
    for part in inside:
        if get_args(part) or isinstance(part, type):
            yield from _walk_fields(part, path, above, decided)


def _has_kinds(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return "kind" in annotation.model_fields
    return any(_has_kinds(part) for part in get_args(annotation))


def _merge(metadata: list[Any]) -> tuple[Told, Read]:
    told, read = Told(), Read()
    for item in metadata:
        if isinstance(item, Told):
            told = _join_told(told, item)
        elif isinstance(item, Read):
            read = _join_read(read, item)
    return told, read


def _join_told(one: Told, other: Told) -> Told:
    return Told(
        group=one.group or other.group,
        change=one.change or other.change,
        values=tuple(dict([*one.values, *other.values]).items()),
        came=one.came or other.came,
        gone=one.gone or other.gone,
        only_said=one.only_said or other.only_said,
    )


def _decides(one: Decides | None, other: Decides | None) -> Decides | None:
    return one if one is not None and one is not DECIDES else other or one


def _join_read(one: Read, other: Read) -> Read:
    return Read(
        owner=one.owner or other.owner,
        facts=tuple(dict.fromkeys([*one.facts, *other.facts])),
        made=one.made or other.made,
        claim=one.claim or other.claim,
    )
