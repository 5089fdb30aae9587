"""Write the page: HTML with its style and script inside, and nothing fetched from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from skillgen.model.visible import escaped
from skillgen.report.data import Page, matrix
from skillgen.report.graph import describe, draw_order


def draw_page(page: Page) -> str:
    """Return the page; the same data give the same text."""
    env = Environment(
        loader=DictLoader({"page": _asset("page.html.j2")}),
        autoescape=True,
        finalize=_as_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    ids = list(page.contracts)
    return env.get_template("page").render(
        page=page,
        ids=ids,
        matrix=matrix(page.contracts),
        drawings={id_: draw_order(contract, f"order-{id_}") for id_, contract in page.contracts.items()},
        words={id_: describe(contract) for id_, contract in page.contracts.items()},
        style=Markup(_asset("page.css")),
        script=Markup(_asset("page.js")),
        data=_embedded({"ids": ids} | _pack_changes(page.changes)),
        pair=_first_pair(ids),
    )


def _as_visible(value: Any) -> Any:
    """Return a value as the page shows it: no character of it may turn the text around it."""
    return escaped(value, lines=True) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> str:
    return files("skillgen.report").joinpath(name).read_text(encoding="utf-8")


def _pack_changes(changes: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Return changes with each value once: those of one flavor stand in the comparisons with all others."""
    values: dict[str, int] = {}

    def number(value: Any) -> int:
        return values.setdefault(json.dumps(value, ensure_ascii=False, sort_keys=True), len(values))

    rows = {
        pair: [
            [number(one["group"]), number(one["text"]), one["behaviour"], number(one["before"]), number(one["after"])]
            for one in found
        ]
        for pair, found in changes.items()
    }
    return {"values": [json.loads(text) for text in values], "changes": rows}


def _embedded(data: Any) -> Markup:
    """Return JSON that no text in it can break out of."""
    text = escaped(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _first_pair(ids: list[str]) -> tuple[str, str]:
    """Return the two that a reader most likely wants to compare: a flavor's older revision and itself."""
    for id_ in ids:
        older = next((other for other in ids if other.startswith(f"{id_}-")), None)
        if older:
            return older, id_
    return (ids[0], ids[-1]) if ids else ("", "")
