"""Without python3 the one that goes first may go, and the one that waits for it is refused (rule 3)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .shell_world import Shell

OURS = ("--session-id", "s1")
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")


@pytest.fixture(params=["without jq", pytest.param("with jq", marks=needs_jq)])
def either(request: pytest.FixtureRequest, bundles: Path, tmp_path: Path) -> Shell:
    one = Shell(bundles, tmp_path, ["bash"])
    if request.param == "with jq":
        one.provide("jq")
    return one


@pytest.mark.parametrize(
    ("flavor", "owner", "dependant"),
    [
        ("pep", "autopilot", "ralph"),
        ("pep", "ralph", "ultrawork"),
        ("rcs", "forge", "ecomode"),
        ("rcs", "forge", "ultrawork"),
        ("rcs", "autopilot", "ultraqa"),
    ],
)
def test_a_dependant_whose_owner_waits_goes_and_only_the_owner_is_refused(
    flavor: str, owner: str, dependant: str, either: Shell
) -> None:
    above, below = either.record(flavor, owner), either.record(flavor, dependant)
    before = either.tree()
    refused = either.run(flavor, *OURS, "--mode", owner)
    assert (refused.exit, dependant in refused.stderr) == (2, True), refused
    undecided = either.run(flavor, *OURS)
    assert (undecided.exit, "--mode" in undecided.stderr) == (2, True)
    assert either.tree() == before
    done = either.run(flavor, *OURS, "--mode", dependant)
    assert (done.exit, below.exists(), above.read_text()) == (0, False, before[str(above.relative_to(either.project))])
    after = either.run(flavor, *OURS)
    if after.exit == 2:
        assert "jq" in after.stderr
    else:
        assert after.exit == 0


@needs_jq
@pytest.mark.parametrize("body", [{"linked_ultrawork": True}, {"linked_mode": "ultrawork"}])
def test_what_a_forge_links_to_ends_in_a_terminal_state_as_the_forge_does(
    body: dict[str, object], one_shell: Shell
) -> None:
    one_shell.provide("jq")
    forge = one_shell.record("rcs", "forge", {"active": True, **body})
    work = one_shell.record("rcs", "ultrawork", {"active": True, "linked_to_forge": True, "n": 1})
    assert one_shell.run("rcs", *OURS, "--mode", "ultrawork").exit == 0
    ended = json.loads(work.read_text())
    assert (ended["active"], ended["current_phase"], ended["n"]) == (False, "cancelled", 1)
    assert one_shell.run("rcs", *OURS, "--mode", "forge").exit == 0
    assert json.loads(forge.read_text())["active"] is False


@pytest.mark.parametrize("body", [{"linked_ultrawork": True}, {"linked_mode": "ultrawork"}, {"linked_ultrawork": "x"}])
def test_without_jq_what_would_have_to_end_in_place_stays(body: dict[str, object], one_shell: Shell) -> None:
    one_shell.record("rcs", "forge", {"active": True, **body})
    work = one_shell.record("rcs", "ultrawork", {"active": True})
    done = one_shell.run("rcs", *OURS, "--mode", "ultrawork")
    assert (done.exit, "jq" in done.stderr, work.exists()) == (2, True, True)


@pytest.mark.parametrize("flag", [False, None])
def test_a_link_that_is_denied_ends_nothing_in_place(flag: bool | None, either: Shell) -> None:
    either.record("rcs", "forge", {"active": True, "linked_ultrawork": flag})
    work = either.record("rcs", "ultrawork", {"active": True})
    assert either.run("rcs", *OURS, "--mode", "ultrawork").exit == 0
    assert not work.exists()


def test_a_ralph_waits_for_its_team_and_a_dependant_of_omc_for_its_autopilot(either: Shell) -> None:
    for other in ("team", "autopilot"):
        ralph = either.record("omc", "ralph")
        blocking = either.record("omc", other)
        done = either.run("omc", *OURS, "--mode", "ralph")
        assert (done.exit, other in done.stderr, ralph.exists()) == (2, True, True)
        blocking.unlink()


def test_an_owner_at_rest_stops_nothing(either: Shell) -> None:
    either.record("pep", "autopilot", {"active": False})
    ralph = either.record("pep", "ralph")
    assert either.run("pep", *OURS).exit == 0
    assert not ralph.exists()


def test_an_owner_that_cannot_be_read_leaves_its_dependant(either: Shell) -> None:
    """What it links to is not known, so neither is the way in which that has to end."""
    either.record("rcs", "forge", "{")
    work = either.record("rcs", "ultrawork")
    assert either.run("rcs", *OURS, "--mode", "ultrawork").exit == 2
    assert work.exists()
