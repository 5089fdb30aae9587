"""Say single facts of a contract in words."""

from __future__ import annotations

from typing import Any

Json = Any


def quoted(value: Json) -> str:
    """Show a JSON value in a sentence."""
    if value is None or value == "" or value == []:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(quoted(item) for item in value)
    if isinstance(value, dict) and value.keys() == {"id", "says"}:
        return str(value["id"])
    if isinstance(value, dict):
        return ", ".join(f"{name} {quoted(item)}" for name, item in value.items() if item not in (None, "", []))
    text = str(value)
    return f"`{text}`" if len(text) <= 80 and "\n" not in text and "`" not in text else f"“{text.strip()}”"


def selection(value: Json) -> str:
    """Say what one form of the command selects."""
    scope = "every session" if value["scope"] == "all" else "the current session"
    return f"{scope}, {value['urgency']}"


def flag(form: str, before: Json, after: Json) -> str:
    """Say how one form of the command changed."""
    name = {"none": "without a flag", "force": "`--force`", "all": "`--all`", "both": "`--force --all`"}[form]
    old, new = selection(before), selection(after)
    if before["scope"] == after["scope"]:
        scope, old, new = old.split(", ")[0], before["urgency"], after["urgency"]
        return f"{name}: still {scope}, from {old} to {new}"
    if form == "force" and after == {"scope": "current", "urgency": "forced"}:
        return f"{name}: from every session to urgency only (the current session, forced)"
    if form == "force" and before == {"scope": "current", "urgency": "forced"}:
        return f"{name}: from urgency only (the current session, forced) to {new}"
    return f"{name}: from {old} to {new}"


#: contract key -> (group, words for the two values; `{old}` and `{new}` stand for them), with phrases for known values.
PHRASES: dict[str, tuple[str, str]] = {
    "identity.kind": ("identity", "how the session is known: from {old} to {new}"),
    "identity.missing": ("identity", "missing identity: from {old} to {new}"),
    "identity.pattern": ("identity", "a valid session id: from {old} to {new}"),
    "global_pass.gate": ("global pass", "global pass: from {old} to {new}"),
    "global_pass.captured_teams": ("global pass", "bridge files of captured teams: from {old} to {new}"),
    "global_pass.uncaptured_teams": ("protections", "uncaptured team roots: from {old} to {new}"),
    "store.kind": ("state", "state is kept: from {old} to {new}"),
    "store.lock.kind": ("protections", "a record is changed under: from {old} to {new}"),
    "store.adopt_owned": ("state", "records of this session in foreign session directories: from {old} to {new}"),
    "root.kind": ("state", "where state lives: from {old} to {new}"),
    "root.directory": ("state", "state directory: from {old} to {new}"),
    "tools.write": ("tools", "a write of a state tool: from {old} to {new}"),
    "tools.clear_without_session": ("tools", "a clear without a session: from {old} to {new}"),
    "tools.clear_without_mode": ("tools", "a clear without a mode: from {old} to {new}"),
    "tools.empty_clear": ("tools", "a clear that finds nothing: from {old} to {new}"),
    "team.kind": ("team", "workers are stopped: from {old} to {new}"),
    "team.grace_s": ("team", "time that workers get to stop: from {old} s to {new} s"),
    "signal.kind": ("ending", "how a cancel is announced: from {old} to {new}"),
    "last.kind": ("ending", "what is cleared last: from {old} to {new}"),
    "stale_s": ("state", "age past which a record is shown as stale: from {old} s to {new} s"),
}

VALUES: dict[str, dict[Json, str]] = {
    "identity.kind": {
        "environment": "the first variable that is set",
        "environment-with-directory": "a variable whose session directory exists, else a live session file",
        "argument": "`--session-id` alone",
        "none": "not at all, the product keeps no sessions",
    },
    "identity.missing": {
        "refuse": "refusal",
        "root-if-unclaimed": "legacy files (the root slot, if no session holds an active record)",
    },
    "global_pass.gate": {
        "none": "unconditional",
        "every-session": "gated (only after every session succeeded)",
    },
    "global_pass.captured_teams": {True: "removed", False: "left alone"},
    "global_pass.uncaptured_teams": {"protected": "protected", "swept": "swept away"},
    "store.kind": {"files": "in JSON files", "rows": "in rows of a database"},
    "store.lock.kind": {"directory": "a lock of the directory", "mutation-file": "the product's own lock files"},
    "store.adopt_owned": {True: "its own", False: "left alone"},
    "root.kind": {
        "workspace": "in the workspace",
        "layered": "found through superproject, marker, central directory and home",
        "database": "in one database a user",
    },
    "tools.write": {"merge": "merges into the record", "replace": "replaces the record"},
    "tools.clear_without_session": {
        "current": "the current session",
        "everything": "the records of every session",
        "root-slot": "the root slot",
        "invalid": "refused",
    },
    "tools.clear_without_mode": {"error": "an error", "session": "the whole session", "invalid": "refused"},
    "tools.empty_clear": {"honest": "says so", "always-ok": "reports success"},
    "team.kind": {
        "tmux": "through their tmux panes",
        "orchestrator": "by the plugin's own program",
        "native": "by the agent, who asks its teammates",
        "message": "by messages to them",
    },
    "signal.kind": {
        "none": "not at all",
        "session-file": "by a file in the session's directory",
        "run-directory": "by a file in the run's directory",
    },
    "last.kind": {
        "none": "nothing",
        "record": "one record of the session",
        "ledger": "the session's slots of the shared ledger",
        "entries": "the session's entries of a list",
    },
}

ACTIONS = {
    "clear": "its record is removed",
    "deactivate": "it is paused in place, the rest of its record stays",
    "terminalize": "it is ended in a terminal record that stays",
    "shutdown": "its workers are shut down",
    "global": "it is stopped in the global pass only",
}

#: list -> (group, words for what came, words for what went); `{}` stands for the names.
LISTS: dict[str, tuple[str, str, str]] = {
    "identity.variables": (
        "identity",
        "variables that name the session, added: {}",
        "variables that name the session, removed: {}",
    ),
    "fallback.never": (
        "protections",
        "without python3 the shell script never touches {} any more",
        "without python3 the shell script may touch {} again",
    ),
    "tools.rejects": ("tools", "the state tools do not know {}", "the state tools now know {}"),
    "tools.write_merges": ("tools", "a write merges {}", "a write no longer merges {}"),
    "store.owner": ("protections", "the owner is also read from {}", "the owner is no longer read from {}"),
    "command.keywords": ("invocation", "{} triggers the skill", "{} no longer triggers the skill"),
    "command.also": ("invocation", "it can also be called as {}", "it can no longer be called as {}"),
    "host.manifests": ("release", "the bundle also serves {}", "the bundle no longer serves {}"),
}

#: first key -> group of what has no words of its own.
TOP: dict[str, str] = {
    "identity": "identity",
    "flags": "flags",
    "global_pass": "global pass",
    "kept": "protections",
    "fallback": "protections",
    "modes": "modes",
    "tools": "tools",
    "store": "state",
    "root": "state",
    "stale_s": "state",
    "team": "team",
    "bridge": "team",
    "signal": "ending",
    "last": "ending",
    "stop_hook": "ending",
    "messages": "messages",
    "command": "invocation",
    "revision": "release",
    "plugin": "release",
    "host": "release",
    "product": "release",
    "schema_version": "release",
}

#: Keys that only say something; everything else decides what a run does.
SAID = ("product", "plugin", "front", "host", "messages", "report", "notes", "verdicts", "stop_hook", "revision")
SAID_LAST = [
    "title",
    "does",
    "label",
    "message",
    "message_more",
    "linked_message",
    "keeps",
    "resume",
    "detail",
    "optional",
    "note",
    "why",
    "report",
    "matching",
    "form",
    "also",
    "traps",
    "list_returns",
    "what",
    "noun",
    "inbox_text",
    "trigger",
]


def is_said(path: tuple[str | int, ...]) -> bool:
    """Tell whether the value at a path is only said, never acted upon."""
    return path[0] in SAID or any(step in SAID_LAST for step in path[1:])
