"""A record belongs to the session that its owner field names, in whatever session's directory it lies (P13, R20)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World, read

MODE = {"pep": "ralph", "rcs": "forge", "omc": "ralph"}
OWNED = {
    "pep": {"active": True, "session_id": "a"},
    "rcs": {"active": True, "owner_rcs_session_id": "a"},
    "omc": {"active": True, "session_id": "a"},
}
FLAVORS = sorted(MODE)


def put(w: World, body: dict[str, Any] | None = None) -> Any:
    if w.flavor == "omc":
        w.repository()
    return w.record("b", MODE[w.flavor], body or OWNED[w.flavor])


def over(w: World, path: Any) -> bool:
    """Whether the record is gone, or, where it is ended in place, at rest."""
    return not path.exists() or (w.flavor == "rcs" and read(path)["active"] is False)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_session_that_owns_a_record_ends_it_where_it_lies(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    path = put(w)
    ran = w.cancel(session="a")
    assert ran.code == 0, ran
    assert ran.mode(MODE[flavor], "a")["outcome"] == "done"
    assert ran.mode(MODE[flavor], "a")["paths"] == [str(path)]
    assert over(w, path)


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_run_for_every_session_ends_it_too(world: Worlds, flavor: str, force: tuple[str, ...]) -> None:
    w = world(flavor)
    path = put(w)
    ran = w.cancel("--all", *force, session="")
    assert ran.code == 0, ran
    assert over(w, path)


@pytest.mark.parametrize("arguments", [(), ("--mode", "MODE")])
@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_session_of_the_directory_leaves_it_and_says_whose_it_is(
    world: Worlds, flavor: str, arguments: tuple[str, ...]
) -> None:
    w = world(flavor)
    path = put(w)
    before = path.read_bytes()
    ran = w.cancel(*(MODE[flavor] if word == "MODE" else word for word in arguments), session="b")
    assert ran.code == 0, ran
    assert path.read_bytes() == before
    (said,) = [warning for warning in ran.report["warnings"] if str(path) in warning]
    assert "owned by session 'a'" in said


@pytest.mark.parametrize("flavor", ["omc", "pep"])
def test_a_record_by_which_the_products_own_hook_holds_the_session_is_unresolved(world: Worlds, flavor: str) -> None:
    """The tools ask `_meta.sessionId` first, the stop hook `session_id` alone."""
    w = world(flavor)
    path = put(w, {"active": True, "session_id": "b", "_meta": {"sessionId": "a"}})
    before = path.read_bytes()
    ran = w.cancel(session="b")
    assert ran.code == 1 and not ran.report["complete"], ran
    assert path.read_bytes() == before
    assert "owned by session 'a'" in ran.mode(MODE[flavor], "b")["detail"]
    assert w.cancel(session="a").code == 0
    assert over(w, path)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_an_owner_that_is_no_session_here_stays_unresolved_in_every_scope_but_its_own(
    world: Worlds, flavor: str
) -> None:
    w = world(flavor)
    name = next(iter(set(OWNED[flavor]) - {"active"}))
    path = put(w, {"active": True, name: "../a"})
    before = path.read_bytes()
    assert w.cancel("--all", session="").code == 1
    assert path.read_bytes() == before
