"""Work out the contract that a text asks for: the base's, renamed, with what the facts say otherwise."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from skillgen.adopt.names import Renames, find_renames
from skillgen.adopt.same import canonical, flag_rule, store_of, words
from skillgen.model.contract import Contract
from skillgen.model.facts import Fact, Facts

#: Set by Claude Code in a shell; the others are not, so it stands before them (facts C1).
HOST_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID", "CLAUDECODE_SESSION_ID")
SAFE_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$"


@dataclass(slots=True)
class Target:
    """The wanted contract as data, where each changed value stood, and what found no place."""

    data: dict[str, Any]
    renames: Renames
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    unplaced: list[tuple[int, str]] = field(default_factory=list)
    fixed: list[tuple[int, str]] = field(default_factory=list)
    check: set[str] = field(default_factory=set)
    """Keys whose value is the base's with new names in it; only the fork's owner knows whether they are true."""

    def set(self, path: tuple[str, ...], value: Any, line: int) -> None:
        at = self.data
        for step in path[:-1]:
            at = at[step]
        if at.get(path[-1]) != value:
            at[path[-1]] = value
            self.lines[path] = line


def find_target(facts: Facts, contract: Contract, skill_mode: dict[str, Any]) -> Target:
    """Return what the text asks for. `skill_mode` are the skill's defaults of a mode."""
    renames, facts = find_renames(facts, contract)
    base = contract.model_dump(mode="json")
    data = renames.apply(copy.deepcopy(base))
    for kept in ("flavor", "schema_version", "revision"):
        data[kept] = base[kept]
    target = Target(data, renames)
    for word, line in renames.lines.items():
        target.lines[("", word)] = line
    for new in renames.modes.values():
        target.lines[("modes", new)] = renames.lines[new]
    target.check = _inherited(base, renames)
    _names(target, facts, contract)
    _identity(target, facts)
    _flags(target, facts, contract)
    _modes(target, facts, skill_mode)
    _messages(target, facts)
    _links(target, facts)
    _paths(target, facts)
    _team(target, facts)
    _front(target, facts)
    _elsewhere(target, facts, contract)
    if renames.words and not facts.of("root"):
        target.check.add(
            f"root (the text names none; {contract.root.directory} is the state root of {contract.flavor})"
        )
    return target


def _inherited(base: dict[str, Any], renames: Renames) -> set[str]:
    told = {
        "product",
        "plugin",
        "command",
        "front",
        "modes",
        "order",
        "messages",
        "global_pass",
        "verdicts",
        "identity",
    }
    found = set()
    for key, value in base.items():
        if key in told or value == renames.apply(value, key):
            continue
        if isinstance(value, dict):
            found |= {f"{key}.{name}" for name, child in value.items() if child != renames.apply(child, name)}
        else:
            found.add(key)
    return found - {"root.directory"}


def _names(target: Target, facts: Facts, contract: Contract) -> None:
    data = target.data
    if label := next(iter(facts.of("label")), None):
        known = {data["product"]["name"].lower(), data["product"]["title"].lower()}
        if label.value.lower() not in known:
            target.set(("product", "name"), label.value, label.line)
    renamed = bool(target.renames.words)
    if renamed:
        data["product"]["title"] = (
            data["product"]["name"] if data["product"]["title"] == contract.product.title else data["product"]["title"]
        )
        data["plugin"]["name"] = (
            _key(data["plugin"]["name"])
            if data["plugin"]["name"] != contract.plugin.name
            else _key(
                next((_space(f.value) for f in facts.of("invocation") if ":" in f.value), "") or data["product"]["name"]
            )
        )
        data["plugin"]["marketplace"] = data["plugin"]["marketplace"] if data["plugin"]["marketplace"] else "skillgen"
        data["plugin"]["description"] = (
            f"Cancels the active {data['product']['name']} mode of this session, in the right order and without touching other sessions."
        )
        data["plugin"]["display_name"] = f"{data['product']['name']} cancel"
        data["plugin"]["keywords"] = sorted({"agent-skills", "cancel", "modes", data["plugin"]["name"]})
    forms = facts.of("invocation")
    if forms and not {fact.value for fact in forms} & {data["command"]["form"], *data["command"]["also"]}:
        first = next((fact for fact in forms if ":" in fact.value), forms[0])
        target.set(("command", "form"), first.value, first.line)
        target.set(
            ("command", "also"), [f.value for f in forms if f.value != first.value and f.value[0] != "$"], first.line
        )
    said = facts.of("keyword")
    if said and {fact.value for fact in said} != set(contract.command.keywords):
        target.set(("command", "keywords"), list(dict.fromkeys(fact.value for fact in said)), said[0].line)
        target.set(("command", "matching"), "", said[0].line)
    elif said:
        data["command"]["keywords"] = list(contract.command.keywords)


def _space(form: str) -> str:
    return form.lstrip("/$").rpartition(":")[0]


def _key(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64] or "cancel"


def _identity(target: Target, facts: Facts) -> None:
    said = list(facts.of("variable"))
    identity = target.data["identity"]
    known = set(identity.get("variables", ()))
    own = [fact for fact in said if fact.value not in known]
    if not own:
        names = {fact.value for fact in said}
        if names & set(HOST_VARIABLES[1:]) and HOST_VARIABLES[0] in known - names:
            target.fixed.append((said[0].line, f"{HOST_VARIABLES[0]}, which the host sets, is read before the others"))
        return
    chain = [fact.value for fact in said]
    if target.data["host"]["id"] == "claude-code" and HOST_VARIABLES[0] not in chain:
        at = next((n for n, name in enumerate(chain) if name in HOST_VARIABLES), len(chain))
        chain.insert(at, HOST_VARIABLES[0])
        target.fixed.append((said[0].line, f"{HOST_VARIABLES[0]}, which the host sets, is added to the chain"))
    if "variables" in identity:
        target.set(("identity", "variables"), chain, own[0].line)
    else:
        value = {"kind": "environment", "variables": chain, "pattern": SAFE_PATTERN, "missing": "refuse", "note": ""}
        target.set(("identity",), value, own[0].line)


def _flags(target: Target, facts: Facts, contract: Contract) -> None:
    rule = next(iter(facts.of("flags")), None)
    if rule is None or rule.value not in ("same", "split") or rule.value == flag_rule(contract):
        return
    split = rule.value == "split"
    target.set(("flags", "force"), {"scope": "current" if split else "all", "urgency": "forced"}, rule.line)
    target.set(("flags", "all"), {"scope": "all", "urgency": "graceful" if split else "forced"}, rule.line)


def _modes(target: Target, facts: Facts, skill_mode: dict[str, Any]) -> None:
    """Drop the modes that the text has nowhere, add those that it invents, take over its order."""
    modes: dict[str, Any] = target.data["modes"]
    present = {canonical(key, modes) for key in facts.modes()}
    order = [[canonical(key, modes) for key in group] for group in facts.order()]
    flat = list(dict.fromkeys(key for group in order for key in group))
    if len(flat) < 2:
        return
    titles = {canonical(key, modes): title for key, title in facts.modes().items()}
    lines = {canonical(fact.key, modes): fact.line for fact in facts.of("order")}
    for key in [key for key in modes if key not in present and key not in flat]:
        del modes[key]
        for mode in modes.values():
            mode["links"] = [link for link in mode["links"] if link["to"] != key]
    invented = [key for key in flat if key not in modes]
    for key in invented:
        modes[key] = {**copy.deepcopy(skill_mode), **_invent(key, titles.get(key, key), facts)}
        target.lines[("modes", key)] = lines[key]
    known = [key for group in target.data["order"] for key in group if key in modes]
    if [key for key in flat if key in known] == [key for key in known if key in flat] and not invented:
        wanted = [[key for key in group if key in modes] for group in target.data["order"]]
        target.data["order"] = [group for group in wanted if group]
        return
    groups = [list(dict.fromkeys(key for key in group if key in modes)) for group in order]
    placed: set[str] = set()
    result = []
    for group in groups:
        fresh = [key for key in group if key not in placed]
        placed.update(fresh)
        if fresh:
            result.append(fresh)
    result += [[key] for key in known if key not in placed]
    target.set(("order",), result, min(lines.values()))


def _invent(key: str, title: str, facts: Facts) -> dict[str, Any]:
    actions = facts.values("action", key)
    action = next((name for name in ("terminalize", "deactivate", "clear") if name in actions), "clear")
    shown = title if title != key else key.replace("-", " ").title()
    message = facts.first("message", key) or f"{shown} cancelled."
    keeps = next((fact for fact in facts.of("keeps", key) if fact.value == "yes"), None)
    return {
        "title": shown,
        "does": f"Ends {shown}.",
        "action": action,
        "records": [key],
        "message": message,
        "keeps": "its record" if keeps else "",
        "resume": [keeps.detail] if keeps and keeps.detail.startswith(("/", "$")) else [],
    }


def _messages(target: Target, facts: Facts) -> None:
    for fact in facts.of("message"):
        if fact.key in ("force", "none"):
            if words(target.data["messages"][fact.key]) != words(fact.value):
                target.set(("messages", fact.key), fact.value, fact.line)
            continue
        key = canonical(fact.key, target.data["modes"])
        mode = target.data["modes"].get(key)
        if mode and words(mode["message"]) != words(fact.value):
            target.set(("modes", key, "message"), fact.value, fact.line)


def _links(target: Target, facts: Facts) -> None:
    modes = target.data["modes"]
    for fact in facts.of("link"):
        owner, other = canonical(fact.key, modes), canonical(fact.value, modes)
        if owner not in modes or other not in modes or owner == other:
            continue
        pairs = [link for link in modes[owner]["links"] if link["to"] == other]
        pairs += [link for link in modes[other]["links"] if link["to"] == owner and link.get("either")]
        if pairs and (
            not fact.detail or any(fact.detail in (link["flag"], link["back"], link["names"]) for link in pairs)
        ):
            continue
        if pairs:
            name = "back" if fact.detail.startswith("linked_to_") else "flag"
            if not any(link.get(name) for link in pairs):
                pairs[0][name] = fact.detail
                target.lines[("modes", owner, "links")] = fact.line
            else:
                target.unplaced.append((fact.line, f"link {owner} to {other} by the field {fact.detail}"))
            continue
        if _circular(modes, owner, other):
            target.unplaced.append((fact.line, f"link {owner} to {other}: the base links them the other way round"))
            continue
        back = fact.detail if fact.detail.startswith("linked_to_") else None
        link = {
            "to": other,
            "flag": None if back else fact.detail or None,
            "names": None,
            "present": None,
            "back": back,
            "either": False,
            "first": "dependant",
        }
        modes[owner]["links"] = [*modes[owner]["links"], link]
        target.lines[("modes", owner, "links")] = fact.line


def _circular(modes: dict[str, Any], owner: str, other: str) -> bool:
    seen, queue = set(), [other]
    while queue:
        key = queue.pop()
        if key == owner:
            return True
        if key not in seen and key in modes:
            seen.add(key)
            queue += [link["to"] for link in modes[key]["links"] if not link["either"]]
    return False


def _paths(target: Target, facts: Facts) -> None:
    data = target.data
    directory, state = data["root"]["directory"], data["root"].get("state", "state")
    prefix = f"{directory}/{state}/"
    listed = {item["path"] for item in data["global_pass"]["artifacts"]}
    added = []
    for fact in facts.of("artifact"):
        path = fact.value.strip("`")
        inside = path.removeprefix(prefix).rstrip("/")
        if not path.startswith(prefix) or re.search(r"[*{}<>$]", inside) or inside in listed or not inside:
            if inside not in listed and path.startswith("."):
                target.unplaced.append((fact.line, f"{path}, which the widest scope removes"))
            continue
        if {f"{inside.removesuffix('.json')}-state.json", inside.replace("-state.json", ".json")} & listed:
            continue  # the same file under a wrong name, as braces make it (facts C4)
        kind = "tree" if path.endswith("/") else "pid" if path.endswith(".pid") else "file"
        added.append({"path": inside, "kind": kind})
        target.lines.setdefault(("global_pass", "artifacts"), fact.line)
    if added:
        data["global_pass"]["artifacts"] = [*data["global_pass"]["artifacts"], *added]
    everything = " ".join(_strings(data))
    kept = []
    for fact in facts.of("preserved"):
        path = fact.value.strip("`").removeprefix("./").rstrip("/")
        if not path.startswith(f"{directory}/") or re.search(r"[*<>{}$]", path) or path == directory:
            continue
        if path in everything or any(path.startswith(item["path"] + "/") for item in data["kept"]):
            continue
        kind = "file" if re.search(r"\.\w{1,5}$", path) else "tree"
        kept.append({"path": path, "kind": kind, "what": ""})
        target.lines.setdefault(("kept",), fact.line)
    if kept:
        data["kept"] = [*data["kept"], *kept]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from _strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from _strings(child)


def _team(target: Target, facts: Facts) -> None:
    team = target.data["team"]
    mechanism = next(iter(facts.of("team")), None)
    if mechanism and mechanism.value != team["kind"]:
        target.unplaced.append(
            (mechanism.line, f"teams are stopped by {mechanism.value}; the base's driver is {team['kind']}")
        )
        return
    waits = [fact for fact in facts.of("timeout") if 0 < int(fact.value) <= 120]
    if "grace_s" in team and waits and not any(int(fact.value) == team["grace_s"] for fact in waits):
        upto = next((fact for fact in waits if re.search(r"up to|at most|最多|최대|最大", fact.detail, re.I)), None)
        if upto:
            target.set(("team", "grace_s"), int(upto.value), upto.line)
    if "overlay" in team:
        for fact in facts.of("overlay"):
            if team["overlay"][fact.key] != fact.value:
                target.set(("team", "overlay", fact.key), fact.value, fact.line)


def _front(target: Target, facts: Facts) -> None:
    front = target.data["front"]
    for fact in facts.of("front"):
        if fact.key in (
            "description",
            "when-to-use",
            "when_to_use",
            "license",
            "compatibility",
            "allowed-tools",
            "metadata",
            "triggers",
            "keywords",
        ):
            continue
        if fact.key == "name":
            if fact.value != front["name"] and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fact.value):
                target.set(("front", "name"), fact.value, fact.line)
            continue
        known = {**front["metadata"], **front["host_keys"]}
        if fact.key in known:
            where = "metadata" if fact.key in front["metadata"] else "host_keys"
            if words(known[fact.key]) != words(fact.value):
                target.set(("front", where, fact.key), fact.value, fact.line)
        elif re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fact.key) and fact.value:
            target.set(("front", "metadata", fact.key), fact.value, fact.line)


def _elsewhere(target: Target, facts: Facts, contract: Contract) -> None:
    """Facts that a flavor has no key for, or whose key needs more than the text says."""
    store = next(iter(facts.of("store")), None)
    if store and store.value != store_of(contract):
        target.unplaced.append(
            (store.line, f"state is kept in {store.value}; the base keeps it in {store_of(contract)}")
        )
    signal: Fact | None = next(iter(facts.of("signal")), None)
    if signal and signal.value != target.data["signal"].get("file", signal.value):
        target.unplaced.append((signal.line, f"the cancel signal {signal.value}"))
    names = {name.rpartition("__")[2] for name in contract.tools.names.model_dump().values() if name}
    for fact in facts.of("tool"):
        bare = fact.value.rpartition("__")[2]
        if bare.startswith("state_") and bare not in names:
            target.unplaced.append((fact.line, f"the tool {fact.value}"))
    for fact in facts.of("root"):
        top = fact.value.removeprefix("~/").split("/")[0]
        if top.startswith(".") and top != target.data["root"]["directory"]:
            target.unplaced.append((fact.line, f"a second state root, {fact.value}"))
