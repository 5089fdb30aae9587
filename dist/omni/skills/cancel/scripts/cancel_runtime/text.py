"""Say a run in words."""

from cancel_runtime.identity import keeps_sessions


def session(session, items, teams, error, lines, contract):
    """Lines on one session; `lines` are the steps of a dry run."""
    said = []
    sessions = keeps_sessions(contract)
    of = " (session " + name(session) + ")" if sessions else ""
    if error:
        said.append(("Session " + name(session) + ": " if sessions else "") + "unresolved: " + error)
    if lines:
        said.append("Session " + name(session) + ": would" if sessions else "Would")
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
            said.append(item.mode + of + ": cleared" + ("; " + item.detail if item.detail else ""))
        elif item.outcome == "planned" and item.detail:
            said.append("  " + item.mode + ": " + item.detail)
    for team in teams:
        said += team_lines(contract, team)
    return said


def team_lines(contract, team):
    """The contract's report on a team."""
    words = team.report()
    words["team"] = team.name
    words["cleanup"] = "success" if team.outcome in ("done", "absent") else "failed"
    words["deleted"] = "no"
    return [_fill(line, words) for line in contract["team"]["report"]]


def whole(report, hint):
    """All lines of a finished run."""
    said = list(report.said)
    if report.passed:
        for item in report.passed["items"]:
            if item["outcome"] not in ("done", "absent"):
                said.append(item["outcome"] + ": " + item["path"] + (": " + item["detail"] if item["detail"] else ""))
        if report.passed["items"]:
            done = sum(item["outcome"] == "done" for item in report.passed["items"])
            said.append(
                "Global pass: " + str(done) + " of " + str(len(report.passed["items"])) + " listed things removed."
            )
    message = report.message()
    if message:
        said.append(message)
        if hint:
            said.append(hint)
    if report.preserved:
        said.append("Preserved:")
        said += ["  " + path for path in report.preserved]
    if report.warnings:
        said.append("Warnings:")
        said += ["  " + warning for warning in report.warnings]
    if not report.complete:
        said.append("Something remains unresolved; nothing of it was counted as cancelled.")
    return said


def name(session):
    return session or "(root slot)"


def clean(text):
    """A line for a terminal: what steers it (escapes, directions of writing) is shown, not obeyed."""
    return "".join(c if c.isprintable() else _shown(ord(c)) for c in text)


def _shown(code):
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def _fill(line, words):
    for key, value in words.items():
        if isinstance(value, list):
            value = ", ".join(value) if value else "none"
        elif isinstance(value, bool):
            value = "yes" if value else "no"
        line = line.replace("{" + key + "}", str(value))
    return line
