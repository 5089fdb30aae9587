"""Report which teammates of the host the agent has to ask; the script itself stops nobody."""

import os
import re

from cancel_runtime import ops
from cancel_runtime.drivers import Team, confirmed, legacy, trees

NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,128}")


class NativeDriver:
    def __init__(self, contract, place, request):
        self.contract = contract["team"]
        self.bridge = contract["bridge"]
        self.place = place
        self.request = request
        self.home = ops.home()
        self.listed = False

    def observe(self, session, record, scope):
        active = record is not None and record.state == "active" and record.body is not None
        named = record.body.get(self.contract["name_field"]) if active else ""
        named = named if isinstance(named, str) else ""
        warnings = self._others(session, named, active)
        if not active:
            return [], warnings
        recorded, listed = confirmed.members(record.body), self._members(named)
        workers = (listed or recorded) if self.contract["members"] == "home" else (recorded or listed)
        name = named or "team"
        how = f"ask every teammate of {name} to shut down, {self.contract['ask']}"
        refused = confirmed.refusal(self.request, how, [worker.name for worker in workers])
        return [Team(name, session, "", workers, {"named": named}, refused)], warnings

    def rest(self, captured):
        return [], []

    def plan(self, team):
        return confirmed.plan(team)

    def stop(self, team, steps):
        result = confirmed.outcome(team, self.request)
        if team.refused:
            return result
        for holder in (self.contract["members_home"], self.contract["tasks_home"]):
            path = self._of(holder, team.facts["named"])
            if path and trees.kind(path):
                result.manual_cleanup.append(path)
        return result

    def clean(self, team, steps, result):
        return result

    def gone(self, record):
        return legacy.alive(self.contract, self.bridge, self.place, record)

    def _of(self, holder, name):
        """Path of a team's directory under the user's home, or "" for a name that is none."""
        if not holder or not self.home or not NAME.fullmatch(name):
            return ""
        return os.path.join(self.home, *holder.split("/"), name)

    def _config(self, name):
        path = self._of(self.contract["members_home"], name)
        if not path:
            return {}
        value, _ = trees.read_object(os.path.dirname(path), name, "config.json")
        return value or {}

    def _members(self, name):
        """The host's own list of the team's members, oldest first, without the lead."""
        config = self._config(name)
        entries = [entry for entry in config.get("members") or [] if isinstance(entry, dict)]
        lead = config.get("leadAgentId")
        entries = [entry for entry in entries if not (lead and entry.get("agentId") == lead)]
        entries = [
            entry for entry in entries if entry.get("agentType") != "team-lead" and entry.get("name") != "team-lead"
        ]
        entries.sort(key=lambda entry: entry["joinedAt"] if type(entry.get("joinedAt")) in (int, float) else 0)
        return confirmed.members({"members": entries})

    def _others(self, session, named, active):
        """Warn of the host's other teams: those that this session leads, and, beside a team of its own, the rest, once."""
        holder = self.contract["members_home"]
        if not holder or not self.home or self.contract["members"] != "home":
            return []
        try:
            names = [name for name in trees.listed(os.path.join(self.home, *holder.split("/"))) if name != named]
        except OSError:
            return []
        led, rest = [], []
        for name in names:
            if NAME.fullmatch(name) and not name.startswith("."):
                config = self._config(name)
                (led if session and config.get("leadSessionId") == session else rest).append(name)
        warnings = [
            f"~/{holder}/{name} is led by this session, but its record does not name it; its teammates may still run"
            for name in led
        ]
        if active and rest and not self.listed:
            self.listed = True
            warnings.append(f"teams of others under ~/{holder} were neither asked nor cleared: {', '.join(rest)}")
        return warnings
