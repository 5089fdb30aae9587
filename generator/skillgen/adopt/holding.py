"""Decide whether a contract says what a fact of a text says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from skillgen.adopt.evidence import strings
from skillgen.adopt.paths import driven, inside, kept_path, records
from skillgen.adopt.phrasing import message
from skillgen.adopt.same import words
from skillgen.model.facts import Fact

Data = Mapping[str, Any]


def holds(fact: Fact, data: Data) -> bool:
    """Return whether `data`, a contract's JSON, holds the fact; a kind that no contract knows never holds."""
    check = _CHECKS.get(fact.kind)
    return bool(check and check(fact, data))


def _holds_front(fact: Fact, data: Data) -> bool:
    front, key = data["front"], fact.key.replace("_", "-").lower()
    known = {"name": front["name"], "description": front["description"], **front["metadata"], **front["host_keys"]}
    if key in ("triggers", "keywords"):
        wanted = {word.strip().casefold() for word in re.split(r"[,，、]", fact.value) if word.strip()}
        return wanted <= {word.casefold() for word in data["command"]["keywords"]}
    return words(known.get(key, "")) == words(fact.value)


def _invocation(fact: Fact, data: Data) -> bool:
    return fact.value in (data["command"]["form"], *data["command"]["also"], *data["command"]["upstream"])


def _flags(fact: Fact, data: Data) -> bool:
    same = data["flags"]["force"] == data["flags"]["all"]
    return fact.value == ("same" if same else "split")


def _scope(fact: Fact, data: Data) -> bool:
    form = {"--force": "force", "--all": "all"}.get(fact.key, "both")
    return bool(data["flags"][form]["scope"] == fact.value)


def _is_forced(fact: Fact, data: Data) -> bool:
    return any(mode["all_action"] == "remove" for mode in data["modes"].values())


def _keyword(fact: Fact, data: Data) -> bool:
    if fact.value[:1] in "/$":
        return _invocation(fact, data)
    if fact.value.casefold() in {word.casefold() for word in data["command"]["keywords"]}:
        return True
    return fact.detail == "plain" and fact.value.casefold() in data["front"]["description"].casefold()


def _root(fact: Fact, data: Data) -> bool:
    root = data["root"]
    if root["kind"] == "database":
        named = {
            f"${root['home_variable']}/{root['database']}",
            f"~/{root['home']}/{root['database']}",
            f"~/{root['home']}",
            root["directory"],
        }
        return fact.value.rstrip("/") in named
    state = f"{root['directory']}/{root['state']}" if root["state"] else root["directory"]
    return fact.value.rstrip("/") in (state, f"~/{state}")


def _store(fact: Fact, data: Data) -> bool:
    return fact.value == ("sqlite" if data["store"]["kind"] == "rows" else "files")


def _variable(fact: Fact, data: Data) -> bool:
    return fact.value in data["identity"].get("variables", ())


def _tool(fact: Fact, data: Data) -> bool:
    if data["tools"] and fact.value in data["tools"]["names"].values():
        return True
    pattern = re.compile(rf"(?<!\w){re.escape(fact.value)}(?!\w)")
    sections = {key: data[key] or {} for key in ("team", "tools", "notes", "asides", "modes")}
    if fact.value in ("get_goal", "update_goal", "create_goal"):
        return any(mode["goal"] for mode in data["modes"].values())
    return any(pattern.search(text) for _, text in strings(sections))


def _call(fact: Fact, data: Data) -> bool:
    if not data["tools"]:
        return False
    names = {name.rpartition("__")[2] for name in data["tools"]["names"].values() if name}
    if fact.key.rpartition("__")[2] not in names:
        return False
    arguments = data["tools"]["arguments"]
    known = {arguments[name] for name in ("mode", "session", "workspace", "payload")} | {"active", "list", "all"}
    told = {name for name in fact.value.split(",") if name}
    if arguments["payload_whole"] is False and not arguments["payload"]:
        return True
    return told <= known


def _verb(fact: Fact, data: Data) -> bool:
    """Whether a command is one of the state tools."""
    said = f"{fact.key} {fact.value} "
    return bool(data["tools"]) and any(name and said.startswith(f"{name} ") for name in data["tools"]["names"].values())


def _dialect(fact: Fact, data: Data) -> bool:
    line = data["tools"] and data["tools"]["command_line"]
    return bool(line) and (fact.value, fact.detail.split()) == (line["argument"], list(line["switches"]))


def _mode(fact: Fact, data: Data) -> bool:
    mode = data["modes"].get(fact.key)
    return bool(mode) and (fact.value == fact.key or words(mode["title"]).casefold() == words(fact.value).casefold())


def _record(fact: Fact, data: Data) -> bool:
    mode = data["modes"].get(fact.key)
    return bool(mode) and fact.value in mode["records"]


def _order(fact: Fact, data: Data) -> bool:
    rank = next((n for n, group in enumerate(data["order"], 1) if fact.key in group), 0)
    return str(rank) == fact.value


def _link(fact: Fact, data: Data) -> bool:
    modes = data["modes"]
    for owner, other in ((fact.key, fact.value), (fact.value, fact.key)):
        for link in modes.get(owner, {}).get("links", ()):
            if link["to"] == other and (owner == fact.key or link["either"]):
                fields = (link["flag"], link["names"], link["present"], link["back"])
                if not fact.detail or fact.detail in fields:
                    return True
    return False


def _action(fact: Fact, data: Data) -> bool:
    mode = data["modes"].get(fact.key)
    if not mode:
        return False
    if mode["action"] == "shutdown" and fact.value == "clear":
        return True  # what is left of the team is cleared once its workers have stopped
    return bool(mode["goal"]) if fact.value == "pause-goal" else mode["action"] == fact.value


def _message(fact: Fact, data: Data) -> bool:
    if fact.key in ("none", "force"):
        said = [data["messages"][fact.key]]
    else:
        mode = data["modes"].get(fact.key, {})
        said = [mode.get("message", ""), mode.get("message_more", ""), mode.get("linked_message", "")]
        said.append(" ".join(said[:2]))
    wanted = {words(fact.value), words(message(fact.value))}
    return bool(wanted & {words(text) for text in said if text})


def _is_preserved(fact: Fact, data: Data) -> bool:
    path = kept_path(fact.value)
    whole = [item["path"] for item in data["kept"]]
    if path and any(path == item or path.startswith(item + "/") for item in whole):
        return True
    plain = fact.value.strip("`").rstrip("/")
    sections = {key: data[key] for key in ("kept", "modes", "messages", "global_pass")}
    return any(plain in text for _, text in strings({**sections, "global_pass": {}}))


def _keeps(fact: Fact, data: Data) -> bool:
    mode = data["modes"].get(fact.key)
    if not mode or bool(mode["keeps"]) != (fact.value == "yes"):
        return False
    return not fact.detail or any(command in fact.detail for command in mode["resume"])


def _artifact(fact: Fact, data: Data) -> bool:
    path = inside(fact.value, data)
    listed = {item["path"]: item["kind"] for item in data["global_pass"]["artifacts"]}
    return bool(path) and (
        path in {*listed, *driven(data), *records(data)}
        or any(path.startswith(top + "/") for top, kind in listed.items() if kind == "tree")
    )


def _team(fact: Fact, data: Data) -> bool:
    stopped = not fact.key or data["modes"].get(fact.key, {}).get("action") == "shutdown"
    return data["team"]["kind"] == fact.value and stopped


def _timeout(fact: Fact, data: Data) -> bool:
    team, signal = data["team"], data["signal"]
    known = {team.get(key) for key in ("grace_s", "reconcile_s", "interrupt_s", "kill_s")} | {data["stale_s"]}
    return int(fact.value) in {*known, signal.get("ttl_ms", 0) // 1000} - {None, 0}


def _signal(fact: Fact, data: Data) -> bool:
    return bool(data["signal"].get("file") == fact.value)


def _holds_last_record(fact: Fact, data: Data) -> bool:
    record = data["last"].get("record", "")
    return bool(record) and fact.value in (record, f"{record}-state.json", f"{record}-state")


def _overlay(fact: Fact, data: Data) -> bool:
    return bool(data["team"].get("overlay", {}).get(fact.key) == fact.value)


_CHECKS: dict[str, Callable[[Fact, Data], bool]] = {
    "front": _holds_front,
    "label": lambda fact, data: fact.value in (data["product"]["name"], data["product"]["title"]),
    "invocation": _invocation,
    "flag": lambda fact, data: fact.value in ("--force", "--all"),
    "flags": _flags,
    "scope": _scope,
    "forced": _is_forced,
    "keyword": _keyword,
    "root": _root,
    "store": _store,
    "variable": _variable,
    "tool": _tool,
    "call": _call,
    "dialect": _dialect,
    "verb": _verb,
    "mode": _mode,
    "record": _record,
    "order": _order,
    "link": _link,
    "action": _action,
    "message": _message,
    "preserved": _is_preserved,
    "keeps": _keeps,
    "artifact": _artifact,
    "team": _team,
    "timeout": _timeout,
    "signal": _signal,
    "final": _holds_last_record,
    "overlay": _overlay,
}
