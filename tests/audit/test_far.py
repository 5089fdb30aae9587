"""Texts far from the family: what decides deletion is found, and nothing is found that the text does not say."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_score import labels, texts
from far_score import far_texts, got, group, wanted


@pytest.mark.parametrize("path", [*texts(), *far_texts()], ids=lambda path: path.stem)
def test_nothing_that_decides_deletion_is_made_up(path: Path) -> None:
    assert got(path) <= set(wanted(labels(path)))


def test_most_of_what_decides_deletion_is_found_far_from_the_family() -> None:
    right = every = 0
    for path in [*texts(), *far_texts()]:
        if group(path).endswith("far"):
            want = set(wanted(labels(path)))
            right, every = right + len(want & got(path)), every + len(want)
    assert every > 150 and right / every >= 0.95
