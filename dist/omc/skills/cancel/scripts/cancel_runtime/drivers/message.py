"""Report which teammates answer messages and have to be asked by the agent, and what their run still owes."""

import re

from cancel_runtime.drivers import Team, Worker, confirmed, trees

RUN = re.compile(r"[A-Za-z0-9_-]{1,128}")
OVER = ("done", "failed")


class MessageDriver:
    def __init__(self, contract, place, request):
        self.contract = contract["team"]
        self.place = place
        self.request = request

    def observe(self, session, record, scope):
        if record is None or record.state != "active" or record.body is None:
            return [], []
        state, _ = trees.read_object(self.place.base, *self.contract["run_state"].split("/"))
        state = state or {}
        run = next((record.body[key] for key in ("runId", "run_id") if isinstance(record.body.get(key), str)), "")
        live = state.get("status") == "active" and isinstance(state.get("runId"), str)
        if not run and live:
            run = state["runId"]
        run = run if RUN.fullmatch(run) else ""
        workers = self._roster(run) or confirmed.members(record.body)
        how = (
            f"send every teammate a shutdown by {self.contract['send']}, wait for the answers, see with {self.contract['list']} "
            f"that none still runs, and use {self.contract['interrupt']} on those that ignore it"
        )
        refused = confirmed.refusal(self.request, how, [worker.name for worker in workers])
        owed = state if live and state["runId"] == run else {}
        return [Team(run or "team", session, "", workers, {"run": run, "owed": owed}, refused)], []

    def rest(self, captured):
        return [], []

    def plan(self, team):
        return confirmed.plan(team)

    def stop(self, team, steps):
        result = confirmed.outcome(team, self.request)
        if team.facts["owed"]:
            updated = team.facts["owed"].get("updatedAt")
            known = f", expectUpdatedAt: {updated!r}" if isinstance(updated, str) else ""
            result.warnings.append(
                f"{self.contract['dispose']}({{ cwd, runId: {team.facts['run']!r}, reason: 'cancelled'{known} }}) is owed: "
                "list the run's changed files first, since it removes their tree"
            )
        return result

    def clean(self, team, steps, result):
        return result

    def gone(self, record):
        return ""

    def _roster(self, run):
        """Members of the run's registry that are not over; they are addressed by their agent's id where it has one."""
        if not run:
            return []
        path = self.contract["registry"].replace("{run}", run).split("/")
        registry, _ = trees.read_object(self.place.base, *path)
        workers = (registry or {}).get("workers")
        found = []
        for key, entry in sorted(workers.items()) if isinstance(workers, dict) else []:
            entry = entry if isinstance(entry, dict) else {}
            if entry.get("status") not in OVER:
                agent = entry.get("agentId")
                found.append(Worker(key, agent if isinstance(agent, str) else ""))
        return found
