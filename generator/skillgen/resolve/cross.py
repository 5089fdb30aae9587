"""Check what no single value can tell: the order, links, names that must exist or must not repeat."""

from __future__ import annotations

import re
from collections.abc import Callable

from skillgen.errors import Problem
from skillgen.model.guess import did_you_mean
from skillgen.model.node import Node
from skillgen.resolve.dropped import Absent, say_absent, say_described

MAX_MODES = 200


def cross_check(tree: Node, absent: Absent, problems: list[Problem]) -> None:
    """Add a problem for each contradiction inside one joined flavor, valid or not."""
    modes = _node_at(tree, "modes").mapping()
    if len(modes) > MAX_MODES:
        what = f"`modes` holds {len(modes)} modes"
        problems.append(_node_at(tree, "modes").place.problem(what, f"write at most {MAX_MODES}"))
        return
    _order(_node_at(tree, "order"), modes, absent, problems)
    _links(modes, absent, problems)
    say_described(_node_at(tree, "front"), absent.dropped, problems)
    _team(modes, tree, problems)
    _tools(tree, problems)
    _sessionless(tree, problems)
    _refused(_node_at(tree, "flags"), problems)
    _command_line(tree, problems)
    for name in _node_at(tree, "fallback", "never").items():
        _check_known(name, modes, absent, "`fallback.never`", problems)
    _titles(modes, problems)
    for path, fold in _UNIQUE:
        _unique(_node_at(tree, *path), ".".join(path), fold, problems)
    _patterns(tree, problems)


_UNIQUE: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
    (("command", "keywords"), str.casefold),
    (("command", "also"), str),
    (("command", "upstream"), str),
    (("plugin", "keywords"), str),
    (("host", "manifests"), str),
    (("identity", "variables"), str),
    (("root", "workspace_variables"), str),
    (("tools", "rejects"), str),
    (("fallback", "never"), str),
)


def _node_at(tree: Node, *path: str) -> Node:
    node = tree
    for name in path:
        node = node.mapping().get(name) or Node(None, tree.place)
    return node


def _clash(tree: Node, value: Node, cause: Node, what: str, repair: str) -> Problem:
    """Return the problem of a value that does not go with another one; told at the line of the user's own file where a base wrote the value."""
    own = tree.place.path
    if value.place.path == own or cause.place.path != own:
        return value.place.problem(what, repair)
    return cause.place.problem(what, f"{repair} (the base has it in {value.place.path}:{value.place.line})")


def _check_known(name: Node, modes: dict[str, Node], absent: Absent, where: str, problems: list[Problem]) -> bool:
    text = name.text()
    if text and text not in modes and not say_absent(name, where, absent, problems):
        problems.append(name.place.problem(f"{where} names the unknown mode `{text}`", did_you_mean(text, modes)))
    return text in modes


def _order(order: Node, modes: dict[str, Node], absent: Absent, problems: list[Problem]) -> None:
    seen: dict[str, Node] = {}
    for item in order.items():
        for name in item.items() or [item]:
            if not _check_known(name, modes, absent, "`order`", problems):
                continue
            if (first := seen.setdefault(name.text(), name)) is not name:
                what = f"`order` names `{name.text()}` twice, first in line {first.place.line}"
                problems.append(name.place.problem(what, "remove one of the two"))
    left = [key for key in modes if key not in seen] if order.items() else []
    if left:
        named = ", ".join(f"`{key}` ({modes[key].named_at.path}:{modes[key].named_at.line})" for key in left)
        what = f"`order` leaves out the mode{'' if len(left) == 1 else 's'} {named}"
        problems.append(order.place.problem(what, "name every mode once, or drop a mode with null"))


def _links(modes: dict[str, Node], absent: Absent, problems: list[Problem]) -> None:
    targets: dict[str, dict[str, Node]] = {}
    for key, mode in modes.items():
        for link in _node_at(mode, "links").items():
            to = _node_at(link, "to")
            if not _check_known(to, modes, absent, f"`modes.{key}.links`", problems):
                continue
            if to.text() in targets.setdefault(key, {}):
                what = f"`modes.{key}` is linked to `{to.text()}` twice"
                problems.append(to.place.problem(what, "join the two links into one"))
            targets[key].setdefault(to.text(), to)
    done: set[str] = set()
    for key in targets:
        _walk(key, targets, (), done, problems)


def _walk(
    key: str, targets: dict[str, dict[str, Node]], via: tuple[str, ...], done: set[str], problems: list[Problem]
) -> None:
    if key in done:
        return
    for to, node in targets.get(key, {}).items():
        path = (*via, key)
        if to in path:
            circle = " → ".join((*path[path.index(to) :], to))
            what = f"the links form a circle ({circle})"
            problems.append(node.place.problem(what, "let one direction go; `either: true` reads both fields"))
        else:
            _walk(to, targets, path, done, problems)
    done.add(key)


def _team(modes: dict[str, Node], tree: Node, problems: list[Problem]) -> None:
    found = [
        (key, _node_at(mode, "action")) for key, mode in modes.items() if _node_at(mode, "action").text() == "shutdown"
    ]
    if _node_at(tree, "team", "kind").text() == "none":
        _check_teamless(modes, found, tree, problems)
        return
    if modes and not found:
        what = "no mode has the action `shutdown`"
        problems.append(
            _node_at(tree, "modes").place.problem(
                what, "give it to the mode whose workers `team` stops, or write `team: {kind: none}`"
            )
        )
    for key, action in found[1:]:
        what = f"`modes.{key}.action` is `shutdown`, and so is that of `modes.{found[0][0]}`"
        problems.append(action.place.problem(what, "let one mode stop the workers"))


def _tools(tree: Node, problems: list[Problem]) -> None:
    team = _node_at(tree, "team", "kind")
    if any(problem.what.startswith("`tools` is open") for problem in problems):
        return  # it is null until somebody answers
    if "tools" in tree.mapping() and _node_at(tree, "tools").value is None and team.text() not in ("none", ""):
        what = f"`tools` is null, yet `team` is of the kind {team.text()}, whose state the agent clears by a tool"
        repair = "say how the tools are called, or write `team: {kind: none}`"
        problems.append(_clash(tree, _node_at(tree, "tools"), team, what, repair))


def _sessionless(tree: Node, problems: list[Problem]) -> None:
    """Nothing may ask for a session where the product keeps none."""
    kind = _node_at(tree, "identity", "kind")
    if kind.text() != "none":
        return
    for path, fit in (
        (("team", "kind"), "none"),
        (("signal", "kind"), "none"),
        (("last", "kind"), "none"),
        (("store", "kind"), "files"),
    ):
        node = _node_at(tree, *path)
        if node.text() not in (fit, ""):
            what = f"`{'.'.join(path)}` is {node.text()}, which needs a session, yet `identity.kind` is none"
            repair = f"write {fit}, or say in `identity` how the session is known"
            problems.append(_clash(tree, node, kind, what, repair))
    tools = _node_at(tree, "tools")
    if tools.value is not None:
        what = "`tools` are called with a session, yet `identity.kind` is none"
        repair = "write `tools: null`, or say in `identity` how the session is known"
        problems.append(_clash(tree, tools, kind, what, repair))
    if (root := _node_at(tree, "store", "root_records")).value is False:
        what = "`store.root_records` is false, yet without sessions all records lie there"
        problems.append(_clash(tree, root, kind, what, "write true"))


def _command_line(tree: Node, problems: list[Problem]) -> None:
    """A call of the style `command-line` is put together from `command_line`, and no other one is."""
    style, line = _node_at(tree, "tools", "style"), _node_at(tree, "tools", "command_line")
    if style.text() == "command-line" and line.value is None:
        what = "`tools.style` is `command-line`, yet `tools.command_line` does not say how a call is put together"
        problems.append(style.place.problem(what, "write its `argument`, `switches` and `needs`"))
    elif line.value is not None and style.text() not in ("command-line", ""):
        what = f"`tools.command_line` is given, yet `tools.style` is `{style.text()}`"
        repair = "write `style: command-line`, or `command_line: null`"
        problems.append(_clash(tree, line, style, what, repair))


def _refused(flags: Node, problems: list[Problem]) -> None:
    """A form that is refused selects nothing, and the bare command cannot be one."""
    for form, selection in flags.mapping().items():
        refused = _node_at(selection, "refused")
        if not refused.text():
            continue
        if form == "none":
            what = "`flags.none` is refused, so that nothing could be cancelled"
            problems.append(refused.place.problem(what, "leave `refused` out there"))
        elif _node_at(selection, "scope").text() == "all":
            what = f"`flags.{form}` is refused, yet its scope is `all`"
            problems.append(refused.place.problem(what, "write `scope: current` beside it, or leave `refused` out"))


def _check_teamless(
    modes: dict[str, Node], stopping: list[tuple[str, Node]], tree: Node, problems: list[Problem]
) -> None:
    """Nothing may count on workers where the flavor says that there are none."""
    repair = "take another action, or say in `team` how workers are stopped"
    kind = _node_at(tree, "team", "kind")
    problems += [
        _clash(tree, action, kind, f"`modes.{key}` has the action `shutdown`, yet `team.kind` is none", repair)
        for key, action in stopping
    ]
    for key, mode in modes.items():
        if (waits := _node_at(mode, "only_when_gone")).value is True:
            what = f"`modes.{key}` waits for workers to be gone, yet `team.kind` is none"
            repair = "leave `only_when_gone` out, or say in `team` how workers are found"
            problems.append(_clash(tree, waits, kind, what, repair))
    if (bridge := _node_at(tree, "bridge")).value is not None:
        what = "`bridge` names workers of a team, yet `team.kind` is none"
        problems.append(_clash(tree, bridge, kind, what, "write `bridge: null`"))


def _titles(modes: dict[str, Node], problems: list[Problem]) -> None:
    seen: dict[str, tuple[str, Node]] = {}
    for key, mode in modes.items():
        title = _node_at(mode, "title")
        first, same = seen.setdefault(title.text().casefold(), (key, title))
        if title.text() and first != key:
            what = f"`modes.{key}.title` is that of `modes.{first}`"
            # A title that both took from one place was written for neither of them.
            place = mode.named_at if title.place == same.place else title.place
            problems.append(place.problem(what, "give each mode its own title"))


def _unique(items: Node, where: str, fold: Callable[[str], str], problems: list[Problem]) -> None:
    seen: dict[str, Node] = {}
    for item in items.items():
        text = item.text()
        if text and seen.setdefault(fold(text), item) is not item:
            problems.append(item.place.problem(f"`{where}` holds `{text}` twice", "remove one of the two"))


def _patterns(tree: Node, problems: list[Problem]) -> None:
    """Names of teams and runs become paths and arguments like session ids do."""
    for path in (("team", "name"), ("team", "run"), ("team", "scan", "name")):
        node = _node_at(tree, *path)
        try:
            pattern = re.compile(node.text())
        except re.error as error:
            what = f"`{'.'.join(path)}` is not a regular expression ({error})"
            problems.append(node.place.problem(what, "write one that matches a whole name"))
            continue
        hostile = [name for name in ("", "/", "a/b", "..", "a\nb") if pattern.fullmatch(name)] if node.text() else []
        if hostile:
            what = f"`{'.'.join(path)}` matches {hostile[0]!r}"
            problems.append(
                node.place.problem(what, "a name becomes a path, so it must not be empty, climb or hold a slash")
            )
