"""A report says of teammates only what was told of this session's team: asked, answered, silent, else "not known"."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from .scripts import Ran, plain_environ, run

STATE = {"pep": ".pep/state", "omc": ".omc/state", "omc-20260824": ".omc/state", "omd": ".omd/state"}
ASKED = tuple(STATE)
SHUT_DOWN = "Teammates shut down"
FORCED = {"pep": ["--force"], "omc": ["--force"], "omc-20260824": ["--force"], "omd": ["--force"]}


class Place:
    """One project of a flavor whose teammates only the agent can ask."""

    def __init__(self, flavor: str, base: Path, bundles: Path) -> None:
        self.flavor = flavor
        self.bundles = bundles
        self.workspace = base / "project"
        self.home = base / "home"
        self.home.mkdir(parents=True)
        for name in ("objects", "refs/heads"):
            (self.workspace / ".git" / name).mkdir(parents=True)
        (self.workspace / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.workspace / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
        self.state = self.workspace / STATE[flavor]
        self.state.mkdir(parents=True)

    def team(self, *members: str, session: str = "s1", name: str = "blue", **more: object) -> Path:
        """A team record, and its members where the flavor keeps them."""
        path = self.state / "sessions" / session / "team-state.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        body: dict[str, object] = {"active": True, "team_name": name, **more}
        if self.flavor == "omd":
            body["run_id"] = name
            registry = self.workspace / ".omd" / "team" / name / "registry.json"
            registry.parent.mkdir(parents=True, exist_ok=True)
            registry.write_text(json.dumps({"workers": {member: {"status": "running"} for member in members}}))
        elif self.flavor == "pep":
            config = self.home / ".claude" / "teams" / name / "config.json"
            config.parent.mkdir(parents=True, exist_ok=True)
            config.write_text(json.dumps({"name": name, "members": [{"name": member} for member in members]}))
        else:
            body["members"] = list(members)
        path.write_text(json.dumps(body))
        return path

    def script(self, name: str = "cancel.py") -> Path:
        return self.bundles / self.flavor / "skills/cancel/scripts" / name

    def cancel(self, *arguments: str, session: str | None = "s1", **environ: str) -> Ran:
        return self.words("--json", *arguments, session=session, **environ)

    def words(self, *arguments: str, session: str | None = "s1", **environ: str) -> Ran:
        chosen = ["--session-id", session] if session else []
        return run(self.script(), self.workspace, {**plain_environ(self.home), **environ}, *chosen, *arguments)

    def tree(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.workspace)): path.read_bytes()
            for path in sorted(self.workspace.rglob("*"))
            if path.is_file()
        }


@pytest.fixture(params=ASKED)
def place(request: pytest.FixtureRequest, tmp_path: Path, bundles: Path) -> Place:
    return Place(request.param, tmp_path, bundles)


def told(**members: str) -> list[str]:
    """Options for members: `responded`, `silent`, or nothing for one that neither names."""
    return [part for name, how in members.items() if how for part in (f"--{how}", name)]


def heading(ran: Ran, name: str = "blue") -> str:
    [line] = [line for line in ran.out.splitlines() if line.startswith(f'Team "{name}"')]
    return line


# --- what is told ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hows", list(itertools.product(("responded", "silent", ""), repeat=2)))
def test_each_member_counts_as_it_was_told(hows: tuple[str, str], place: Place) -> None:
    record = place.team("ann", "bob")
    ran = place.cancel("--team-confirmed", *told(ann=hows[0], bob=hows[1]))
    assert (ran.code, ran.mode()["outcome"], record.exists()) == (0, "done", False), ran.out
    known = "" not in hows
    assert ran.team["signaled"] == (2 if known else None)
    assert ran.team["responded"] == (hows.count("responded") if known else None)
    assert ran.team["unresponsive"] == [name for name, how in zip(("ann", "bob"), hows, strict=True) if how == "silent"]
    message = ran.mode()["message"]
    assert (SHUT_DOWN in message) <= (set(hows) == {"responded"})
    unknown = [name for name, how in zip(("ann", "bob"), hows, strict=True) if not how]
    said = f"Whether its teammates shut down is not known: {', '.join(unknown)}."
    assert (said in message) == bool(unknown), message
    assert not (set(message) & set("0123456789")) or known
    if place.flavor == "omd" and known:
        assert f"{hows.count('responded')}/2 teammates confirmed" in message


@pytest.mark.parametrize("hows", list(itertools.product(("responded", "silent", ""), repeat=2)))
def test_the_words_say_not_known_of_whom_neither_option_names(hows: tuple[str, str], place: Place) -> None:
    place.team("ann", "bob")
    ran = place.words("--team-confirmed", *told(ann=hows[0], bob=hows[1]))
    assert ran.code == 0, ran.out
    team = ran.out[ran.out.index('Team "blue"') :]
    assert ("not known" in team.replace("TeamDelete: not known", "")) == ("" in hows), ran.out
    assert "{" not in team
    assert heading(ran) == 'Team "blue" cancelled:'
    if "silent" in hows:
        assert "Unresponsive: none" not in ran.out
        assert SHUT_DOWN not in ran.out


def test_the_form_with_an_equals_sign_and_one_member_twice_are_the_same(place: Place) -> None:
    place.team("ann", "bob")
    ran = place.cancel("--team-confirmed", "--responded=ann", "--responded", "ann", "--silent=bob")
    assert (ran.code, ran.team["responded"], ran.team["unresponsive"]) == (0, 1, ["bob"])


def test_nobody_of_a_team_without_known_members_is_counted(place: Place) -> None:
    place.team()
    ran = place.cancel("--team-confirmed")
    assert (ran.code, ran.team["signaled"], ran.team["responded"]) == (0, None, None), ran.out
    assert "0/0" not in ran.out
    assert ran.mode()["message"] == "Team cancelled. Whether its teammates shut down is not known."
    assert not set("0123456789") & set(ran.mode()["message"])


def test_a_confirmed_team_says_the_texts_message(place: Place) -> None:
    place.team("ann")
    said = place.cancel("--team-confirmed", "--responded", "ann").mode()["message"]
    assert said == (
        "Team cancelled. 1/1 teammates confirmed shutdown; state cleared."
        if place.flavor == "omd"
        else "Team cancelled. Teammates shut down and cleaned up."
    )


def test_what_the_agent_did_with_teamdelete_is_not_known(tmp_path: Path, bundles: Path) -> None:
    place = Place("pep", tmp_path, bundles)
    place.team("ann")
    ran = place.words("--team-confirmed", "--responded", "ann")
    assert "TeamDelete: not known" in ran.out


def test_a_silent_teammate_is_left_to_a_hand(place: Place) -> None:
    place.team("ann", "bob")
    ran = place.cancel("--team-confirmed", "--responded", "ann", "--silent", "bob")
    assert any("bob" in thing for thing in ran.team["manual_cleanup"])
    assert not any("ann" in thing for thing in ran.team["manual_cleanup"])
    assert ran.warns("bob")


# --- who may be named ------------------------------------------------------------------------------------------------------


WRONG = [
    (["--responded", "ann"], "--team-confirmed"),
    (["--silent", "ann"], "--team-confirmed"),
    (["--force", "--silent", "ann"], "--team-confirmed"),
    (["--team-confirmed", "--responded", "zoe"], "zoe"),
    (["--team-confirmed", "--silent", "zoe"], "zoe"),
    (["--team-confirmed", "--responded", "Ann"], "Ann"),
    (["--team-confirmed", "--responded", ""], "--responded"),
    (["--team-confirmed", "--responded", "ann", "--silent", "ann"], "ann"),
    (["--team-confirmed", "--responded"], "--responded"),
    (["--team-confirmed", "--responded", "--json"], "--responded"),
    (["--team-confirmed=yes"], "--team-confirmed"),
    (["--respond", "ann"], "--respond"),
    (["--force", "--team-confirmed", "--responded", "zoe"], "zoe"),
    (["--all", "--team-confirmed", "--silent", "zoe"], "zoe"),
    (["--dry-run", "--team-confirmed", "--silent", "zoe"], "zoe"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_a_name_that_cannot_be_meant_stops_the_run_before_anything_changes(
    arguments: list[str], said: str, place: Place
) -> None:
    place.team("ann", "bob")
    place.team("zoe", session="s2", name="red")
    (place.state / "sessions" / "s1" / "pipeline-state.json").write_text('{"active": true}')
    before = place.tree()
    ran = place.cancel(*arguments)
    assert (ran.code, ran.out) == (2, ""), ran.out
    assert said in ran.err
    assert place.tree() == before


def test_a_run_that_was_killed_after_its_team_had_gone_can_be_repeated_as_it_was(place: Place) -> None:
    record = place.team("ann", "bob")
    told_of = ["--team-confirmed", "--responded", "ann", "--silent", "bob"]
    assert place.cancel(*told_of).code == 0
    assert not record.exists()
    ran = place.cancel(*told_of)
    assert (ran.code, ran.report["teams"]) == (0, []), ran
    assert ran.warns("no team of this session is here", "ann, bob")


def test_names_are_taken_as_told_where_nothing_here_names_anybody(place: Place) -> None:
    record = place.team()
    for config in place.home.glob(".claude/teams/*/config.json"):
        config.unlink()
    ran = place.cancel("--team-confirmed", "--responded", "ann", "--silent", "bob")
    assert (ran.code, record.exists()) == (0, False), ran
    assert (ran.team["signaled"], ran.team["responded"], ran.team["unresponsive"]) == (None, None, ["bob"])
    assert ran.warns("taken as told", "ann, bob") and SHUT_DOWN not in ran.mode()["message"]


# The host takes a teammate that has shut down off its own list of the team's members (seen in Claude Code 2.1.332).


def test_a_teammate_that_left_the_hosts_list_when_it_shut_down_counts_as_told(tmp_path: Path, bundles: Path) -> None:
    place = Place("pep", tmp_path, bundles)
    place.team("bob")
    ran = place.cancel("--team-confirmed", "--responded", "ann", "--silent", "bob")
    assert (ran.code, ran.team["signaled"], ran.team["responded"]) == (0, 2, 1), ran
    assert ran.team["unresponsive"] == ["bob"]
    place.team()
    ran = place.cancel("--team-confirmed", "--responded", "ann", "--responded", "bob")
    assert (ran.code, ran.team["signaled"], ran.team["responded"]) == (0, 2, 2), ran
    assert SHUT_DOWN in ran.mode()["message"]


def test_who_has_not_answered_is_on_the_hosts_list_still(tmp_path: Path, bundles: Path) -> None:
    place = Place("pep", tmp_path, bundles)
    place.team("bob")
    assert place.cancel("--team-confirmed", "--responded", "bob", "--silent", "ann").code == 2
    assert place.cancel("--team-confirmed", "--responded", "ann").code == 2  # bob, who is listed, was left untold


@pytest.mark.parametrize("status", ["done", "failed"])
def test_a_teammate_that_the_registry_calls_over_may_still_be_named(status: str, tmp_path: Path, bundles: Path) -> None:
    place = Place("omd", tmp_path, bundles)
    place.team("ann", "bob")
    registry = place.workspace / ".omd/team/blue/registry.json"
    registry.write_text(json.dumps({"workers": {"ann": {"status": status}, "bob": {"status": "running"}}}))
    ran = place.cancel("--team-confirmed", "--responded", "ann", "--responded", "bob")
    assert (ran.code, ran.team["signaled"], ran.team["responded"]) == (0, 2, 2), ran
    place.team("ann", "bob")
    registry.write_text(json.dumps({"workers": {"ann": {"status": status}, "bob": {"status": "running"}}}))
    ran = place.cancel("--team-confirmed", "--responded", "bob")
    assert (ran.code, ran.team["signaled"], ran.team["responded"]) == (0, 1, 1), ran


@pytest.mark.parametrize("flavor", ["rcs", "omni"])
@pytest.mark.parametrize("option", [["--team-confirmed"], ["--responded", "ann"], ["--silent=ann"]])
def test_where_the_script_stops_teams_nobody_can_tell_it_otherwise(
    option: list[str], flavor: str, tmp_path: Path, bundles: Path
) -> None:
    for name in ("cancel.py", "cancel.sh"):
        ran = run(
            bundles / flavor / "skills/cancel/scripts" / name,
            tmp_path,
            plain_environ(tmp_path),
            *["--session-id", "s1"],
            *option,
            command=("bash",) if name.endswith("sh") else ("python3",),
        )
        assert (ran.code, ran.out) == (2, "")
        assert option[0].partition("=")[0] in ran.err


# --- who was not asked -----------------------------------------------------------------------------------------------------


def test_an_unconfirmed_team_stays_and_is_not_headed_cancelled(place: Place) -> None:
    record = place.team("ann", "bob")
    ran = place.cancel()
    assert (ran.code, ran.mode()["outcome"], record.exists()) == (1, "refused", True)
    assert (ran.team["signaled"], ran.team["responded"], ran.team["state_cleared"]) == (None, None, False)
    assert ran.mode()["message"] == "Team was not cancelled."
    assert "ann, bob" in ran.mode()["detail"]
    words = place.words()
    assert heading(words) == 'Team "blue" was not cancelled:'
    assert "Team cancelled" not in words.out
    assert "not known" in words.out


def test_by_force_the_record_goes_and_nothing_is_claimed_of_the_teammates(place: Place) -> None:
    record = place.team("ann", "bob")
    ran = place.cancel(*FORCED[place.flavor])
    assert (ran.code, ran.mode()["outcome"], record.exists()) == (0, "done", False), ran.out
    assert (ran.team["signaled"], ran.team["responded"]) == (None, None)
    assert SHUT_DOWN not in ran.out and "confirmed shutdown" not in ran.out
    assert ran.warns("ann, bob", "asked")
    assert [thing for thing in ran.team["manual_cleanup"] if "ann" in thing or "bob" in thing]
    assert "asked" in ran.mode()["message"]


def test_by_force_the_words_claim_nothing_of_the_teammates(place: Place) -> None:
    place.team("ann", "bob")
    ran = place.words(*FORCED[place.flavor])
    assert ran.code == 0, ran.out
    assert heading(ran) == 'Team "blue", of which only the record is known to be gone:'
    assert "cancelled" not in ran.out.replace("All omd mode state", "")
    assert SHUT_DOWN not in ran.out and "confirmed shutdown" not in ran.out
    assert "Manual cleanup needed: none" not in ran.out
    assert "Responses received: 0" not in ran.out
    assert "not known" in ran.out


def test_a_dry_run_says_whom_nobody_asked(place: Place) -> None:
    place.team("ann", "bob")
    ran = place.words(*FORCED[place.flavor], "--dry-run")
    assert "leave unasked the team blue: ann, bob" in ran.out
    ran = place.words("--team-confirmed", "--dry-run")
    assert "take as asked the team blue: ann, bob" in ran.out


def test_by_force_and_confirmed_the_team_counts_as_told(place: Place) -> None:
    place.team("ann")
    ran = place.cancel(*FORCED[place.flavor], "--team-confirmed", "--responded", "ann")
    assert (ran.code, ran.team["responded"]) == (0, 1), ran.out
    assert not ran.warns("asked")


def test_a_team_whose_record_cannot_go_is_not_headed_cancelled(place: Place) -> None:
    place.team("ann")
    (place.state / "sessions" / "s1" / "team-state.json").write_text('{"active": true, ')
    ran = place.words("--team-confirmed")
    assert ran.code == 1
    assert "Team was not cancelled." in ran.out
    assert SHUT_DOWN not in ran.out


# --- whose team it is ------------------------------------------------------------------------------------------------------


def test_a_team_of_another_session_is_never_confirmed(place: Place) -> None:
    mine, other = place.team("ann"), place.team("zoe", session="s2", name="red")
    ran = place.cancel("--all", "--team-confirmed", "--responded", "ann")
    teams = {team["name"]: team for team in ran.report["teams"]}
    assert (teams["blue"]["signaled"], teams["blue"]["responded"]) == (1, 1)
    assert (teams["red"]["signaled"], teams["red"]["responded"]) == (None, None)
    forced = ran.report["urgency"] == "forced"
    assert (mine.exists(), other.exists()) == (False, not forced)
    assert ran.code == (0 if forced else 1)
    assert ran.outcomes()["s2/team"] == ("done" if forced else "refused")
    if forced:
        assert ran.warns("zoe", "asked") and not ran.warns("ann", "asked")


def test_with_every_session_and_none_of_them_known_to_be_this_one_nobody_is_confirmed(place: Place) -> None:
    place.team("ann")
    ran = place.cancel("--all", "--team-confirmed", session=None)
    assert ran.team["signaled"] is None
    if ran.report["urgency"] == "graceful":
        assert (ran.code, ran.mode()["outcome"]) == (1, "refused")
        assert "--session-id" in ran.mode()["detail"]
    else:
        assert ran.warns("ann", "asked")
    place.team("ann")
    assert place.cancel("--all", "--team-confirmed", "--silent", "ann", session=None).code == 2


@pytest.mark.parametrize("flavor", ["pep", "omc"])
def test_a_variable_says_which_session_this_is(flavor: str, tmp_path: Path, bundles: Path) -> None:
    place = Place(flavor, tmp_path, bundles)
    place.team("ann")
    ran = place.cancel("--all", "--team-confirmed", "--responded", "ann", session=None, CLAUDE_CODE_SESSION_ID="s1")
    assert (ran.code, ran.team["responded"]) == (0, 1), ran.out


def test_a_root_record_of_a_team_is_not_cleared_in_silence(tmp_path: Path, bundles: Path) -> None:
    place = Place("pep", tmp_path, bundles)
    place.team("ann")
    (place.state / "sessions" / "s1" / "team-state.json").rename(place.state / "team-state.json")
    ran = place.cancel("--force")
    assert not (place.state / "team-state.json").exists()
    assert ran.warns("ann", "asked"), ran.out


# --- the same everywhere ---------------------------------------------------------------------------------------------------


def test_one_definition_stands_everywhere(place: Place) -> None:
    skill = place.script().parents[1]
    contract: Any = json.loads((skill / "contract.json").read_text())
    usage = " ".join(run(place.script(), place.workspace, plain_environ(place.home), "--help").out.split())
    texts = {path.name: path.read_text() for path in (skill / "SKILL.md", skill / "references/state.md")}
    assert all(
        option in texts["SKILL.md"] for option in ("`--team-confirmed`", "`--responded NAME`", "`--silent NAME`")
    )
    for option in ("team-confirmed", "responded", "silent"):
        said = contract["options"][option.replace("-", "_")]
        assert f"--{option}" in usage
        assert said in usage
        assert said in texts["state.md"]
    assert "--team-root" not in usage


@pytest.mark.parametrize("flavor", ["rcs", "omni"])
def test_help_names_only_what_the_flavor_takes(flavor: str, tmp_path: Path, bundles: Path) -> None:
    ran = run(bundles / flavor / "skills/cancel/scripts/cancel.py", tmp_path, plain_environ(tmp_path), "--help")
    assert "--team-confirmed" not in ran.out and "--responded" not in ran.out
    assert ("--team-root DIR" in ran.out) == (flavor == "omni")


def test_the_shell_script_hands_the_options_over(place: Place) -> None:
    place.team("ann", "bob")
    ran = run(
        place.script("cancel.sh"),
        place.workspace,
        plain_environ(place.home),
        *["--session-id", "s1", "--json", "--team-confirmed", "--responded", "ann", "--silent=bob"],
        command=("bash",),
    )
    assert (ran.code, ran.team["responded"], ran.team["unresponsive"]) == (0, 1, ["bob"]), ran.err


@pytest.mark.parametrize(
    "arguments",
    [["--team-confirmed"], ["--responded", "ann"], ["--silent=ann"], ["--responded"], ["--team-root", "/"]],
)
def test_without_python_the_options_of_teams_are_refused(arguments: list[str], place: Place, tmp_path: Path) -> None:
    place.team("ann")
    before = place.tree()
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "date", "mv", "rm", "cp", "git", "readlink", "cat"):
        for directory in ("/bin", "/usr/bin"):
            if (Path(directory) / name).exists():
                (tools / name).symlink_to(Path(directory) / name)
                break
    ran = run(
        place.script("cancel.sh"),
        place.workspace,
        {**plain_environ(place.home), "PATH": str(tools)},
        *["--session-id", "s1", *arguments],
        command=("/bin/bash",),
    )
    assert (ran.code, ran.out) == (2, "")
    assert arguments[0].partition("=")[0] in ran.err or "no team is cleared" in ran.err
    assert "unknown argument" not in ran.err
    assert place.tree() == before


def test_a_dispose_that_may_not_exist_is_called_owed_only_where_it_does(tmp_path: Path, bundles: Path) -> None:
    place = Place("omd", tmp_path, bundles)
    place.team("ann")
    state = {"status": "active", "runId": "blue", "updatedAt": "2026-01-02T03:04:05.000Z"}
    (place.state / "run-state.json").write_text(json.dumps(state))
    ran = place.cancel("--team-confirmed")
    [warning] = [text for text in ran.report["warnings"] if "dispose" in text]
    assert "mcp__omd-state__team_dispose({ cwd, runId: 'blue'" in warning
    assert "0.2.3" in warning
