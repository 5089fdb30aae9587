"""Say a validation mistake in the words of someone who writes a flavor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillgen.model.guess import did_you_mean
from skillgen.model.resolved import format_key
from skillgen.resolve.shape import Shape

_WANTED = {
    "string_type": "write text",
    "int_type": "write a whole number",
    "bool_type": "write true or false",
    "tuple_type": "write a list",
    "list_type": "write a list",
    "dict_type": "write a mapping",
    "model_type": "write a mapping",
    "model_attributes_type": "write a mapping",
}


def word(detail: Mapping[str, Any], path: tuple[str | int, ...], shape: Shape) -> tuple[str, str]:
    """Return what is wrong and what would be right, for one of pydantic's error details."""
    kind, context = detail["type"], detail.get("ctx", {})
    key, given = format_key(path), detail["input"]
    last = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        return f"unknown key `{last}`" + _describe_place(path), did_you_mean(last, shape.keys)
    if kind == "missing":
        return f"`{key}` is missing", "write it here or in what this builds on"
    if kind == "union_tag_not_found":
        return f"`{key}.kind` is missing", "write one of " + _list_tags(context.get("expected_tags", ""))
    if kind == "union_tag_invalid":
        tags = [tag.strip().strip("'") for tag in str(context["expected_tags"]).split(",")]
        return f"`{key}.kind` is `{context['tag']}`", did_you_mean(str(context["tag"]), tags)
    if kind == "value_error":
        return _word_own_check(key, str(context["error"]), is_key="[key]" in detail["loc"])
    if kind in ("literal_error", "enum"):
        allowed = [part.strip("'") for part in str(context["expected"]).replace(" or ", ", ").split(", ")]
        return f"`{key}` is {_show(given)}", did_you_mean(str(given), allowed)
    if kind in _WANTED:
        wanted = _WANTED[kind]
        if kind == "string_type" and isinstance(given, int | bool):
            wanted = "write it in quotes to make it text"
        return f"`{key}` is {_show(given)}", wanted
    return f"`{key}` is {_show(given)}", _limit(kind, context, detail["msg"])


def _describe_place(path: tuple[str | int, ...]) -> str:
    return f" in `{format_key(path[:-1])}`" if len(path) > 1 else ""


def _word_own_check(key: str, message: str, *, is_key: bool) -> tuple[str, str]:
    what, _, repair = message.partition("; ")
    where = f"`{key}` has a key that does not fit:" if is_key else f"`{key}`"
    if what.startswith(("is ", "holds ", "matches ")) and not is_key:
        return f"{where} {what}", repair
    return (f"{where} {what}" if is_key else f"{where}: {what}"), repair


def _limit(kind: str, context: Mapping[str, Any], message: str) -> str:
    if kind == "greater_than_equal":
        return f"write at least {context['ge']}"
    if kind == "less_than_equal":
        return f"write at most {context['le']}"
    if kind == "string_pattern_mismatch":
        return f"write text that matches {context['pattern']}"
    if kind in ("string_too_long", "too_long"):
        return f"write at most {context['max_length']}"
    if kind in ("string_too_short", "too_short"):
        return f"write at least {context['min_length']}"
    return message[:1].lower() + message[1:]


def _list_tags(tags: object) -> str:
    return str(tags).replace("'", "`")


def _show(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text `{value if len(value) <= 60 else value[:57] + '…'}`" if value else "empty text"
    if isinstance(value, int):
        return f"the number {value}"
    return ("a list" if value else "an empty list") if isinstance(value, tuple | list) else "a mapping"
