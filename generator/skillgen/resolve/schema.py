"""Derive the JSON Schema of a flavor file from the contract's model."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

from skillgen.model.base import Model
from skillgen.model.contract import Contract
from skillgen.model.driving import Driving
from skillgen.model.fields import deciding, models_in
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
    _describe(Contract, schema, definitions)
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
    free = (
        ("Front", "metadata"),
        ("Front", "host_keys"),
        ("OutcomeFields", "deactivate"),
        ("OutcomeFields", "terminalize"),
    )
    for model, name in free:
        values = definitions[model]["properties"][name]
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
    _describe(Driving, schema, definitions)
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


def _describe(root: type[Model], schema: Schema, definitions: dict[str, Schema]) -> None:
    """Add to each property of a model, and of all that it reaches, the docstring below its field as its description."""
    trees: dict[str, ast.Module] = {}
    for model in models_in(root):
        module = model.__module__
        if module not in trees:
            trees[module] = ast.parse(inspect.getsource(sys.modules[module]))
        definition = schema if model is root else definitions[model.__name__]
        for field, text in _field_docs(trees[module], model.__name__).items():
            if field in definition.get("properties", {}):
                definition["properties"][field].setdefault("description", text)


def _field_docs(tree: ast.Module, name: str) -> dict[str, str]:
    """Return what a field's docstring says of it, else that of its type's name; of a `kind`, what the class says of itself."""
    found: dict[str, str] = {}
    aliases = _alias_docs(tree)
    for definition in tree.body:
        if not (isinstance(definition, ast.ClassDef) and definition.name == name):
            continue
        for field, doc in zip(definition.body, [*definition.body[1:], None], strict=True):
            if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
                continue
            text = _docstring(doc) or aliases.get(_type_name(field.annotation), "")
            if not text and field.target.id == "kind":
                text = (ast.get_docstring(definition) or "").split("\n\n")[0]
            if text:
                found[field.target.id] = text
    return found


def _alias_docs(tree: ast.Module) -> dict[str, str]:
    """Return the docstrings below a module's own names for types."""
    pairs = zip(tree.body, tree.body[1:], strict=False)
    return {
        assign.targets[0].id: _docstring(doc)
        for assign, doc in pairs
        if isinstance(assign, ast.Assign) and isinstance(assign.targets[0], ast.Name)
    }


def _docstring(node: ast.AST | None) -> str:
    constant = node.value if isinstance(node, ast.Expr) else None
    return (
        inspect.cleandoc(constant.value) if isinstance(constant, ast.Constant) and type(constant.value) is str else ""
    )


def _type_name(annotation: ast.expr) -> str:
    """Return the name of a type, of `Annotated[Name, …]` too."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        annotation = annotation.slice.elts[0]
    return annotation.id if isinstance(annotation, ast.Name) else ""
