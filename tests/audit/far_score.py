"""Hold what decides deletion against labels that were written before the reader was run on the texts, by language and family.

Run by hand: `python tests/audit/far_score.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus_score import found, labels, read, texts

from skillgen.audit.reader.words import KNOWN_KEYS
from skillgen.reader.lexicon import spoken

FAR = Path(__file__).parent / "far"
#: Kinds that decide what is removed, stopped or selected.
DECIDING = ("mode", "action", "scope", "artifact", "forced")


def far_texts() -> list[Path]:
    return sorted(FAR.glob("*.md"))


def wanted(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in DECIDING:
        value = data.get(kind) or []
        yield from ((kind, "/".join(item) if isinstance(item, list) else str(item)) for item in value)


def got(path: Path) -> set[tuple[str, str]]:
    pairs = {(kind, value.removeprefix("/") if kind == "forced" else value) for kind, value in found(read(path))}
    return {pair for pair in pairs if pair[0] in DECIDING}


def group(path: Path) -> str:
    """Return the language of a text, and whether its modes are those of the family."""
    family = bool(KNOWN_KEYS & set(read(path).modes()) - {"team", "pipeline", "swarm", "forge", "blueprint"})
    return f"{spoken(path.read_text(encoding='utf-8')) or 'English'}, {'family' if family else 'far'}"


def main() -> None:
    counts: dict[str, Counter[str]] = {}
    mistakes: list[str] = []
    for path in [*texts(), *far_texts()]:
        want, have = set(wanted(labels(path))), got(path)
        count = counts.setdefault(group(path), Counter())
        count.update(texts=1, right=len(want & have), missing=len(want - have), wrong=len(have - want))
        mistakes += [f"{path.name}: {kind} {value} missing" for kind, value in sorted(want - have)]
        mistakes += [f"{path.name}: {kind} {value} wrong" for kind, value in sorted(have - want)]
    print(f"{'language, family':<20}{'texts':>6}{'labels':>8}{'recall':>9}{'precision':>11}")
    for name, count in sorted(counts.items()):
        labels_, told = count["right"] + count["missing"], count["right"] + count["wrong"]
        print(
            f"{name:<20}{count['texts']:>6}{labels_:>8}{count['right'] / max(labels_, 1):>9.1%}{count['right'] / max(told, 1):>11.1%}"
        )
    print("\n".join(mistakes))


if __name__ == "__main__":
    main()
