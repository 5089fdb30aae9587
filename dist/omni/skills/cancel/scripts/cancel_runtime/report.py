"""Build what a run reports: the JSON object of `--json`, one session at a time so that many cost little memory."""

import os

from cancel_runtime import jsontext


class Report:
    """Collects a run. `add` takes a session at once and keeps only its text."""

    def __init__(self, contract, request):
        self.contract = contract
        self.request = request
        self.complete = True
        self.active = False
        self.removed = False
        self.parts = []
        self.said = []
        self.teams = []
        self.warnings = {}
        self.preserved = {}
        self.passed = None

    def add(self, session, items, teams, warnings, error="", lines=()):
        complete = not error and all(item.outcome in ("done", "absent", "planned") for item in items)
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
            self.parts.append(jsontext.compact({"session_id": session, "complete": complete, "modes": modes}))
        elif items or error:
            from cancel_runtime import text

            self.said += text.session(session, items, teams, error, lines, self.contract)

    def keep(self, paths):
        self.preserved.update(dict.fromkeys(paths))

    def warn(self, warnings):
        self.warnings.update((text, None) for text in warnings if text)

    def message(self):
        """None's text if nothing was active, force's if scope all completed, else nothing."""
        messages = self.contract["messages"]
        if not self.complete:
            return ""
        if not self.active:
            return messages["none"]
        if self.request.scope == "all" and not self.request.dry_run and not self.request.modes:
            return messages["force"]
        return ""

    def json(self):
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
        }
        sessions = ",\n    ".join(self.parts)
        opening = jsontext.write(head)[:-2]
        closing = jsontext.write(tail)[1:]
        return (
            opening + ',\n  "sessions": [' + ("\n    " + sessions + "\n  " if sessions else "") + "]," + closing + "\n"
        )


def preserved(contract, place, session):
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
