"""Draw a flavor's cancel order and its links as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

ROW, TOP, LEFT, WIDTH = 34, 12, 44, 250
"""Pixels: height of a row, space above, where the boxes begin, how wide they are."""


@dataclass(frozen=True, slots=True)
class Arc:
    """One link between two rows."""

    owner: int
    dependant: int
    words: str


def draw_order(contract: dict[str, Any], ident: str) -> Markup:
    """Return an inline SVG; `ident` makes its ids unique in the page."""
    keys = [key for group in contract["order"] for key in group]
    arcs = list(_arcs(contract["modes"], keys))
    height = TOP * 2 + ROW * len(keys)
    reach = max((abs(arc.owner - arc.dependant) for arc in arcs), default=1)
    width = LEFT + WIDTH + 40 + min(40 + 22 * reach, 260)
    parts = [
        f'<svg class="order" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-labelledby="{ident}-title {ident}-desc">',
        f'<title id="{ident}-title">{escape(contract["product"]["name"])}: cancel order and links</title>',
        f'<desc id="{ident}-desc">{escape(describe(contract))}</desc>',
        f'<defs><marker id="{ident}-tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        'orient="auto-start-reverse"><path class="tip" d="M0 0 10 5 0 10z"/></marker></defs>',
        *_ranks(contract["order"]),
        *(_box(contract["modes"][key], row) for row, key in enumerate(keys)),
        *(_curve(arc, ident, number) for number, arc in enumerate(arcs)),
        "</svg>",
    ]
    return Markup("\n".join(map(str, parts)))


def describe(contract: dict[str, Any]) -> str:
    """Return the same in words: the order, then each link."""
    modes = contract["modes"]
    order = "; ".join(
        f"{rank}. {' and '.join(modes[key]['title'] for key in group)}"
        for rank, group in enumerate(contract["order"], 1)
    )
    keys = [key for group in contract["order"] for key in group]
    links = "; ".join(arc.words for arc in _arcs(modes, keys))
    return f"Order: {order}. Links: {links or 'none'}."


def _arcs(modes: dict[str, Any], keys: list[str]) -> Iterable[Arc]:
    for key in keys:
        for link in modes[key]["links"]:
            if link["to"] in keys:
                fields = ", ".join(link[name] for name in ("flag", "names", "present") if link[name])
                first = modes[link["to"] if link["first"] == "dependant" else key]["title"]
                words = f"{modes[key]['title']} owns {modes[link['to']]['title']}"
                words += f" by {fields}" if fields else ""
                yield Arc(keys.index(key), keys.index(link["to"]), f"{words}, {first} first")


def _row_middle(row: int) -> float:
    return TOP + ROW * row + ROW / 2


def _ranks(order: list[list[str]]) -> Iterable[str]:
    row = 0
    for rank, group in enumerate(order, 1):
        start, end = _row_middle(row), _row_middle(row + len(group) - 1)
        yield f'<text class="rank" x="20" y="{(start + end) / 2 + 4}" text-anchor="middle">{rank}</text>'
        if len(group) > 1:
            yield f'<path class="group" d="M40 {start - 12}h-6v{end - start + 24}h6"/>'
        row += len(group)


def _box(mode: dict[str, Any], row: int) -> str:
    y = TOP + ROW * row + 3
    kinds = [mode["action"], *(name for name in ("retired", "shared") if mode[name])]
    return (
        f'<g class="mode {escape(" ".join(kinds))}"><title>{escape(mode["does"])}</title>'
        f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{ROW - 6}" rx="6"/>'
        f'<text x="{LEFT + 10}" y="{y + 19}">{escape(mode["title"])}</text>'
        f'<text class="kind" x="{LEFT + WIDTH - 10}" y="{y + 19}" text-anchor="end">{escape(", ".join(kinds))}</text></g>'
    )


def _curve(arc: Arc, ident: str, number: int) -> str:
    x = LEFT + WIDTH
    # Ends are set apart, so that several links of one mode do not lie on each other.
    start, end = _row_middle(arc.owner) + 4, _row_middle(arc.dependant) - 4
    bend = x + 30 + min(26 * abs(arc.owner - arc.dependant), 240) + 6 * (number % 4)
    return (
        f'<path class="link" d="M{x} {start}C{bend} {start} {bend} {end} {x + 2} {end}" '
        f'marker-end="url(#{ident}-tip)"><title>{escape(arc.words)}</title></path>'
    )
