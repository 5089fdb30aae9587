"""See whether a product keeps sessions at all."""

from __future__ import annotations

import re

from skillgen.adopt.wanted import Target

#: An id, a path or a variable of a session, or a session that is told from others; one of tmux is none.
_TOLD = re.compile(
    r"session[ _-]?ids?\b|(?<!tmux )sessions?/|_SESSION|SESSION_|[<{$]session(?!_name)|--session|session\.json|session[ -](?:scop|aware)"
    r"|\b(?:current|this|that|other|another|every|each|all|own|per|which)(?: (?!tmux)\w+)?[ -]sessions?\b|sessionId"
    r"|(?:当前|本|其他|每个|所有|全部)(?:的)?会话|会话\s?(?:ID|标识)|(?:현재|이|다른|모든|각)\s?세션|세션\s?(?:ID|아이디|별)"
    r"|(?:現在の|この|他の|別の|すべての|全|各)セッション|セッション\s?(?:ID|ごと|識別子)"
)


def take_sessions(target: Target) -> None:
    """Where a text of files knows of no session, there is one set of records, and an id of the host's selects nothing."""
    data = target.data
    plain = data["store"]["kind"] == "files" and data["team"]["kind"] == data["signal"]["kind"] == "none"
    if target.kin or not plain or data["tools"] or data["last"]["kind"] != "none":
        return
    if target.facts.of("variable") or target.evidence.finds(_TOLD):
        return
    data["identity"] = {"kind": "none"}
    data["store"].update(owner=[], root_records=True)
    for mode in data["modes"].values():
        if mode["shared"]:
            mode["does"] = f"Ends {mode['title']}."
    name = data["product"]["name"]
    data["plugin"]["description"] = f"Cancels the active {name} mode, in the right order."
    data["report"] = [line.replace("scope, urgency and sessions", "scope and urgency") for line in data["report"]]
