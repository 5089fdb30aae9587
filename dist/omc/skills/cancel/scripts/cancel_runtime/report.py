"""Build what a run reports, one session at a time so that many cost little memory: the JSON object and the words."""

from __future__ import annotations

import os

from cancel_runtime import records
from cancel_runtime.request import keeps_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from cancel_runtime.items import Item
    from cancel_runtime.records import Body, Contract
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place
    from cancel_runtime.teams import TeamResult

TOLD = 10
"""How many active modes of other sessions are named."""


class Report:
    """Collects a run. `add` takes a session at once and keeps only its text."""

    def __init__(self, contract: Contract, request: Request) -> None:
        self.contract = contract
        self.request = request
        self.complete = True
        self.failed = False
        self.unseen = False
        self.unlisted = False
        self.active = False
        self.removed = False
        self.parts: list[str] = []
        self.said: list[str] = []
        self.teams: list[Body] = []
        self.warnings: dict[str, None] = {}
        self.preserved: dict[str, None] = {}
        self.passed: Body | None = None
        self.foreseen: list[str] = []
        self.places: list[str] = []
        self.elsewhere: list[tuple[str, str]] = []
        self.above = False

    def add(
        self,
        session: str,
        items: Sequence[Item],
        teams: Sequence[TeamResult],
        warnings: Iterable[str],
        error: str = "",
        lines: Sequence[str] = (),
    ) -> None:
        failed = bool(error) or any(item.outcome not in ("done", "absent", "planned") for item in items)
        self.failed = self.failed or failed
        # What nobody looked at is done, and not called complete.
        unseen = any(item.unseen for item in items)
        self.unseen = self.unseen or unseen
        complete = not failed and not unseen
        self.complete = self.complete and complete
        self.teams += [team.report() for team in teams]
        self.warn(warnings)
        if error:
            self.warn([error])
        modes = [
            {
                "mode": item.mode,
                "action": item.action,
                "outcome": item.outcome,
                "message": item.message,
                "detail": item.detail,
                "paths": item.paths,
            }
            for item in items
        ]
        self.removed = self.removed or any(item.outcome == "done" for item in items)
        for item in items:
            if item.action == "deactivate" and item.outcome == "done" and item.mode in self.contract["modes"]:
                self.keep(item.paths)
        if self.request.json:
            self.parts.append(records.json_line({"session_id": session, "complete": complete, "modes": modes}))
        elif items or error:
            self.said += session_lines(session, items, teams, error, lines, self.contract)

    def keep(self, paths: Iterable[str]) -> None:
        self.preserved.update(dict.fromkeys(paths))

    def warn(self, warnings: Iterable[str]) -> None:
        self.warnings.update((text, None) for text in warnings if text)

    def message(self) -> str:
        """None's text if nothing was active, force's if scope all completed, else nothing."""
        messages: dict[str, str] = self.contract["messages"]
        if not self.complete:
            return ""
        if not self.active:
            return messages["none"]
        if self.request.scope == "all" and not self.request.dry_run and not self.request.modes:
            # Something of the product that this skill does not list goes on; the warnings name it.
            return "" if self.unlisted else messages["force"]
        return ""

    def json(self) -> str:
        head = {
            "flavor": self.contract["flavor"],
            "scope": self.request.scope,
            "urgency": self.request.urgency,
            "dry_run": self.request.dry_run,
            "complete": self.complete,
            "message": self.message(),
        }
        tail = {
            "teams": self.teams,
            "global_pass": self.passed,
            "preserved": list(self.preserved),
            "warnings": list(self.warnings),
            "places": self.places,
            "elsewhere": [{"session_id": session, "mode": mode} for session, mode in self.elsewhere[:TOLD]],
        }
        sessions = ",\n    ".join(self.parts)
        opening = records.json_text(head)[:-2]
        closing = records.json_text(tail)[1:]
        return (
            opening + ',\n  "sessions": [' + ("\n    " + sessions + "\n  " if sessions else "") + "]," + closing + "\n"
        )


def preserved(contract: Contract, place: Place, session: str) -> list[str]:
    """Absolute paths of what is kept by contract and exists."""
    root = contract["root"]
    directory = root["directory"]
    state = directory + "/" + root["state"] if root.get("state") else directory
    found = []
    for kept in contract["kept"]:
        path = kept["path"]
        if "<session_id>" in path:
            if not session:
                continue
            path = path.replace("<session_id>", session)
        if path == state or path.startswith(state + "/"):
            path = place.state + path[len(state) :]
        elif path.startswith(directory + "/"):
            path = place.base + path[len(directory) :]
        else:
            path = place.workspace + "/" + path
        if os.path.lexists(path):
            found.append(path)
    return found


def session_lines(
    session: str,
    items: Sequence[Item],
    teams: Sequence[TeamResult],
    error: str,
    lines: Sequence[str],
    contract: Contract,
) -> list[str]:
    """Lines on one session; `lines` are the steps of a dry run."""
    said = []
    sessions = keeps_sessions(contract)
    of = " (session " + name(session, contract) + ")" if sessions else ""
    if error:
        said.append(("Session " + name(session, contract) + ": " if sessions else "") + "unresolved: " + error)
    if lines:
        said.append("Session " + name(session, contract) + ": would" if sessions else "Would")
        said += ["  " + str(number) + ". " + line for number, line in enumerate(lines, 1)]
    for item in items:
        if item.message and not item.early:
            said += item.message.split("\n")
        if item.outcome in ("failed", "refused"):
            said.append(item.mode + of + ": " + item.outcome + ": " + (item.detail or "see its paths"))
            said += ["  " + path for path in item.paths]
        elif item.outcome == "absent":
            said.append(item.mode + of + ": nothing to do; " + (item.detail or "it was gone already"))
        elif item.outcome == "done" and not item.message:
            # The record that goes last may be one that other sessions share: then it stays, without this one's part.
            how = "cleared" if item.action == "clear" else "this session's part is taken out"
            said.append(item.mode + of + ": " + how + ("; " + item.detail if item.detail else ""))
        elif item.outcome == "planned" and item.detail:
            said.append("  " + item.mode + ": " + item.detail)
    for team in teams:
        said += team_lines(contract, team)
    return said


def team_lines(contract: Contract, team: TeamResult) -> list[str]:
    """The contract's report on a team; what nobody told or saw is "not known"."""
    words: Body = team.report()
    words["team"] = team.name
    words["cleanup"] = "success" if team.outcome in ("done", "absent") else "failed"
    words["deleted"] = None
    if team.unknown or (team.responded is None and not team.unresponsive):
        known = [", ".join(team.unresponsive)] if team.unresponsive else []
        words["unresponsive"] = "; ".join(
            [*known, "not known" + (": " + ", ".join(team.unknown) if team.unknown else "")]
        )
    heading, *lines = contract["team"]["report"]
    if team.unseen:
        words["cleanup"] = None
    if not team.state_cleared:
        heading = contract["team"]["report_left"]
    elif team.unseen or team.unasked or not team.found:
        heading = contract["team"]["report_cleared"]
    return [_fill(line, words) for line in (heading, *lines)]


def whole(report: Report, hint: str) -> list[str]:
    """All lines of a finished run."""
    said = list(report.said)
    if report.passed:
        if report.foreseen:
            said.append("Global pass: would")
            said += ["  " + str(number) + ". " + line for number, line in enumerate(report.foreseen, 1)]
        for item in report.passed["items"]:
            if item["outcome"] not in ("done", "absent", "planned"):
                said.append(item["outcome"] + ": " + item["path"] + (": " + item["detail"] if item["detail"] else ""))
        if report.passed["items"] and not report.foreseen:
            done = sum(item["outcome"] == "done" for item in report.passed["items"])
            said.append(
                "Global pass: " + str(done) + " of " + str(len(report.passed["items"])) + " listed things removed."
            )
    message = report.message()
    if message:
        said.append(message)
        if hint:
            said.append(hint)
    if report.places:
        there = [path + ("" if os.path.lexists(path) else " (there is none)") for path in report.places]
        said.append("Looked in: " + ", ".join(there))
    if report.preserved:
        said.append("Preserved:")
        said += ["  " + path for path in report.preserved]
    if report.warnings:
        said.append("Warnings:")
        said += ["  " + warning for warning in report.warnings]
    if not report.complete:
        said.append(
            "Nobody looked whether everything has stopped; the warnings say of what."
            if report.unseen and not report.failed
            else "Something remains unresolved; nothing of it was counted as cancelled."
        )
    return said


def slot(contract: Contract) -> str:
    """What the records of no session are called."""
    return "empty slot" if contract["root"]["kind"] == "database" else "root slot"


def name(session: str, contract: Contract) -> str:
    return session or "(" + slot(contract) + ")"


def clean(text: str) -> str:
    """A line for a terminal: what steers it (escapes, directions of writing) is shown, not obeyed."""
    return "".join(c if c.isprintable() else _escape(ord(c)) for c in text)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def _fill(line: str, words: dict[str, Any]) -> str:
    for key, value in words.items():
        if value is None:
            value = "not known"
        elif isinstance(value, list):
            value = ", ".join(value) if value else "none"
        elif isinstance(value, bool):
            value = "yes" if value else "no"
        line = line.replace("{" + key + "}", str(value))
    return line
