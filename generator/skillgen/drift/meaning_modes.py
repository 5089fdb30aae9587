"""Say in words how the modes, their order and their links changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillgen.drift.change import Change
from skillgen.drift.phrases import quoted
from skillgen.model.fields import EACH, find_field


def mode_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """Yield the changes of modes, order and links; `old` and `new` are contracts as JSON."""
    before, after = old["modes"], new["modes"]
    for key in after:
        if key not in before:
            mode = after[key]
            text = f"new mode {mode['title']} (`{key}`): {_word('action', mode['action'])}"
            yield Change("modes", f"modes.{key}", text, True, None, mode)
    for key in before:
        if key not in after:
            text = f"the mode {before[key]['title']} (`{key}`) is gone"
            yield Change("modes", f"modes.{key}", text, True, before[key], None)
    for key in after:
        if key in before:
            yield from _fields(key, before[key], after[key])
            yield from _links(key, before[key]["links"], after[key]["links"])
    if old["order"] != new["order"]:
        yield _order(old["order"], new["order"])


def _fields(key: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    title = new["title"]
    for field in new:
        one, two = old[field], new[field]
        if one == two or field == "links":
            continue
        place = f"modes.{key}.{field}"
        told = find_field(("modes", key, field)).told
        if field == "action":
            text = f"{title}: from “{_word(field, one)}” to “{_word(field, two)}”"
        elif field == "all_action":
            text = f"{title}: scope all {_word(field, two)}, no longer {_word(field, one)}"
        elif told.values:
            text = f"{title} {_word(field, two)}"
        elif isinstance(two, list):
            came, gone = [item for item in two if item not in one], [item for item in one if item not in two]
            parts = [f"adds {quoted(came)}" if came else "", f"drops {quoted(gone)}" if gone else ""]
            text = f"{title}, {field}: " + (", ".join(part for part in parts if part) or "in another order")
        else:
            text = f"{title}, {field}: from {quoted(one)} to {quoted(two)}"
        yield Change(told.group, place, text, not told.only_said, one, two)


def _word(field: str, value: Any) -> Any:
    """Return the words for a value of a mode's field, the value itself where there are none."""
    return dict(find_field(("modes", EACH, field)).told.values).get(value, value)


def _links(key: str, old: list[Any], new: list[Any]) -> Iterator[Change]:
    before, after = ({link["to"]: link for link in side} for side in (old, new))
    place = f"modes.{key}.links"
    for to in dict.fromkeys([*after, *before]):
        one, two = before.get(to), after.get(to)
        if one is None:
            yield Change("links", place, f"new link `{key}` → `{to}` ({_link(two)})", True, None, two)
        elif two is None:
            yield Change("links", place, f"the link `{key}` → `{to}` is gone", True, one, None)
        elif one != two:
            text = f"the link `{key}` → `{to}`: from {_link(one)} to {_link(two)}"
            yield Change("links", place, text, True, one, two)


def _link(link: Any) -> str:
    parts = [
        f"by the flag `{link['flag']}`" if link["flag"] else "",
        f"by the presence of `{link['present']}`" if link["present"] else "",
        f"record named in `{link['names']}`" if link["names"] else "",
        f"vetoed by `{link['back']}`" if link["back"] else "",
        "either side's field makes it" if link["either"] else "",
    ]
    said = ", ".join(part for part in parts if part) or "whenever both are active"
    return f"{said}; {link['first']} first"


def _order(old: list[list[str]], new: list[list[str]]) -> Change:
    flat_old, flat_new = ([key for group in side for key in group] for side in (old, new))
    same = [key for key in flat_old if key in flat_new] == [key for key in flat_new if key in flat_old]
    regrouped = [group for group in new if len(group) > 1 and group not in old]
    apart = [group for group in old if len(group) > 1 and group not in new]
    if same and set(flat_old) == set(flat_new):
        parts = [f"{' and '.join(f'`{key}`' for key in group)} become one item" for group in regrouped]
        parts += [f"{' and '.join(f'`{key}`' for key in group)} become items of their own" for group in apart]
        text = f"{'; '.join(parts)} ({len(old)} → {len(new)} items, same order)"
    else:
        text = f"cancel order: from {_items(old)} to {_items(new)}"
    return Change("order", "order", text, not same, old, new)


def _items(order: list[list[str]]) -> str:
    return ", ".join(f"{number}. {' + '.join(group)}" for number, group in enumerate(order, 1))
