"""Tell which keys a place in a flavor may have, from the contract's model."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from skillgen.model.contract import Contract
from skillgen.model.node import Node


@dataclass(frozen=True, slots=True)
class Shape:
    """What stands around a value: the keys of the mapping that holds it, and the kinds that the mapping may be of."""

    keys: tuple[str, ...]
    kinds: tuple[str, ...]


def shape_at(path: tuple[str | int, ...], tree: Node, root: type[BaseModel] = Contract) -> Shape:
    """Return the shape of the mapping that holds the last step of `path`, in a document of the model `root`."""
    models: list[type[BaseModel]] = [root]
    annotation: Any = root
    node: Node | None = tree
    for step in path[:-1]:
        annotation = _step(annotation, step, node)
        if isinstance(step, str):
            node = node.mapping().get(step) if node else None
        else:
            items = node.items() if node else []
            node = items[step] if step < len(items) else None
    models = _models(annotation)
    chosen = _choose(models, node) or models
    return Shape(
        tuple(dict.fromkeys(name for model in chosen for name in model.model_fields)),
        tuple(kind for model in models for kind in _kinds(model)),
    )


def _step(annotation: Any, step: str | int, node: Node | None) -> Any:
    models = _models(annotation)
    if models and isinstance(step, str):
        for model in _choose(models, node) or models:
            if step in model.model_fields:
                return model.model_fields[step].annotation
        return Any
    for member in _members(annotation):
        args = typing.get_args(member)
        if args and typing.get_origin(member) in (tuple, dict):
            return args[1] if typing.get_origin(member) is dict else args[0]
    return Any


def _members(annotation: Any) -> list[Any]:
    """Flatten Annotated, Optional and unions."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _members(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [found for member in typing.get_args(annotation) for found in _members(member)]
    return [annotation]


def _models(annotation: Any) -> list[type[BaseModel]]:
    return [found for found in _members(annotation) if isinstance(found, type) and issubclass(found, BaseModel)]


def _choose(models: list[type[BaseModel]], node: Node | None) -> list[type[BaseModel]]:
    kind = node.mapping().get("kind") if node else None
    return [model for model in models if kind and kind.value in _kinds(model)]


def _kinds(model: type[BaseModel]) -> tuple[str, ...]:
    field = model.model_fields.get("kind")
    return typing.get_args(field.annotation) if field else ()
