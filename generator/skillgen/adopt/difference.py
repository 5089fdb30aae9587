"""Take from a wanted contract what its base does not say already."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

DROP = object()
"""Stands for a mode of the base that is to go."""


def difference(wanted: dict[str, Any], base: dict[str, Any], *, top: bool = True) -> dict[str, Any]:
    """Return the mapping that, laid over `base`, gives `wanted`; lists are taken whole, modes dropped by `DROP`."""
    out: dict[str, Any] = {}
    for key, value in wanted.items():
        if top and key in ("flavor", "schema_version"):
            continue
        if top and key == "front":
            # The base's description names product and modes by placeholders.
            value = {**value, "description": base.get(key, value)["description"]}
        below = base.get(key)
        if value == below:
            continue
        if top and key == "modes":
            out[key] = _modes(value, below or {})
        elif isinstance(value, dict) and isinstance(below, dict) and value.get("kind") == below.get("kind"):
            inner = difference(value, below, top=False)
            if key in ("metadata", "host_keys", "deactivate", "terminalize"):
                inner |= {name: None for name in below if name not in value}
            if inner:
                out[key] = inner
        else:
            out[key] = value
    return {key: value for key, value in out.items() if value != {} or key not in base}


def _modes(wanted: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, mode in wanted.items():
        if key not in base:
            out[key] = mode
        elif mode != base[key]:
            out[key] = difference(mode, base[key], top=False)
    for key in base:
        if key not in wanted:
            out[key] = DROP
    return out


def without_defaults(
    modes: dict[str, Any], known: Collection[str], defaults: Mapping[str, Any], pool: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Leave out of new modes what the skill says of them anyway, by its defaults or its pool of known modes."""
    out = {}
    for key, mode in modes.items():
        if key in known or not isinstance(mode, dict):
            out[key] = mode
            continue
        said = {**defaults, **pool.get(key, {})}
        out[key] = {name: value for name, value in mode.items() if not _is_default(value, said.get(name, DROP))}
    return out


def _is_default(value: Any, default: Any) -> bool:
    """Whether a value is the default; an empty list is one, however the default was read."""
    return bool(value == default or (value == [] and default is not DROP and not default))
