"""The law on the published oh-my-claudecode: what a report calls complete is gone for its own stop hook and state server."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from runtime_proofs.bundle import Result, run
from runtime_proofs.real_layouts import git
from runtime_proofs.real_omc import Server, begin, package, stop_hook

pytestmark = [pytest.mark.slow, pytest.mark.client]

PHASES = {
    "ralph": "executing",
    "autopilot": "execution",
    "team": "team-exec",
    "ultragoal": "executing",
    "omc-teams": "team-exec",
    "ralplan": "planning",
    "self-improve": "running",
    "ultrapilot": "running",
    "pipeline": "running",
    "ultraqa": "running",
    "ultrawork": "running",
}
"""Every mode of a session, with a phase that the stop hook enforces."""

PLACES = {
    "the session's own directory": "project/.omc/state/sessions/s1",
    "another session's directory": "project/.omc/state/sessions/b",
    "the root": "project/.omc/state",
    "beside the state directory": "project/.omc",
    "the home slot": "home/.omc/state",
    "the session's directory at home": "home/.omc/state/sessions/s1",
}
BELOW = {
    "the session's own directory": "project/a/b/.omc/state/sessions/s1",
    "another session's directory": "project/a/b/.omc/state/sessions/b",
    "the root": "project/a/b/.omc/state",
    "beside the state directory": "project/a/b/.omc",
    "the home slot": "home/.omc/state",
}
"""Where records lie of a session that was begun in a directory below git's toplevel: the hooks take that directory as it is."""
OWNERS = {"this session": "s1", "another session": "s2", "nobody": ""}
GIT = {
    "no variable of git": {},
    "another repository's variables": {"GIT_DIR": "{base}/other/.git", "GIT_WORK_TREE": "{base}/other"},
    "the variables of a hook": {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""},
}
HOWS = {"python3": "py", "the shell with python3": "sh", "jq alone": "bare", "neither": "nojq"}
TOLD = {
    "nothing told": [],
    "the team told": ["--team-confirmed"],
    "one answered, one silent": ["--team-confirmed", "--responded", "a", "--silent", "b"],
    "one answered, one not known": ["--team-confirmed", "--responded", "a"],
    "nobody answered": ["--team-confirmed", "--silent", "a", "--silent", "b"],
    "by force": ["--force"],
}


@dataclass
class Site:
    base: Path
    server: Server

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def project(self) -> Path:
        return self.base / "project"

    def clean(self) -> None:
        for holder in ("project/.omc", "project/a/b/.omc", "project/a/.omc", "home/.omc", "other/.omc"):
            shutil.rmtree(self.base / holder, ignore_errors=True)
        (self.project / ".omc/state/sessions/s1").mkdir(parents=True)

    def put(self, place: str, mode: str, owner: str, *, begun: str = "", **more: Any) -> Path:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = {"active": True, "started_at": now, "last_checked_at": now, "iteration": 1, "max_iterations": 9}
        body |= {"prompt": "x", "current_phase": PHASES[mode], "project_path": str(self.project / begun)}
        body |= {"session_id": owner} if owner else {}
        path = self.base / (BELOW if begun else PLACES)[place] / f"{mode}-state.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**body, **more}))
        return path

    def cancel(self, how: str, arguments: list[str], *, cwd: str = ".", env: dict[str, str] | None = None) -> Result:
        given = {name: value.format(base=self.base) for name, value in (env or {}).items()}
        words = ["--session-id", "s1", "--json", *arguments]
        return run("omc", words, cwd=self.project / cwd, home=self.home, how=how, env=given)

    def held(self, session: str = "s1") -> set[str]:
        """What the product's own judges hold: modes of the server's list, and "hook" where the stop hook blocks."""
        listed = self.server.call("state_list_active", session_id=session)
        found = {mode for mode in PHASES if f"- **{mode}**" in listed}
        return found | ({"hook"} if self.blocked(session) else set())

    def blocked(self, session: str = "s1", cwd: str = ".") -> bool:
        """Whether the stop hook holds a session that stands in a directory, by more than a signal."""
        for signal in self.base.rglob("cancel-signal-state.json"):
            signal.unlink()
        return stop_hook(self.project / cwd, self.home, session).get("decision") == "block"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    package()
    base = tmp_path_factory.mktemp("law")
    (base / "home").mkdir()
    for name in ("project", "other"):
        git("init", "-q", str(base / name))
    (base / "project/a/b/c").mkdir(parents=True)
    with Server(base / "project", base / "home") as server:
        yield Site(base, server)


def law(site: Site, done: Result, before: set[str], *, owned: bool = True) -> None:
    """If the report says complete, the judges say gone; a root record of nobody may stay where it is named."""
    if done.exit == 2:
        assert done.report is None, done
        return
    assert done.report is not None, done
    assert done.report["complete"] == (done.exit == 0), done
    left = site.held()
    if not done.report["complete"]:
        return
    assert "hook" not in left, f"called complete, and the stop hook still blocks (it held {before})\n{done}"
    if owned:
        assert not left, f"called complete, and the server still lists {left}\n{done}"
    for mode in left:
        named = json.dumps(done.report["warnings"])
        assert f"{mode}-state.json" in named, f"{mode} is still listed and the report does not name it\n{done}"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("how", HOWS)
def test_wherever_the_record_lies_and_whoever_owns_it(how: str, place: str, site: Site) -> None:
    held = 0
    for mode, owner in itertools.product(PHASES, OWNERS):
        site.clean()
        site.put(place, mode, OWNERS[owner])
        before = site.held()
        others = site.held("s2") if owner == "another session" else set()
        held += bool(before)
        if not before and not others:
            continue  # whatever the report says of it, no judge holds it against this session
        done = site.cancel(HOWS[how], ["--team-confirmed"] if how in ("python3", "the shell with python3") else [])
        law(site, done, before, owned=owner != "nobody")
        assert owner != "another session" or site.held("s2") == others, f"{mode}: another session was let go\n{done}"
        if owner == "this session" and before and HOWS[how] in ("py", "sh"):
            assert done.exit == 0, f"{mode} in {place} is this session's, and was not ended\n{done}"
    assert held, "the product holds nothing here, so this proves nothing"


@pytest.mark.parametrize("cwd", [".", "a/b"])
@pytest.mark.parametrize("variables", GIT)
@pytest.mark.parametrize("how", HOWS)
def test_wherever_it_is_run_and_whatever_git_s_variables_say(how: str, variables: str, cwd: str, site: Site) -> None:
    for place in ("the session's own directory", "the home slot", "another session's directory"):
        site.clean()
        site.put(place, "ralph", "s1")
        before = site.held()
        assert "hook" in before
        done = site.cancel(HOWS[how], [], cwd=cwd, env=GIT[variables])
        law(site, done, before)
        if HOWS[how] in ("py", "sh") or place == "the session's own directory":
            assert done.exit == 0, done


@pytest.mark.parametrize("place", BELOW)
@pytest.mark.parametrize("how", HOWS)
def test_wherever_below_the_toplevel_the_session_was_begun(how: str, place: str, site: Site) -> None:
    held = 0
    for mode, owner, cwd in itertools.product(PHASES, OWNERS, ("a/b", "a/b/c")):
        site.clean()
        path = site.put(place, mode, OWNERS[owner], begun="a/b")
        body = path.read_bytes()
        others = owner == "another session" and site.blocked("s2", "a/b")
        before = site.blocked(cwd="a/b")
        if not before and not others:
            continue
        held += before
        path.write_bytes(body)
        done = site.cancel(HOWS[how], ["--team-confirmed"] if HOWS[how] in ("py", "sh") else [], cwd=cwd)
        if done.exit == 0:
            assert not site.blocked(cwd="a/b"), f"{mode}: called complete, and the stop hook still blocks\n{done}"
        if others:
            assert site.blocked("s2", "a/b"), f"{mode}: another session was let go\n{done}"
        if before and HOWS[how] in ("py", "sh"):
            assert done.exit == 0, f"{mode} in {place} holds this session, and was not ended\n{done}"
    assert held or place == "beside the state directory", "the product holds nothing here, so this proves nothing"


@pytest.mark.parametrize("how", HOWS)
def test_a_mode_that_the_product_s_own_hook_began_below_the_toplevel(how: str, site: Site) -> None:
    site.clean()
    begin(site.project / "a/b", site.home, "s1", "/oh-my-claudecode:ralph mend the tests")
    (path,) = (site.project / "a/b").rglob("ralph-state.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "awaiting_confirmation": False}))
    assert site.blocked(cwd="a/b") and not site.blocked()
    done = site.cancel(HOWS[how], [], cwd="a/b")
    if HOWS[how] in ("py", "sh"):
        assert done.exit == 0 and not path.exists() and not site.blocked(cwd="a/b"), done
    else:
        assert done.exit == 2 and str(path) in done.stderr and site.blocked(cwd="a/b"), done


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("how", HOWS)
def test_whatever_is_told_of_the_team(how: str, told: str, site: Site) -> None:
    for linked in (False, True):
        site.clean()
        site.put("the session's own directory", "team", "s1", members=["a", "b"], linked_ralph=linked)
        if linked:
            site.put("the session's own directory", "ralph", "s1", linked_team=True)
        before = site.held()
        done = site.cancel(HOWS[how], TOLD[told])
        law(site, done, before)
        assert (done.exit == 0) == (told != "nothing told" and HOWS[how] in ("py", "sh")), done


VALUES = (True, "true", 1, 1.0, False, "false", 0, None, "", "yes", "TRUE", 2, -1, [], {}, [0])
"""What a record may say for `active`; the stop hook takes each by its truth in JavaScript."""


@pytest.mark.parametrize("how", HOWS)
def test_whatever_the_record_says_of_itself(how: str, site: Site) -> None:
    for value in VALUES:
        site.clean()
        path = site.put("the session's own directory", "ralph", "s1", active=value)
        before = path.read_bytes()
        done = site.cancel(HOWS[how], [])
        if value == "false" and done.report:
            # At rest by rule 4, so it stays; that the hook is held by it is said.
            assert path.read_bytes() == before and any(
                f"{path} has the text" in said for said in done.report["warnings"]
            ), done
        elif done.exit == 0:
            assert not site.blocked(), f"{value!r}: called complete, and the stop hook still blocks\n{done}"


@pytest.mark.parametrize("how", HOWS)
def test_all_sessions_are_gone_for_every_judge(how: str, site: Site) -> None:
    site.clean()
    for place, mode in zip(PLACES, ("ralph", "ultragoal", "ralph", "ralph", "ultragoal", "ralph"), strict=True):
        site.put(place, mode, "s1")
    site.put("the session's own directory", "pipeline", "s1")
    path = site.put("another session's directory", "autopilot", "b")
    before = site.held()
    done = run("omc", ["--all", "--json"], cwd=site.project, home=site.home, how=HOWS[how])
    law(site, done, before)
    if done.exit == 0:
        assert site.held("b") == set(), done
        assert json.loads(path.read_text())["active"] is False
    assert (done.exit == 0) == (HOWS[how] in ("py", "sh")), done


def test_the_law_can_fail(site: Site) -> None:
    """A report that says complete over a live record breaks it."""
    site.clean()
    site.put("the session's own directory", "ralph", "s1")
    before = site.held()
    lie = Result(0, "", "", (), {"complete": True, "warnings": []})
    with pytest.raises(AssertionError, match="stop hook"):
        law(site, lie, before)
    site.put("the root", "ralph", "")
    (site.base / PLACES["the session's own directory"] / "ralph-state.json").unlink()
    with pytest.raises(AssertionError, match="does not name it"):
        law(site, lie, before, owned=False)
