"""Hold the store in memory and the real stores to the same laws."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runtime_proofs import rows, tree
from runtime_proofs.bundle import contract
from runtime_proofs.model.memory import MALFORMED, MemoryStore
from runtime_proofs.runtime import SCRIPTS, Unresolved, roots, steps, store_files, store_rows
from runtime_proofs.scenario import STATE

NEW = Path(__file__).parents[2] / "newcomer/lines"
REQUEST = SimpleNamespace(scope="current", urgency="graceful", modes=(), team_confirmed=False, dry_run=False)


class Backend:
    """A store with a way round it: put a body there, and see what is there."""

    kind = ""
    """The module `store_<kind>` of the runtime; empty for a store that is none."""
    names = ("ralph", "autopilot")

    def __init__(self, flavor: str, base: Path) -> None:
        self.flavor = flavor
        self.contract = contract(flavor)
        self.base = base
        self.world: dict[tuple[str, str], Any] = {}

    def put(self, session: str, name: str, body: Any) -> None:
        self.world[session, name] = body

    def open(self) -> Any:
        """Write the world and open the store over it."""
        raise NotImplementedError

    def seen(self, store: Any) -> dict[tuple[str, str], Any]:
        """Return the world as it lies there."""
        raise NotImplementedError


class Memory(Backend):
    def open(self) -> Any:
        return MemoryStore(self.contract, self.world)

    def seen(self, store: Any) -> dict[tuple[str, str], Any]:
        return dict(store.world)


class Rows(Backend):
    kind = "rows"

    def open(self) -> Any:
        path = self.base / "home/.omni/omni.db"
        bodies: dict[str, dict[str, Any]] = {}
        for (session, name), body in self.world.items():
            bodies.setdefault(session, {})[name] = "{" if body == MALFORMED else body
        rows.create(path, bodies)
        state = str(self.base / ".omni")
        place = roots.Place(str(self.base), state, state, "", database=str(path))
        return store_rows.Store(self.contract, place, REQUEST)

    def seen(self, store: Any) -> dict[tuple[str, str], Any]:
        found = rows.read(self.base / "home/.omni/omni.db")
        return {key: MALFORMED if isinstance(body, str) else body for key, (body, _) in found.items()}


class Files(Backend):
    kind = "files"

    def open(self) -> Any:
        state = self.base / STATE[self.flavor]
        for (session, name), body in self.world.items():
            path = state / "sessions" / session / f"{name}-state.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            tree.write(path, {"$text": "{"} if body == MALFORMED else body)
        place = roots.Place(str(self.base), str(state.parent), str(state), "")
        return store_files.Store(self.contract, place, REQUEST)

    def seen(self, store: Any) -> dict[tuple[str, str], Any]:
        found = {}
        for path in sorted((self.base / STATE[self.flavor] / "sessions").rglob("*-state.json")):
            text = path.read_text()
            found[path.parent.name, path.name.removesuffix("-state.json")] = (
                MALFORMED if text == "{" else json.loads(text)
            )
        return found


class Forge(Files):
    names = ("forge", "autopilot")


class Lines(Backend):
    """A store that no bundle ships; `tests/newcomer` builds and runs one."""

    kind = "lines"

    def open(self) -> Any:
        state = self.base / ".lines"
        state.mkdir()
        data = [
            {"mode": name, "session": session, "body": "{" if body == MALFORMED else body}
            for (session, name), body in self.world.items()
        ]
        (state / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in data))
        place = roots.Place(str(self.base), str(state), str(state), "")
        made = {**self.contract, "store": {"kind": "lines", "file": "records.jsonl"}}
        return _module(NEW / "store_lines.py").Store(made, place, REQUEST)

    def seen(self, store: Any) -> dict[tuple[str, str], Any]:
        text = (self.base / ".lines/records.jsonl").read_text(encoding="utf-8")
        # A line ends at a line feed alone: JSON holds other ends of lines as they are.
        lines = [json.loads(line) for line in text.split("\n") if line]
        return {(line["session"], line["mode"]): MALFORMED if line["body"] == "{" else line["body"] for line in lines}


BACKENDS = {
    "memory": (Memory, "pep"),
    "rcs": (Forge, "rcs"),
    "pep": (Files, "pep"),
    "omc": (Files, "omc"),
    "omd": (Files, "omd"),
    "omni": (Rows, "omni"),
    "lines": (Lines, "pep"),
}


@cache
def _module(path: Path) -> Any:
    """Import a module of a store beside those of the runtime."""
    spec = importlib.util.spec_from_file_location(f"cancel_runtime.{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    assert SCRIPTS.is_dir()
    made, flavor = BACKENDS[request.param]
    yield made(flavor, tmp_path)


@pytest.fixture
def opened(backend: Backend) -> Iterator[Callable[[], Any]]:
    stores = []

    def open_store() -> Any:
        stores.append(backend.open())
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def test_every_store_of_the_runtime_is_held_to_these_laws() -> None:
    shipped = {path.stem.removeprefix("store_") for path in (SCRIPTS / "cancel_runtime").glob("store_*.py")}
    held = {made.kind for made, _ in BACKENDS.values()}
    assert shipped <= held, "give the new store a class here: how a body gets into it, and what is seen there"


def record(store: Any, session: str, name: str) -> Any:
    return store.capture(session).records[name][0]


@pytest.mark.parametrize(
    ("active", "state"),
    [
        *((value, "active") for value in (True, "true", 1)),
        *((value, "inactive") for value in (False, "false", 0)),
        *((value, "malformed") for value in ("yes", 2, -1, [], {}, "True", 0.5)),
    ],
)
def test_a_flag_is_read_alike_in_every_store(backend: Backend, opened: Any, active: Any, state: str) -> None:
    name = backend.names[0]
    backend.put("s1", name, {"active": active})
    assert record(opened(), "s1", name).state == state


def test_a_capture_sees_its_own_session_and_no_other(backend: Backend, opened: Any) -> None:
    first, second = backend.names
    backend.put("s1", first, {"active": True, "x": 1})
    backend.put("s2", first, {"active": False})
    backend.put("s1", second, MALFORMED)
    snapshot = opened().capture("s1")
    assert {name: [r.state for r in found] for name, found in snapshot.records.items()} == {
        first: ["active"],
        second: ["malformed"],
    }
    assert snapshot.records[first][0].body == {"active": True, "x": 1}


def test_sessions_are_sorted_and_never_the_root_slot(backend: Backend, opened: Any) -> None:
    for session in ("s2", "s10", "s1"):
        backend.put(session, backend.names[0], {"active": False})
    assert list(opened().sessions()) == ["s1", "s10", "s2"]


def test_active_and_unreadable_records_claim_their_session(backend: Backend, opened: Any) -> None:
    name = backend.names[0]
    backend.put("s1", name, {"active": False})
    backend.put("s2", name, {"active": True})
    backend.put("s3", name, MALFORMED)
    assert sorted(opened().claimed()) == ["s2", "s3"]


def test_a_clear_takes_one_record_and_can_be_repeated(backend: Backend, opened: Any) -> None:
    name = backend.names[0]
    backend.put("s1", name, {"active": True})
    backend.put("s2", name, {"active": True})
    store = opened()
    seen = record(store, "s1", name)
    with store.locked("s1"):
        assert store.apply(steps.Clear(seen))[0] == "done"
        assert store.apply(steps.Clear(seen))[0] == "absent"
    assert store.look(seen).state == "absent"
    assert backend.seen(store) == {("s2", name): {"active": True}}


def test_a_deactivation_keeps_every_other_field_in_its_order(backend: Backend, opened: Any) -> None:
    name = backend.names[0]
    body = {"z": [1, {"b": None}], "active": "true", "a": "ü\u2028", "current_phase": "x"}
    backend.put("s1", name, body)
    store = opened()
    with store.locked("s1"):
        store.apply(steps.Deactivate(record(store, "s1", name)))
    found = backend.seen(store)["s1", name]
    assert found == {**body, "active": False}
    assert list(found) == list(body)


def test_a_terminal_state_has_its_three_fields(backend: Backend, opened: Any) -> None:
    name = backend.names[0]
    backend.put("s1", name, {"active": True, "keep": 1})
    store = opened()
    with store.locked("s1"):
        store.apply(steps.Terminalize(record(store, "s1", name)))
    found = backend.seen(store)["s1", name]
    assert found.pop("completed_at")
    assert found == {"active": False, "keep": 1, "current_phase": "cancelled"}


@pytest.mark.parametrize("kind", [steps.Clear, steps.Deactivate, steps.Terminalize])
def test_an_unreadable_record_is_refused_and_stays(backend: Backend, opened: Any, kind: Any) -> None:
    name = backend.names[0]
    backend.put("s1", name, MALFORMED)
    store = opened()
    with store.locked("s1"), pytest.raises(Unresolved):
        store.apply(kind(record(store, "s1", name)))
    assert backend.seen(store) == {("s1", name): MALFORMED}


@pytest.mark.parametrize("kind", [steps.Clear, steps.Deactivate, steps.Terminalize])
def test_a_record_at_rest_keeps_its_bytes(backend: Backend, opened: Any, kind: Any) -> None:
    name = backend.names[0]
    backend.put("s1", name, {"active": False, "x": 1})
    store = opened()
    with store.locked("s1"):
        store.apply(kind(record(store, "s1", name)))
    assert backend.seen(store) == {("s1", name): {"active": False, "x": 1}}


def test_a_forced_clear_takes_a_record_at_rest(backend: Backend, opened: Any) -> None:
    name = backend.names[0]
    backend.put("s1", name, {"active": False})
    store = opened()
    with store.locked("s1"):
        assert store.apply(steps.Clear(record(store, "s1", name), anyway=True, malformed=True))[0] == "done"
    assert backend.seen(store) == {}


def test_a_session_without_records_is_empty(backend: Backend, opened: Any) -> None:
    backend.put("s1", backend.names[0], {"active": True})
    snapshot = opened().capture("nobody")
    assert not any(record.state != "absent" for found in snapshot.records.values() for record in found)
