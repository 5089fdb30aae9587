"""Derive from a contract the lists and words that templates walk; all logic of the text lives here."""

from __future__ import annotations

from typing import Any

from skillgen.model.store import kept_as
from skillgen.render.calls import Calls
from skillgen.render.escape import Safe, text
from skillgen.render.view import View

_FORMS = (("none", ""), ("force", " --force"), ("all", " --all"), ("both", " --force --all"))


def scene(view: View, data: dict[str, Any]) -> dict[str, Any]:
    """Return what a template sees beside the contract's own keys."""
    return {
        "groups": _groups(view),
        "mode_list": [Named(key, mode) for key, mode in view.modes.pairs()],
        "team_mode": next((mode for _, mode in view.modes.pairs() if mode.action == "shutdown"), None),
        "team_title": next((_heading(mode.title) for _, mode in view.modes.pairs() if mode.action == "shutdown"), ""),
        "team_links": [
            {"title": mode["title"], "record": mode["records"][0]}
            for mode in data["modes"].values()
            for link in mode["links"]
            if link["either"] and data["modes"][link["to"]]["action"] == "shutdown"
        ],
        "forms": _forms(view),
        "all_calls": [view.command.form + flags for key, flags in _FORMS if data["flags"][key]["scope"] == "all"],
        "same_flags": data["flags"]["force"] == data["flags"]["all"],
        "call": Calls(data["tools"]) if data["tools"] else None,
        "paused_fields": _written_fields(view, "deactivate", {"active": False}),
        "ended_fields": _written_fields(
            view, "terminalize", {"active": False, "current_phase": "cancelled", "completed_at": "<ISO 8601 time>"}
        ),
        "ended_shortly": sum(mode["action"] == "terminalize" for mode in data["modes"].values()) > 2,
        "titles": {key: mode["title"] for key, mode in data["modes"].items()},
        "sessions": data["identity"]["kind"] != "none",
        "owners": _owners(data),
        "tool_names": list(dict.fromkeys(name for name in view.tools.names.plain().values() if name))
        if data["tools"]
        else [],
        "kept_as": kept_as(view.store.kind),
        "state_path": _state_path(view, data),
        "record_path": _record_path(view, data),
        "owner_first": any(link["first"] == "owner" for mode in data["modes"].values() for link in mode["links"]),
        "step": _steps(data),
        "asks": data["team"]["kind"] in ("native", "message"),
        "patience": _longest_wait_s(view, data),
        "wide": [flags.strip() for key, flags in _FORMS[1:3] if data["flags"][key]["scope"] == "all"],
        "barring": [Named(key, mode) for key, mode in view.modes.pairs() if mode.bars_script and data["tools"]],
        "skill": view.host.skill_directory or "<skill>",
        "script_call": _script_call(view, data),
        "example": _example(view, data),
        "shared": [Named(key, mode) for key, mode in view.modes.pairs() if data["modes"][key]["shared"]],
    }


def _written_fields(view: View, action: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a write sends to pause or end a mode."""
    own = getattr(view.outcome_fields, action).plain()
    return {**fields, **{name: value.replace("{time}", "<ISO 8601 time>") for name, value in own.items()}}


def _steps(data: dict[str, Any]) -> dict[str, int]:
    """Return the numbers of the steps of a run; a step that the product has no use for has none."""
    left_out = {
        "identity": data["identity"]["kind"] == "none",
        "tools": not data["tools"],
        "team": data["team"]["kind"] == "none",
        "last": data["last"]["kind"] == "none",
    }
    names = ("arguments", "identity", "tools", "look", "team", "order", "last", "again", "report")
    return {name: number for number, name in enumerate((n for n in names if not left_out.get(n)), 1)}


def _longest_wait_s(view: View, data: dict[str, Any]) -> int:
    """Return the seconds that the script may wait for one team that does not stop; 0 where it waits for none."""
    kind = data["team"]["kind"]
    if kind == "tmux":
        return int(view.team.grace_s) + int(view.team.interrupt_s) + 1
    if kind == "program":
        return int(view.team.start_s) + int(view.team.limit_s)
    return int(view.team.grace_s) + int(view.team.kill_s) + 1 if kind == "orchestrator" else 0


def _script_call(view: View, data: dict[str, Any]) -> str:
    """Return the call of the script as it can be copied; it names the session only where the host fills that in."""
    call = f'python3 "{view.host.skill_directory or "<skill>"}/scripts/cancel.py"'
    named = view.host.session
    return f'{call} --session-id "{named}"' if named and data["identity"]["kind"] != "none" else call


def _example(view: View, data: dict[str, Any]) -> list[str]:
    """Return the example of a report, told of the first mode whose message the example's phase completes."""
    own = [mode for mode in data["modes"].values() if mode["action"] not in ("shutdown", "global")]
    own = [mode for mode in own if "{" not in mode["message"].replace("{phase}", "")] or [*data["modes"].values()]
    words = {
        "scope": "This session" if data["identity"]["kind"] != "none" else "The project",
        "mode": own[0]["title"],
        "message": own[0]["message"].replace("{phase}", "execution"),
        "keeps": own[0]["keeps"].replace("`", ""),
    }
    lines = []
    for line in view.report_example:
        if "{keeps}" in line and not words["keeps"]:
            continue
        for name, value in words.items():
            line = line.replace(f"{{{name}}}", value)
        lines.append(line)
    return lines


def _heading(title: str) -> str:
    """Return how the section on workers is called: as the mode is, so that it is no mode of its own."""
    return "Team" if title.casefold() == "team" else title


def _state_path(view: View, data: dict[str, Any]) -> str:
    """Return the state directory as a text shows it; the run roots' directory for rows."""
    return f"{view.root.directory}/{view.root.state}" if data["root"].get("state") else view.root.directory


def _record_path(view: View, data: dict[str, Any]) -> str:
    if data["root"]["kind"] == "database":
        return f"${view.root.home_variable}/{view.root.database}"
    if "record" not in data["store"]:
        return f"{_state_path(view, data)}/{view.store.file}"
    name = view.store.record.replace("{mode}", "<mode>")
    if data["identity"]["kind"] == "none":
        return f"{_state_path(view, data)}/{name}"
    return f"{_state_path(view, data)}/{view.store.sessions}/<session_id>/{name}"


class Named:
    """A mode with its key and the start of its item in the cancel order; everything else is the contract's."""

    def __init__(self, key: str, mode: View, number: int = 0, grouped: bool = False) -> None:
        # What belongs to an item is indented by the width of its marker.
        width = " " * (len(str(number)) + 2)
        self.key = key
        self.head = Safe(f"{width}- {text(mode.title)}" if grouped else f"{number}. **{text(mode.title)}**")
        self.pad = Safe(width + "  " * grouped)
        self._mode = mode

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mode, name)


def _groups(view: View) -> list[dict[str, Any]]:
    modes = dict(view.modes.pairs())
    return [
        {"number": number, "modes": [Named(key, modes[key], number, len(group) > 1) for key in group]}
        for number, group in enumerate(view.order, 1)
    ]


def _forms(view: View) -> list[dict[str, Any]]:
    """Return the forms of the command, those that select the same side by side."""
    forms: list[dict[str, Any]] = []
    for key, flags in _FORMS:
        selection = getattr(view.flags, key)
        chosen = (selection.scope, selection.urgency, selection.refused)
        same = [form for form in forms if (form["scope"], form["urgency"], form["refused"]) == chosen]
        if same and key == "both":
            continue
        if same:
            same[0]["calls"].append(view.command.form + flags)
        else:
            names = ("scope", "urgency", "refused")
            forms.append({"calls": [view.command.form + flags], **dict(zip(names, chosen, strict=True))})
    return forms


def _owners(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return for each mode the links that point at it, with the owner's title."""
    owners: dict[str, list[dict[str, Any]]] = {key: [] for key in data["modes"]}
    for key, mode in data["modes"].items():
        for link in mode["links"]:
            owners[link["to"]].append({**link, "owner": key, "title": mode["title"]})
    return owners
