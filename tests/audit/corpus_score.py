"""Hold the reader's facts against the hand labels of the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from skillgen.audit.views import make_text
from skillgen.load.subjects import load_subjects
from skillgen.model.facts import Facts

CORPUS = Path(__file__).parent / "corpus"
#: Kinds that hang on other kinds (`flag`) or repeat the text (`front`, `call`) have no labels of their own.
KINDS = (
    "label", "invocation", "flags", "scope", "keyword", "root", "store", "variable", "tool", "verb", "mode", "title", "order", "link", "action",
    "message", "preserved", "keeps", "artifact", "team", "timeout", "signal", "final", "overlay",
)  # fmt: skip


@dataclass
class Score:
    """Counts by kind, and each mistake as (text, kind, value, missing or spurious)."""

    right: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    spurious: Counter[str] = field(default_factory=Counter)
    mistakes: list[tuple[str, str, str, str]] = field(default_factory=list)

    def recall(self, kind: str = "") -> float:
        return _share(self._sum(self.right, kind), self._sum(self.missing, kind))

    def precision(self, kind: str = "") -> float:
        return _share(self._sum(self.right, kind), self._sum(self.spurious, kind))

    def _sum(self, counter: Counter[str], kind: str) -> int:
        return counter[kind] if kind else sum(counter.values())


def _share(right: int, wrong: int) -> float:
    return right / (right + wrong) if right + wrong else 1.0


def texts() -> list[Path]:
    return sorted(path for path in CORPUS.rglob("*") if path.suffix in (".md", ".toml", ".txt"))


def read(path: Path) -> Facts:
    subjects, problems = load_subjects([str(path)])
    assert not problems
    source = subjects[0]
    return make_text(source if hasattr(source, "text") else source.sources[0]).facts


def labels(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = YAML(typ="safe").load(path.with_suffix(".labels.yaml").read_text(encoding="utf-8"))
    return data


def expected(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (kind, value) of every label; an order gives its groups by rank, so that one shift is not all wrong."""
    for kind, value in data.items():
        if kind == "mode":
            yield from (("mode", key) for key in value)
            yield from (("title", f"{key}={title}") for key, title in value.items())
        elif kind == "message":
            yield from (("message", f"{key}={text}") for key, text in value.items())
        elif kind == "order":
            yield from (("order", f"{key}@{rank}") for rank, group in enumerate(value, 1) for key in group)
        elif kind == "variable":
            yield from (("variable", f"{name}@{n}") for n, name in enumerate(value))
        else:
            yield from ((kind, "/".join(item) if isinstance(item, list) else str(item)) for item in value)


def found(facts: Facts) -> Iterator[tuple[str, str]]:
    for fact in facts:
        if fact.kind == "mode":
            yield "mode", fact.key
            yield "title", f"{fact.key}={fact.value}"
        elif fact.kind == "message":
            yield "message", f"{fact.key}={fact.value}"
        elif fact.kind == "link":
            yield "link", f"{fact.key}/{fact.value}/{fact.detail}"
        elif fact.kind in ("action", "keeps", "overlay", "scope", "forced"):
            yield fact.kind, f"{fact.key}/{fact.value}"
        elif fact.kind not in ("order", "variable", "front", "flag", "call"):
            yield fact.kind, fact.value
    yield from (("order", f"{key}@{rank}") for rank, group in enumerate(facts.order(), 1) for key in group)
    yield from (("variable", f"{name}@{n}") for n, name in enumerate(facts.values("variable")))


def score() -> Score:
    result = Score()
    for path in texts():
        want, got = set(expected(labels(path))), set(found(read(path)))
        for kind, _ in want & got:
            result.right[kind] += 1
        for kind, value in sorted(want - got):
            result.missing[kind] += 1
            result.mistakes.append((path.name, kind, value, "missing"))
        for kind, value in sorted(got - want):
            result.spurious[kind] += 1
            result.mistakes.append((path.name, kind, value, "spurious"))
    return result


def main() -> None:
    result = score()
    print(f"{'kind':<12}{'labels':>8}{'recall':>9}{'precision':>11}")
    for kind in KINDS:
        count = result.right[kind] + result.missing[kind]
        print(f"{kind:<12}{count:>8}{result.recall(kind):>9.1%}{result.precision(kind):>11.1%}")
    count = sum(result.right.values()) + sum(result.missing.values())
    print(f"{'all':<12}{count:>8}{result.recall():>9.1%}{result.precision():>11.1%}  over {len(texts())} texts")
    for mistake in result.mistakes:
        print("  " + "  ".join(mistake))


if __name__ == "__main__":
    main()
