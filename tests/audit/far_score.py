"""Hold what the reader finds against labels that were written before it was run on the texts, by language and family.

Run by hand: `python tests/audit/far_score.py`. The first table is of what decides deletion, the second of all that was labelled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from corpus_score import KINDS, expected, found, labels, read, texts

from skillgen.audit.reader.words import KNOWN_KEYS
from skillgen.reader.lexicon import spoken

FAR = Path(__file__).parent / "far"
#: Kinds that decide what is removed, stopped or selected.
DECIDING = ("mode", "action", "scope", "artifact", "forced")
Pairs = set[tuple[str, str]]


def far_texts() -> list[Path]:
    return sorted(FAR.glob("*.md"))


def labelled_texts() -> list[Path]:
    """Return the texts of which everything is labelled, not only what decides deletion."""
    return [*texts(), *(path for path in far_texts() if "label" in labels(path))]


def wanted(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in DECIDING:
        value = data.get(kind) or []
        yield from ((kind, "/".join(item) if isinstance(item, list) else str(item)) for item in value)


def got(path: Path) -> Pairs:
    pairs = {(kind, value.removeprefix("/") if kind == "forced" else value) for kind, value in found(read(path))}
    return {pair for pair in pairs if pair[0] in DECIDING}


def deciding(path: Path) -> tuple[Pairs, Pairs]:
    return set(wanted(labels(path))), got(path)


def everything(path: Path) -> tuple[Pairs, Pairs]:
    want = {pair for pair in expected(labels(path)) if pair[0] != "forced"}
    return want, {pair for pair in found(read(path)) if pair[0] in KINDS}


def group(path: Path) -> str:
    """Return the language of a text, and whether its modes are those of the family."""
    family = bool(KNOWN_KEYS & set(read(path).modes()) - {"team", "pipeline", "swarm", "forge", "blueprint"})
    return f"{spoken(path.read_text(encoding='utf-8')) or 'English'}, {'family' if family else 'far'}"


def score(paths: list[Path], pairs: Callable[[Path], tuple[Pairs, Pairs]]) -> tuple[dict[str, Counter[str]], list[str]]:
    """Return the counts by group, `all, far` and `all, family` among them, and each mistake in a line."""
    counts: dict[str, Counter[str]] = {}
    mistakes: list[str] = []
    for path in paths:
        want, have = pairs(path)
        name = group(path)
        for key in (name, f"all, {name.rpartition(' ')[2]}"):
            count = counts.setdefault(key, Counter())
            count.update(texts=1, right=len(want & have), missing=len(want - have), wrong=len(have - want))
        mistakes += [f"{path.name}: {kind} {value} missing" for kind, value in sorted(want - have)]
        mistakes += [f"{path.name}: {kind} {value} wrong" for kind, value in sorted(have - want)]
    return counts, mistakes


def recall(count: Counter[str]) -> float:
    return count["right"] / max(count["right"] + count["missing"], 1)


def precision(count: Counter[str]) -> float:
    return count["right"] / max(count["right"] + count["wrong"], 1)


def show(title: str, counts: dict[str, Counter[str]], mistakes: list[str]) -> None:
    print(f"{title:<20}{'texts':>6}{'labels':>8}{'recall':>9}{'precision':>11}")
    for name, count in sorted(counts.items()):
        labels_ = count["right"] + count["missing"]
        print(f"{name:<20}{count['texts']:>6}{labels_:>8}{recall(count):>9.1%}{precision(count):>11.1%}")
    print("\n".join(mistakes))


def main() -> None:
    show("deciding deletion", *score([*texts(), *far_texts()], deciding))
    show("all that is labelled", *score(labelled_texts(), everything))


if __name__ == "__main__":
    main()
