"""Say in words what one contract says differently from another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillgen.drift.change import GROUPS, Change
from skillgen.drift.meaning_modes import mode_changes
from skillgen.drift.phrases import flag, quoted
from skillgen.model.contract import Contract
from skillgen.model.fields import find_field
from skillgen.model.resolved import format_key

Path = tuple[str | int, ...]
_OTHER = "text"
"""Group of what belongs to no other."""


def changes(before: Contract, after: Contract) -> list[Change]:
    """Return every difference in meaning, by group as in GROUPS; within one what changes behaviour comes first.

    Nothing is left out: what has no words of its own is told by its key. Equal contracts give nothing.
    """
    return json_changes(before.model_dump(mode="json"), after.model_dump(mode="json"))


def json_changes(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """Do the same for two contracts as JSON, as `contract.json` holds them."""
    old, new = ({**side, "global_pass": dict(side["global_pass"])} for side in (before, after))
    old.pop("flavor"), new.pop("flavor")
    found = [*_flags(old, new), *_artifacts(old, new), *_tell_kept(old, new), *mode_changes(old, new)]
    for key in ("modes", "order", "flags", "kept"):
        old.pop(key), new.pop(key)
    old["global_pass"].pop("artifacts"), new["global_pass"].pop("artifacts")
    found += _compare_rest(old, new, ())
    return sorted(found, key=lambda change: (GROUPS.index(change.group), not change.behaviour))


def _flags(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    # The flags themselves before the forms that follow from them.
    for form in ("force", "all", "none", "both"):
        one, two = old["flags"][form], new["flags"][form]
        if one != two:
            yield Change("flags", f"flags.{form}", flag(form, one, two), True, one, two)


def _artifacts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    one, two = ({item["path"]: item["kind"] for item in side["global_pass"]["artifacts"]} for side in (old, new))
    key = "global_pass.artifacts"
    if came := [path for path in two if path not in one]:
        yield Change("global pass", key, f"the global pass also removes {quoted(came)}", True, None, came)
    if gone := [path for path in one if path not in two]:
        yield Change("global pass", key, f"the global pass no longer removes {quoted(gone)}", True, gone, None)
    for path in one:
        if path in two and one[path] != two[path]:
            text = f"the global pass treats `{path}` as {two[path]}, no longer as {one[path]}"
            yield Change("global pass", key, text, True, one[path], two[path])


def _tell_kept(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    one, two = ({item["path"]: item["what"] for item in side["kept"]} for side in (old, new))
    for path in dict.fromkeys([*two, *one]):
        if path not in one:
            yield Change("protections", "kept", f"`{path}` is always kept", True, None, two[path])
        elif path not in two:
            yield Change("protections", "kept", f"`{path}` is no longer named as kept", True, one[path], None)
        elif one[path] != two[path]:
            text = f"what is kept in `{path}`: from {quoted(one[path])} to {quoted(two[path])}"
            yield Change("protections", "kept", text, False, one[path], two[path])


def _compare_rest(old: Any, new: Any, path: Path) -> Iterator[Change]:
    if old == new:
        return
    key = format_key(path)
    if isinstance(old, dict) and isinstance(new, dict):
        if "kind" in old and "kind" in new and old["kind"] != new["kind"]:
            # Another kind has other keys; its name says more than the list of them.
            yield from _compare_rest(old["kind"], new["kind"], (*path, "kind"))
            shared = [name for name in new if name in old and name != "kind"]
        else:
            shared = list(dict.fromkeys([*new, *old]))
        for name in shared:
            yield from _compare_rest(old.get(name), new.get(name), (*path, name))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _lists(old, new, path, key)
    else:
        told = find_field(path).told
        words, named = told.change or f"`{key}`: from {{old}} to {{new}}", dict(told.values)
        # By replacement, since a value may hold braces.
        text = words.replace("{old}", _say(old, named, words), 1)
        yield Change(told.group or _OTHER, key, _fill_last(text, _say(new, named, words)), not told.only_said, old, new)


def _fill_last(text: str, value: str) -> str:
    head, _, tail = text.rpartition("{new}")
    return head + value + tail


def _say(value: Any, named: dict[Any, str], words: str) -> str:
    if isinstance(value, str | bool) and value in named:
        return named[value]
    return str(value) if words.endswith(" s") else quoted(value)


def _lists(old: list[Any], new: list[Any], path: Path, key: str) -> Iterator[Change]:
    told = find_field(path).told
    group, behaviour = told.group or _OTHER, not told.only_said
    came_words = told.came or f"`{key}` also says: {{}}"
    gone_words = told.gone or f"`{key}` no longer says: {{}}"
    came = [item for item in new if item not in old]
    gone = [item for item in old if item not in new]
    if gone:
        yield Change(group, key, gone_words.replace("{}", quoted(gone)), behaviour, gone, None)
    if came:
        yield Change(group, key, came_words.replace("{}", quoted(came)), behaviour, None, came)
    if [item for item in old if item in new] != [item for item in new if item in old]:
        yield Change(group, key, f"`{key}` in another order: {quoted(new)}", behaviour, old, new)
