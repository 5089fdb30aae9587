"""Packing is faster than `apm pack` of as many skills and grows with the bytes packed only."""

from __future__ import annotations

import time
from pathlib import Path

import pack_speed
import pytest

from skillgen.model.origin import Origin
from skillgen.pack.artifacts import make_artifacts


@pytest.mark.slow
@pytest.mark.client
def test_packing_takes_less_processor_time_than_apm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_speed, "RUNS", 3)
    if not (Path(pack_speed.CACHE) / "apm/bin/apm").exists():
        pytest.skip("apm is not installed; tests/clients/install apm fetches it")
    rows = pack_speed.compare(6)
    assert rows["skillgen pack"][0] < rows["apm pack"][0]


def seconds(count: int, size: int) -> float:
    """Return the least processor time of three packs of `count` files with `size` bytes each."""
    files = {f"skills/cancel/references/{number}.txt": (bytes(size), 0o644) for number in range(count)}
    files["skills/cancel/SKILL.md"] = (b"---\nname: cancel\ndescription: x\n---\n", 0o644)
    origin = Origin("0.1.0", "toy", "1", "toy", "1.0.0", "MIT", "cancel", "c" * 64, {})
    times = []
    for _ in range(3):
        start = time.process_time()
        make_artifacts(files, origin, ["plugin-zip", "skill", "tree"])
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.slow
def test_packing_grows_with_the_bytes_packed_only() -> None:
    assert seconds(100, 80_000) < 8 * seconds(100, 20_000)
    assert seconds(800, 5_000) < 8 * seconds(200, 5_000)
