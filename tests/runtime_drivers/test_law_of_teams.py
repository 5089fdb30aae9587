"""One law over all situations of a team: what a report calls complete is gone for the process table and the tmux server."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .omni_world import MINE
from .test_panes_by_evidence import Rcs
from .test_runs_by_evidence import Apart, bystander
from .tmux_world import STUBBORN, alive, soon

pytestmark = pytest.mark.slow

WHERE = ("untold", "told", "workspace", "deleted")
WORKER = ("none", "polite", "busy", "stubborn")
ROW = ("dispatched", "cancelled", "unnamed")
FORMS = [(), ("--force",)]


@pytest.fixture
def world(tmp_path: Path, bundles: Path) -> Iterator[Apart]:
    one = Apart(tmp_path, bundles)
    yield one
    one.close()


@pytest.mark.parametrize("form", FORMS, ids=["plain", "forced"])
@pytest.mark.parametrize(("where", "kind", "row"), list(itertools.product(WHERE, WORKER, ROW)))
def test_a_run_that_is_called_complete_has_no_worker(
    where: str, kind: str, row: str, form: tuple[str, ...], alone: None, world: Apart
) -> None:
    directory = world.run(root="workspace" if where == "workspace" else "plugin", session_id=None, session=MINE)
    config = world.config(directory, "w1")
    config.write_text("{}")
    worker = None if kind == "none" else world.worker(directory, manner=kind)
    stranger = bystander("tail", "-f", str(config))
    if where == "deleted":
        shutil.rmtree(directory)
    if row == "unnamed":
        world.database.put("team", {"name": "builders"}, MINE)
    else:
        world.row(state=row)
    arguments = ["--team-root", str(world.plugin)] if where == "told" else []
    try:
        ran = world.cancel(*form, *arguments)
        lives = worker is not None and not soon(lambda: worker.poll() is not None, 0.5)
        there = ("team", MINE) in world.rows
        said = f"{where} {kind} {row} {form}: {ran.out}"
        # The law.
        assert not (ran.report["complete"] and lives), said
        assert ran.report["complete"] == (ran.code == 0), said
        # A live worker keeps its row, and nothing is said to have been stopped.
        assert there or not lives, said
        assert not lives or "shut down and cleaned up" not in ran.out, said
        # Nobody else is touched.
        assert stranger.poll() is None, said
        # Where nothing could be seen of the run, nothing is called over.
        unseen = kind == "none" and (where in ("untold", "deleted") or (row == "unnamed" and where != "told"))
        if unseen and row != "cancelled":
            assert ran.code == 1, said
            assert there != bool(form), said
    finally:
        stranger.kill()
        stranger.wait()


@pytest.fixture
def rcs(tmp_path_factory: pytest.TempPathFactory, bundles: Path) -> Iterator[Rcs]:
    one = Rcs(tmp_path_factory.mktemp("w"), bundles)
    yield one
    one.close()


@pytest.mark.parametrize("form", [*FORMS, ("--all", "--force")], ids=["plain", "forced", "all"])
@pytest.mark.parametrize(
    ("pid", "session", "old"),
    list(itertools.product(("right", "none", "dead"), ("rcs-team-a", "main:0"), (False, True))),
)
def test_a_pane_is_ended_on_evidence_and_lives_on_only_in_an_open_report(
    pid: str, session: str, old: bool, form: tuple[str, ...], rcs: Rcs
) -> None:
    name = session.partition(":")[0]
    leader = rcs.session("lead")
    rcs.session(name, STUBBORN)
    pane = rcs.pane(name, STUBBORN)
    process = rcs.pid(pane)
    recorded = {"right": {"pid": process}, "none": {}, "dead": {"pid": 2**22 + 11}}[pid]
    directory = rcs.team("a", {"w1": {"pane_id": pane, **recorded}}, tmux_session=session, leader_pane_id=leader)
    record = rcs.names("a")
    if old:
        rcs.age("a", 3600)
    ran = rcs.cancel(*form)
    lives = not soon(lambda: not alive(process), 0.5)
    said = f"{pid} {session} {old} {form}: {ran.out}"
    evident = not old and (pid == "right" or (pid == "none" and session == "rcs-team-a"))
    other = pid == "dead"
    # The law: what lives on is another's, or the report is open and keeps what it would need to go on.
    assert not lives or other or not ran.report["complete"], said
    assert ran.report["complete"] or (directory.exists() and record.exists()), said
    assert leader in rcs.panes(), said
    # Nothing ends without evidence: its own pid, or its own session, and older than the record.
    in_own_session = session == "rcs-team-a" and not old
    assert lives or evident or (other and in_own_session), said
