"""A record of this session that lies elsewhere: without python3 it is not ended, and never called nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .shell_world import Shell

OURS = ("--session-id", "s1")
OWNER = {"omc": "session_id", "pep": "session_id", "rcs": "owner_rcs_session_id"}
OTHER = {"omc": "ultragoal", "pep": "ultraqa", "rcs": "pipeline"}
MODE = {"omc": "ralph", "pep": "ralph", "rcs": "ultraqa"}
by_flavor = pytest.mark.parametrize("flavor", sorted(OWNER))


@pytest.fixture(params=["without jq", "with jq"])
def either(request: pytest.FixtureRequest, bundles: Path, tmp_path: Path) -> Shell:
    one = Shell(bundles, tmp_path, ["bash"])
    if request.param == "with jq":
        if shutil.which("jq") is None:
            pytest.skip("jq is not installed")
        one.provide("jq")
    return one


@by_flavor
@pytest.mark.parametrize("where", ["b", ""])
def test_a_record_of_this_session_in_another_directory_or_at_the_root_is_not_nothing(
    flavor: str, where: str, either: Shell
) -> None:
    either.session(flavor)
    record = either.record(flavor, MODE[flavor], {"active": True, OWNER[flavor]: "s1"}, session=where or "s9")
    if not where:
        record = record.rename(either.state(flavor) / record.name)
    done = either.run(flavor, *OURS)
    assert (done.exit, done.stdout, record.exists()) == (2, "", True)
    assert str(record) in done.stderr and "python3" in done.stderr


@by_flavor
def test_what_is_at_rest_there_or_belongs_to_others_changes_nothing(flavor: str, either: Shell) -> None:
    mine = either.record(flavor, MODE[flavor])
    either.record(flavor, MODE[flavor], {"active": False, OWNER[flavor]: "s1"}, session="b")
    either.record(flavor, MODE[flavor], {"active": True, OWNER[flavor]: "s3", "note": "s1"}, session="c")
    either.record(flavor, MODE[flavor], {"active": True, "note": "s1"}, session="d")
    assert either.run(flavor, *OURS, "--mode", MODE[flavor]).exit == 0
    assert not mine.exists()


@by_flavor
def test_a_record_elsewhere_that_names_this_session_and_cannot_be_read_is_not_nothing(
    flavor: str, either: Shell
) -> None:
    either.session(flavor)
    either.record(flavor, MODE[flavor], f'{{"active": true, "{OWNER[flavor]}": "s1"', session="b")
    assert either.run(flavor, *OURS).exit == 2


def test_a_root_record_of_nobody_is_named_and_left(either: Shell) -> None:
    either.session("omc")
    record = either.record("omc", "ralph", {"active": True}, session="s9")
    record = record.rename(either.state("omc") / record.name)
    done = either.run("omc", *OURS, "--json")
    assert (done.exit, record.exists()) == (0, True)
    assert [text for text in done.report["warnings"] if str(record) in text]


def test_another_mode_that_was_asked_for_goes_all_the_same(either: Shell) -> None:
    goal = either.record("omc", "ultragoal")
    either.record("omc", "ralph", {"active": True, "session_id": "s1"}, session="b")
    assert either.run("omc", *OURS, "--mode", "ultragoal").exit == 0
    assert not goal.exists()


@by_flavor
def test_what_is_active_elsewhere_is_named_and_only_other_places_are_said_not_to_be_looked_in(
    flavor: str, either: Shell
) -> None:
    either.session(flavor)
    either.record(flavor, MODE[flavor], {"active": True, OWNER[flavor]: "s9"}, session="s9")
    report = either.run(flavor, *OURS, "--json").report
    assert report["elsewhere"] == [{"session_id": "s9", "mode": MODE[flavor]}]
    (said,) = [warning for warning in report["warnings"] if "active elsewhere" in warning]
    assert "'s9'" in said
    unseen = [warning for warning in report["warnings"] if "not looked for" in warning]
    assert len(unseen) == (flavor == "omc") and all("outside the state directory" in warning for warning in unseen)


# A record of another session in this one's directory (facts P13, R20): named, and left byte for byte.


@pytest.mark.parametrize("flavor", ["pep", "rcs", "omc"])
def test_another_sessions_record_in_this_directory_is_left_named_and_no_failure(flavor: str, either: Shell) -> None:
    record = either.record(flavor, MODE[flavor], {"active": True, OWNER[flavor]: "a"})
    before = record.read_bytes()
    done = either.run(flavor, *OURS, "--json")
    assert (done.exit, record.read_bytes()) == (0, before), done
    assert done.report["message"].startswith("No active")
    assert [said for said in done.report["warnings"] if str(record) in said and "'a'" in said]
    assert done.report["elsewhere"] == [{"session_id": "a", "mode": MODE[flavor]}]


@pytest.mark.parametrize("flavor", ["pep", "rcs", "omc"])
def test_it_does_not_stand_in_the_way_of_a_mode_of_this_session(flavor: str, either: Shell) -> None:
    record = either.record(flavor, MODE[flavor], {"active": True, OWNER[flavor]: "a"})
    mine = either.record(flavor, OTHER[flavor])
    done = either.run(flavor, *OURS, "--json")
    assert (done.exit, record.exists(), mine.exists()) == (0, True, False), done
    assert [said for said in done.report["warnings"] if str(record) in said]


@pytest.mark.parametrize(
    ("flavor", "owner"), [("pep", {"_meta": {"sessionId": "a"}}), ("omc", {"_meta": {"sessionId": "a"}})]
)
def test_where_the_products_hook_holds_this_session_by_it_the_run_is_refused(
    flavor: str, owner: dict[str, object], either: Shell
) -> None:
    record = either.record(flavor, MODE[flavor], {"active": True, "session_id": "s1", **owner})
    done = either.run(flavor, *OURS)
    assert (done.exit, done.stdout, record.exists()) == (2, "", True)
    assert str(record) in done.stderr


# Nothing of what was asked for is active: what is active beside it is named.


@pytest.mark.parametrize("flavor", ["pep", "rcs", "omc", "omd"])
def test_a_mode_that_is_not_active_is_told_with_those_that_are(flavor: str, either: Shell) -> None:
    record = either.record(flavor, "ralph" if flavor != "rcs" else "ultraqa", {"active": True})
    title = {"rcs": "UltraQA", "omd": "ralph"}.get(flavor, "Ralph")
    done = either.run(flavor, *OURS, "--mode", "team", "--json")
    assert (done.exit, record.exists()) == (0, True), done
    assert f"active in this session, and not what --mode asks for: {title}" in done.report["warnings"]
    assert done.report["elsewhere"][0] == {"session_id": "s1", "mode": title.lower()}
    assert done.report["message"].startswith("No active")


@pytest.mark.parametrize("flavor", ["pep", "rcs"])
def test_a_shared_mode_that_was_asked_for_is_refused_not_called_inactive(flavor: str, either: Shell) -> None:
    either.session(flavor)
    (either.state(flavor) / "swarm-active.marker").write_text("")
    done = either.run(flavor, *OURS, "--mode", "swarm")
    assert (done.exit, done.stdout) == (2, "") and "global pass" in done.stderr
    done = either.run(flavor, *OURS, "--mode", "ultraqa", "--json")
    assert done.exit == 0 and [said for said in done.report["warnings"] if said.startswith("Swarm is active")]


# What is active and is no mode of this skill.


@pytest.mark.parametrize("flavor", ["pep", "rcs", "omc", "omd"])
def test_an_active_mode_that_is_not_listed_is_named_and_left(flavor: str, either: Shell) -> None:
    record = either.record(flavor, "autoresearch" if flavor != "omd" else "deep-dive", {"active": True})
    name = record.name.removesuffix("-state.json")
    done = either.run(flavor, *OURS, "--json")
    assert (done.exit, record.exists()) == (0, True), done
    said = f"session 's1': {name} is active and is no mode of this skill; it is left"
    assert done.report["warnings"].count(said) == 1
    assert done.report["warnings"].count(said) == either.python(flavor, *OURS, "--json").report["warnings"].count(said)
    record.write_text('{"active": false}')
    assert not [text for text in either.run(flavor, *OURS, "--json").report["warnings"] if name in text]


@by_flavor
@pytest.mark.parametrize("where", ["b", ""])
def test_one_that_lies_elsewhere_and_names_this_session_is_named_too(flavor: str, where: str, either: Shell) -> None:
    record = either.record(flavor, "autoresearch", {"active": True, OWNER[flavor]: "s1"}, session=where or "s9")
    if not where:
        record = record.rename(either.state(flavor) / record.name)
    for done in (either.run(flavor, *OURS, "--json"), either.python(flavor, *OURS, "--json")):
        assert (done.exit, record.exists()) == (0, True), done
        assert [text for text in done.report["warnings"] if "'s1': autoresearch is active" in text], done
        assert not [text for text in done.report["warnings"] if "no place here knows" in text], done
    assert "s1  autoresearch: active, and no mode of this skill" in either.python(flavor, "status").stdout


@by_flavor
def test_not_all_modes_are_called_cleared_while_one_that_is_not_listed_goes_on(flavor: str, either: Shell) -> None:
    either.record(flavor, MODE[flavor], {"active": True})
    other = either.record(flavor, "autoresearch", {"active": True})
    done = either.python(flavor, "--all", "--json")
    assert (done.exit, done.report["message"], other.exists()) == (0, "", True), done
    other = other.rename(either.state(flavor) / other.name)
    either.record(flavor, MODE[flavor], {"active": True})
    done = either.python(flavor, "--all", "--json")
    assert (done.exit, done.report["message"]) == (0, ""), done
    assert [text for text in done.report["warnings"] if "autoresearch is active in the root slot" in text]
    other.unlink()
    either.record(flavor, MODE[flavor], {"active": True})
    assert either.python(flavor, "--all", "--json").report["message"].startswith("All ")
