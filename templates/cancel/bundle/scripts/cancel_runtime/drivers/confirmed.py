"""Handle a team that only the agent can stop: cleared once the agent has asked everyone, or by force with a warning."""

from cancel_runtime.drivers import TeamResult, TeamStep, Worker


def refusal(request, how, members):
    """Why the team must not be cleared yet, or "". `how` tells the agent what to do about `members`."""
    if request.team_confirmed or request.urgency == "forced":
        return ""
    who = ", ".join(members) if members else "its teammates, whose names no file here holds"
    return f"{how}: {who}; then run this again with --team-confirmed"


def plan(team):
    """The one step of a team that may be cleared: what the agent did is taken note of."""
    return [] if team.refused else [TeamStep("stop", "confirm", f"{len(team.workers)} teammates of {team.name}")]


def outcome(team, request):
    """The result for a team: refused, confirmed by the agent, or cleared by force with a warning."""
    if team.refused:
        return TeamResult(team.name, "refused", team.refused)
    result = TeamResult(team.name)
    names = [worker.name for worker in team.workers]
    if request.team_confirmed:
        result.signaled = result.responded = len(names)
    else:
        said = ", ".join(names) if names else "none is known by name"
        result.warnings.append(f"the team {team.name} was cleared by force; teammates that were not asked: {said}")
    return result


def members(body):
    """Names of teammates that a record lists, in its order, without repeats."""
    found = []
    for key in ("members", "workers", "teammates", "agents"):
        value = body.get(key)
        for entry in value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []:
            name = entry if isinstance(entry, str) else _name(entry)
            if name and name not in found:
                found.append(name)
    return [Worker(name) for name in found]


def _name(entry):
    if not isinstance(entry, dict):
        return ""
    for key in ("name", "workerName", "worker_name", "id", "slug", "label"):
        if isinstance(entry.get(key), str) and entry[key]:
            return entry[key]
    return ""
