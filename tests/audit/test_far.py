"""Texts far from the family: what decides deletion is found, and nothing is found that the text does not say."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_score import labels, texts
from far_score import deciding, everything, far_texts, got, labelled_texts, precision, recall, score, wanted


@pytest.mark.parametrize("path", [*texts(), *far_texts()], ids=lambda path: path.stem)
def test_nothing_that_decides_deletion_is_made_up(path: Path) -> None:
    assert got(path) <= set(wanted(labels(path)))


def test_most_of_what_decides_deletion_is_found() -> None:
    counts, _ = score([*texts(), *far_texts()], deciding)
    assert counts["all, far"]["right"] > 300
    assert (recall(counts["all, far"]), recall(counts["all, family"])) >= (0.97, 0.97)


def test_most_of_what_a_text_says_is_found_inside_and_outside_the_family() -> None:
    counts, _ = score(labelled_texts(), everything)
    assert recall(counts["all, far"]) >= 0.92 and recall(counts["all, family"]) >= 0.97
    assert min(precision(counts["all, far"]), precision(counts["all, family"])) >= 0.97
