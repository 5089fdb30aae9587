"""Hold what a run did against what a scenario expects, and against what holds for every run."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from runtime_proofs import rows, tree
from runtime_proofs.bundle import Result
from runtime_proofs.scenario import Place, Scenario, filled, path_of

KNOWN = {
    *("exit", "changed", "created", "gone", "rows", "modes", "says", "stderr", "warns", "message"),
    *("global", "teams", "preserved", "never_says", "scope", "urgency", "maybe", "signal"),
}
DATABASE = re.compile(r"home/\.omni/omni\.db(-wal|-shm)?$")


def observe(place: Place) -> tuple[tree.Snapshot, rows.Rows]:
    found = {key: value for key, value in tree.snapshot(place.base).items() if not DATABASE.match(key)}
    return found, rows.read(place.database) if place.database else {}


def check(scenario: Scenario, then: dict[str, Any], place: Place, before: Any, after: Any, result: Result) -> None:
    assert set(then) <= KNOWN, f"{scenario.name}: then has {set(then) - KNOWN}"
    assert "Traceback" not in result.stderr, result
    exits = then.get("exit", 0)
    assert result.exit in (exits if isinstance(exits, list) else [exits]), (
        f"exit {result.exit}, expected {then.get('exit', 0)}\n{result}"
    )
    _files(scenario, then, place, before[0], after[0], result)
    _rows(then, before[1], after[1], result)
    for text in then.get("stderr", []):
        assert text.lower() in result.stderr.lower(), f"stderr lacks {text!r}\n{result}"
    if result.exit == 2:
        assert result.stdout == "", result
        assert result.stderr.strip(), "refused without a reason"
    said = json.dumps(result.report, ensure_ascii=False) if result.report else result.stdout
    for text in then.get("says", []):
        assert text in said.replace('\\"', '"'), f"report lacks {text!r}\n{result}"
    for text in then.get("never_says", []):
        assert text not in said + result.stderr, f"report has {text!r}\n{result}"
    if result.report is not None and "complete" in result.report:
        _report(then, place, result.report, result)


def _files(scenario: Scenario, then: dict[str, Any], place: Place, before: Any, after: Any, result: Result) -> None:
    found = tree.differences(before, after)
    wanted: dict[str, str] = {}
    for name in then.get("maybe", []):
        path = path_of(scenario.flavor, name)
        wanted |= {path: found[path]} if path in found else {}
    for session, modes in then.get("signal", {}).items():
        path = path_of(scenario.flavor, f"@{session}/cancel-signal-state.json")
        if path in found or "" not in modes:
            assert path in after, f"no signal for {session}\n{result}"
            assert path not in before or found.get(path), "the signal is an old one"
            _signal(json.loads(after[path][2]), modes, result)
            assert path in before or after[path][1] & 0o077 == 0, f"{path}: mode {after[path][1]:o}"
            wanted[path] = found.get(path, "created")
    for name in then.get("gone", []):
        wanted[path_of(scenario.flavor, name)] = "gone"
    for word in ("changed", "created"):
        for name, fields in then.get(word, {}).items():
            wanted[path_of(scenario.flavor, name)] = word
            path = path_of(scenario.flavor, name)
            assert path in after, f"{path} is missing\n{result}"
            _body(path, filled(fields, place.base), before.get(path), after[path], result)
    assert found == wanted, (
        "\n".join(
            f"{path}: expected {wanted.get(path, 'untouched')}, is {found.get(path, 'untouched')}"
            for path in sorted({*found, *wanted})
            if found.get(path) != wanted.get(path)
        )
        + f"\n{result}"
    )


def _signal(body: Any, modes: list[str], result: Result) -> None:
    """Hold a signal against what the real stop hook accepts (facts 6.3.7)."""
    assert body["active"] is True and body["mode"] in modes and body["mode"] != "autopilot", f"{body}\n{result}"
    assert body["source"] and not [key for key in body if key.startswith("target_")], body
    assert recent(body["requested_at"])
    if "expires_at" in body:
        moments = [datetime.fromisoformat(body[key].replace("Z", "+00:00")) for key in ("requested_at", "expires_at")]
        assert (moments[1] - moments[0]).total_seconds() == 30, body


def _body(path: str, fields: Any, before: Any, after: Any, result: Result) -> None:
    if fields == "<any>":
        return
    if isinstance(fields, dict) and "$text" in fields:
        assert after[2].decode() == fields["$text"], f"{path}\n{result}"
        return
    old = json.loads(before[2]) if before else {}
    new = json.loads(after[2])
    assert before is None or after[1] == before[1], f"{path}: mode {before[1]:o} became {after[1]:o}"
    assert matches({**old, **fields}, new), f"{path}: expected { ({**old, **fields}) }, is {new}\n{result}"
    assert [key for key in new if key in old] == list(old), f"{path}: keys changed their order: {list(new)}"


def matches(wanted: Any, found: Any) -> bool:
    """Equal, but `<time>` is any moment of the last minutes and `<any>` anything."""
    if wanted == "<any>":
        return True
    if wanted == "<time>":
        return recent(found)
    if isinstance(wanted, dict) and isinstance(found, dict):
        return wanted.keys() == found.keys() and all(matches(wanted[key], found[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(matches, wanted, found))
    return type(wanted) is type(found) and wanted == found


def recent(value: Any) -> bool:
    moment = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    assert moment.tzinfo, f"{value} has no time zone"
    return abs((datetime.now(UTC) - moment).total_seconds()) < 300


def _rows(then: dict[str, Any], before: rows.Rows, after: rows.Rows, result: Result) -> None:
    wanted = dict(before)
    changed = set()
    for session, modes in then.get("rows", {}).items():
        for mode, fields in modes.items():
            assert (session, mode) in before, f"no row {session}/{mode} was given"
            if fields == "gone":
                del wanted[session, mode]
            else:
                changed.add((session, mode))
                body, _ = after.get((session, mode), (None, 0))
                old = before[session, mode][0]
                assert isinstance(body, dict), f"row {session}/{mode} is {body}\n{result}"
                assert matches({**old, **fields}, body), f"row {session}/{mode} is {body}\n{result}"
                assert [key for key in body if key in old] == list(old), f"keys changed their order: {list(body)}"
                assert after[session, mode][1] > rows.OLD, "updated_at stood still"
                wanted[session, mode] = after[session, mode]
    assert after == wanted, f"rows expected {wanted}\nare {after}\n{result}"


def _report(then: dict[str, Any], place: Place, report: dict[str, Any], result: Result) -> None:
    assert set(report) == {
        *("flavor", "scope", "urgency", "dry_run", "complete", "message", "sessions"),
        *("teams", "global_pass", "preserved", "warnings", "places", "elsewhere"),
    }, sorted(report)
    assert report["complete"] == (result.exit == 0), f"complete does not go with the exit code\n{result}"
    for key in ("scope", "urgency", "message"):
        assert key not in then or report[key] == then[key], f"{key} is {report[key]!r}\n{result}"
    said: dict[str, list[str]] = {}
    for session in report["sessions"]:
        assert set(session) == {"session_id", "complete", "modes"}
        said[session["session_id"]] = []
        for mode in session["modes"]:
            assert set(mode) == {"mode", "action", "outcome", "message", "detail", "paths"}, mode
            assert mode["action"] in {"clear", "deactivate", "terminalize", "shutdown", "global"}
            assert mode["outcome"] in {"done", "absent", "refused", "failed", "planned"}
            assert all(path.startswith("/") for path in mode["paths"]), mode
            assert mode["outcome"] == "absent" or mode["message"] or mode["detail"] or mode["paths"], mode
            if mode["outcome"] != "absent":
                said[session["session_id"]].append(f"{mode['mode']} {mode['action']} {mode['outcome']}")
        unresolved = any(mode["outcome"] in {"refused", "failed"} for mode in session["modes"])
        assert not (session["complete"] and unresolved), f"complete with something unresolved\n{result}"
    if "modes" in then:
        said = {session: modes for session, modes in said.items() if modes}
        assert said == then["modes"], f"modes are {said}\n{result}"
    warnings = "\n".join(report["warnings"])
    for text in then.get("warns", []):
        assert text.lower() in warnings.lower(), f"no warning has {text!r}\n{result}"
    _global(then, place, report, result)
    for text in then.get("preserved", []):
        assert any(path.endswith(text) for path in report["preserved"]), f"preserved lacks {text}\n{result}"
    for name, fields in then.get("teams", {}).items():
        team = next((team for team in report["teams"] if team["name"] == name), None)
        assert team is not None, f"no team {name}\n{result}"
        for key, value in fields.items():
            assert team[key] == value, f"team {name}: {key} is {team[key]}\n{result}"


def _global(then: dict[str, Any], place: Place, report: dict[str, Any], result: Result) -> None:
    if "global" not in then:
        return
    if then["global"] is None:
        assert report["global_pass"] is None, result
        return
    assert report["global_pass"] is not None, f"no global pass ran\n{result}"
    outcome = {item["path"].rpartition("/")[2]: item["outcome"] for item in report["global_pass"]["items"]}
    for name, wanted in then["global"].items():
        assert outcome.get(name) == wanted, f"global pass: {name} is {outcome.get(name)}\n{result}"
