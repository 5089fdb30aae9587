"""Derive the JSON Schema of a flavor file from the contract's model."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

from pydantic import BaseModel

from skillgen.model.base import Model
from skillgen.model.contract import Contract
from skillgen.model.driving import Driving
from skillgen.model.fields import deciding
from skillgen.model.host import Hosts
from skillgen.model.question import BASE, LEAST, UNKNOWN

Schema = dict[str, Any]


def flavor_schema(hosts: Hosts) -> Schema:
    """Return a schema (draft 2020-12) in which nothing is required: a flavor holds only what differs from its base.

    Of the hosts it offers those that bundles can be built for.
    """
    contract = Contract.model_json_schema(mode="validation")
    definitions = {name: _loosen(part) for name, part in contract.pop("$defs").items()}
    schema: Schema = _loosen(contract)
    _describe({"Contract": schema, **definitions})
    properties = schema["properties"]
    del properties["flavor"]
    mode = {"$ref": "#/$defs/Mode"}
    properties["modes"] = {
        "description": "The modes that the flavor has; `{}` takes one as the skill knows it, null drops one of the base.",
        "type": "object",
        "propertyNames": {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "additionalProperties": {"anyOf": [mode, {"type": "null"}]},
    }
    properties["mode"] = {"description": "Defaults of every mode.", **mode}
    properties["order"] = {
        "description": properties["order"].get("description", ""),
        "type": "array",
        "items": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]},
    }
    for name in ("metadata", "host_keys"):
        values = definitions["Front"]["properties"][name]
        values["additionalProperties"] = {"anyOf": [values["additionalProperties"], {"type": "null"}]}
    definitions["Mode"]["properties"]["like"] = {
        "type": "string",
        "description": "A mode of the skill or of this file that this one starts from.",
    }
    host = definitions["Host"]["properties"]
    host["id"] = {**host["id"], "enum": list(hosts.offered)}
    host["manifests"]["items"] = {"type": "string", "enum": [id_ for id_ in hosts.offered if not hosts[id_].skill_only]}
    _leave_open({"Contract": schema, **definitions})
    base = {"type": "string", "description": "The flavor that this one starts from; without it, the canonical skill."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skillgen flavor",
        "description": "One product's differences from the canonical skill; the file's name is the flavor's id.",
        "type": "object",
        "additionalProperties": False,
        "properties": {"base": base, **properties},
        "$defs": {**definitions, "Open": _OPEN},
    }


_OPEN: Schema = {
    "type": "object",
    "description": "A value that nobody has said yet; nothing is built before it is written.",
    "additionalProperties": False,
    "required": [UNKNOWN, BASE, LEAST],
    "properties": {
        UNKNOWN: {"type": "string", "minLength": 1, "description": "The question."},
        BASE: {"description": "What the base says."},
        LEAST: {"description": "The answer that harms least."},
    },
}


def conform_schema() -> Schema:
    """Return a schema (draft 2020-12) of the file that says how `skillgen conform` drives a flavor's program."""
    schema = Driving.model_json_schema(mode="validation")
    definitions = schema.pop("$defs")
    _describe({"Driving": schema, **definitions})
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "skillgen conform file"}
    return {**schema, **head, "$defs": definitions}


def _leave_open(definitions: dict[str, Schema]) -> None:
    """Let every key that decides what is removed or stopped hold a question too."""
    for model, name in sorted(deciding()):
        properties = definitions[model]["properties"]
        value = dict(properties[name])
        described = {"description": value.pop("description")} if "description" in value else {}
        properties[name] = {**described, "anyOf": [value, {"$ref": "#/$defs/Open"}]}


def _loosen(part: Any) -> Any:
    """Drop what only holds for the joined whole: required keys, defaults, the one kind of a union."""
    if isinstance(part, list):
        return [_loosen(item) for item in part]
    if not isinstance(part, dict):
        return part
    loose = {}
    for key, value in part.items():
        if key == "properties":
            loose[key] = {name: _loosen(inner) for name, inner in value.items()}
        elif key == "oneOf":
            # Without its kind a mapping may fit several members.
            loose["anyOf"] = _loosen(value)
        elif key not in ("required", "discriminator", "default", "title", "minProperties"):
            loose[key] = _loosen(value)
    return loose


def _describe(definitions: dict[str, Schema]) -> None:
    """Add the docstring below each field of a model as its description."""
    models = {model.__name__: model for model in _all_models(Model)}
    trees: dict[str, ast.Module] = {}
    for name, definition in definitions.items():
        module = models[name].__module__ if name in models else ""
        if module and module not in trees:
            trees[module] = ast.parse(inspect.getsource(sys.modules[module]))
        for field, text in _field_docs(trees[module], name).items() if module else ():
            if field in definition.get("properties", {}):
                definition["properties"][field].setdefault("description", text)


def _all_models(base: type[BaseModel]) -> list[type[BaseModel]]:
    return [found for model in base.__subclasses__() for found in (model, *_all_models(model))]


def _field_docs(tree: ast.Module, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for definition in tree.body:
        if isinstance(definition, ast.ClassDef) and definition.name == name:
            for field, doc in zip(definition.body, definition.body[1:], strict=False):
                is_field = isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                if is_field and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
                    found[field.target.id] = inspect.cleandoc(str(doc.value.value))  # type: ignore[attr-defined]
    return found
