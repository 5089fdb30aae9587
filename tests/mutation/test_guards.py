"""Every guard is missed by a test when it is taken away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mutate import ROOT, Copy, Guard, copied, guards

ALL = guards()


@pytest.fixture(scope="module")
def copy() -> Iterator[Copy]:
    with copied() as made:
        yield made


@pytest.mark.parametrize("guard", ALL, ids=lambda guard: f"{Path(guard.file).stem}-{guard.guard}")
def test_a_guard_stands_where_the_list_says(guard: Guard) -> None:
    assert guard.taken_away() != (ROOT / guard.file).read_text()
    tests = [word for word in guard.test.split() if word.startswith("tests/")]
    assert tests and all((ROOT / test).exists() for test in tests)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("guard", ALL, ids=lambda guard: f"{Path(guard.file).stem}-{guard.guard}")
def test_a_test_fails_without_the_guard(guard: Guard, copy: Copy) -> None:
    assert not copy.survives(guard), f"no test of {guard.test} misses it: {guard.guard}"
