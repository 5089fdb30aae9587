"""Read what is known of hosts, for every step: `hosts/<id>.yaml` among the templates, one file a host."""

from __future__ import annotations

import dataclasses
import os
import re
import types
import typing
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from typing import Any, TypeVar

from skillgen.errors import InputError, Problem, UsageError
from skillgen.model.document import parse_document
from skillgen.model.files import TemplateFile
from skillgen.model.host import Host, Hosts
from skillgen.model.node import Node, plain
from skillgen.resources import own_templates, shipped

Made = TypeVar("Made")

_FILE = re.compile(r"hosts/([a-z0-9]+(?:-[a-z0-9]+)*)\.yaml")
#: Set by the reading, never written in a file.
_SET = ("id", "offered", "node")


def read_hosts(templates: Mapping[str, TemplateFile]) -> Hosts:
    """Return the hosts among template files (path under `templates/` -> file).

    Raises InputError with every unknown key, wrong value and missing name, each with its place.
    """
    found: dict[str, Host] = {}
    problems: list[Problem] = []
    drawn = {name.split("/")[1] for name in templates if name.startswith("hosts/") and name.count("/") > 1}
    for path in sorted(templates):
        if (match := _FILE.fullmatch(path)) is None:
            continue
        file = templates[path]
        node = parse_document(file.source, file.data, problems)
        if node is None:
            continue
        fields = _fields(Host, node, problems)
        if fields is not None:
            whole = {"id": match[1], **fields}
            offered = bool(whole.get("skill_only")) or (match[1] in drawn and whole.get("manifest") is not None)
            found[match[1]] = Host(**whole, offered=offered, node=node)
    if problems:
        raise InputError(problems)
    return Hosts(found)


def known_hosts() -> Hosts:
    """Return the hosts of the shipped templates and of a user's own (`--templates`); each set is read at the first call only."""
    return _read(shipped("templates"), *own_templates())


def shipped_hosts() -> Hosts:
    """Return the hosts that ship with skillgen, whatever else this run knows."""
    return _read(shipped("templates"))


def follows_hosts(make: Callable[[], Made]) -> Callable[[], Made]:
    """Remember what a function makes of the known hosts, for as long as those are the known ones."""
    last: list[tuple[Hosts, Made]] = []

    @wraps(make)
    def remembered() -> Made:
        hosts = known_hosts()
        if not last or last[0][0] is not hosts:
            last[:] = [(hosts, make())]
        return last[0][1]

    return remembered


@lru_cache(maxsize=8)
def _read(*templates: str) -> Hosts:
    files = {}
    for directory in templates:
        if not os.path.isdir(directory):
            raise UsageError(f"{directory}: no directory of templates; name one that holds hosts/ or bundle/")
        top = os.path.join(directory, "hosts")
        for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
            full = os.path.join(top, name)
            if os.path.isdir(full):
                files[f"hosts/{name}/"] = TemplateFile(full, b"", False, True)
            elif name.endswith(".yaml") and os.path.isfile(full):
                with open(full, "rb") as stream:
                    files[f"hosts/{name}"] = TemplateFile(full, stream.read(), False, True)
    return read_hosts(files)


def _fields(shape: Any, node: Node, problems: list[Problem]) -> dict[str, Any] | None:
    """Return the values of a dataclass's fields, or None after adding a problem for each that does not fit."""
    if not isinstance(node.value, dict):
        problems.append(node.place.problem("is no mapping", "write `key: value` lines"))
        return None
    hints = _hints(shape)
    names = [field.name for field in dataclasses.fields(shape) if field.name not in (_SET if shape is Host else ())]
    before = len(problems)
    values: dict[str, Any] = {}
    for name, child in node.value.items():
        if name not in names:
            problems.append(child.named_at.problem(f"unknown key `{name}`", f"known are {', '.join(names)}"))
        else:
            values[name] = _value(hints[name], child, problems)
    for field in dataclasses.fields(shape):
        needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if needed and field.name in names and field.name not in values:
            problems.append(node.place.problem(f"`{field.name}` is missing", "write it"))
    return values if len(problems) == before else None


@lru_cache
def _hints(shape: Any) -> dict[str, Any]:
    return typing.get_type_hints(shape)


def _value(hint: Any, node: Node, problems: list[Problem]) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _value(next(part for part in arguments if part is not type(None)), node, problems)
    if dataclasses.is_dataclass(hint):
        fields = _fields(hint, node, problems)
        return hint(**fields) if fields is not None else None  # type: ignore[operator]
    if origin is tuple and isinstance(node.value, list):
        return tuple(_value(arguments[0], child, problems) for child in node.value)
    if origin is dict and isinstance(node.value, dict):
        return {name: _value(arguments[1], child, problems) for name, child in node.value.items()}
    if origin is typing.Literal:
        if node.value not in arguments:
            problems.append(node.place.problem(f"is {plain(node)!r}", f"write one of {', '.join(map(str, arguments))}"))
        return node.value
    if origin is None and type(node.value) is hint:
        return node.value
    words = {str: "text", bool: "true or false", int: "a number"}
    wanted = {tuple: "a list", dict: "a mapping"}.get(origin) or words[hint]
    problems.append(node.place.problem("does not fit here", f"write {wanted}"))
    return node.value
