"""Adopt every text of the corpus: modes, accounts, line comments and words are the text's own."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillgen.adopt.evidence import Evidence
from skillgen.adopt.names import find_names, is_kin
from skillgen.adopt.scrub import base_words, word_pattern
from skillgen.audit.views import make_text
from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.cli.main import cli
from skillgen.errors import UsageError
from skillgen.model.facts import Facts
from skillgen.model.subject import Kind, Source
from skillgen.render.bundle import Renderer
from skillgen.sync.adopt_text import Adopted, adopt_text

CORPUS = Path(__file__).parent.parent / "audit" / "corpus"
TEXTS = sorted(CORPUS.glob("[0-9]*.md"))
BASES = ("rcs", "omni", "omd", "pep", "omc")


@cache
def inputs() -> Inputs:
    return Inputs((), ())


@cache
def facts(path: Path) -> Facts:
    return make_text(Source(path.name, path.read_text(encoding="utf-8"), Kind.SKILL)).facts


@cache
def adopted(path: Path, base: str = "") -> Adopted | None:
    """Return what adopting gives, None where the text is refused."""
    try:
        return adopt_text(str(path), "fork", inputs(), base or None)
    except UsageError:
        return None


def ids(path: Path) -> str:
    return path.stem


def test_most_texts_of_the_corpus_carry_a_flavor() -> None:
    assert sum(adopted(path) is not None for path in TEXTS) >= 22


@pytest.mark.parametrize("path", TEXTS, ids=ids)
def test_each_fact_ends_in_one_of_three_places(path: Path) -> None:
    found = adopted(path)
    if found is None:
        return
    ledger = found.ledger
    parts = [*ledger.placed, *ledger.equal, *ledger.unplaced]
    assert sorted(parts) == sorted(facts(path))
    counts = f"({ledger.total} facts: {len(ledger.placed)} placed, {len(ledger.equal)} equal to {found.base}, {len(ledger.unplaced)} without a place)"
    assert (counts in found.text) == bool(ledger.unplaced)
    for fact in ledger.unplaced:
        assert f"#   line {fact.line}: " in found.text


@pytest.mark.parametrize("path", TEXTS, ids=ids)
def test_the_modes_are_those_of_the_text_in_its_order(path: Path) -> None:
    found = adopted(path)
    if found is None:
        return
    titles = {_letters(mode["title"]) for mode in found.contract["modes"].values()}
    told = facts(path).modes()
    assert len(found.contract["modes"]) <= len(told)
    for key, title in told.items():
        known = key in found.contract["modes"] or _letters(title) in titles
        assert known or {"plan-consensus", "ralplan"} >= {key}, key
    lost = [fact for fact in found.ledger.unplaced if fact.kind == "order"]
    assert not lost


@pytest.mark.parametrize("path", TEXTS, ids=ids)
def test_a_line_stands_only_behind_a_value_of_that_line(path: Path) -> None:
    found = adopted(path)
    if found is None:
        return
    lines = path.read_text(encoding="utf-8").split("\n")
    seen = 0
    for row in found.text.split("\n"):
        match = re.match(r"\s*(?:- )?(?:([\w-]+|\"[^\"]+\"):)?\s*(.*?)  # line (\d+)$", row)
        if not match:
            assert not re.search(r"  # line \d+$", row), row
            continue
        seen += 1
        key, value, line = match[1], match[2], int(match[3])
        if path_of := re.match(r"\{path: ([^,]+),", value):
            value = path_of[1]
        wanted = [value] if not value.startswith("[") else value.strip("[]").split(", ")
        for item in wanted if value else [key]:
            assert _letters(item.replace('\\"', '"')) in _letters(lines[line - 1]), row
    assert seen


@pytest.mark.parametrize("path", TEXTS, ids=ids)
def test_no_word_of_the_base_stands_in_the_build(path: Path) -> None:
    found = adopted(path)
    if found is None:
        return
    base = resolve_all(inputs(), [found.base])[found.base].contract
    source = path.read_text(encoding="utf-8")
    names = find_names(facts(path), Evidence(source), {})
    if is_kin(names, facts(path), base):
        return
    words = word_pattern(base_words(base, names, facts(path).values("keyword")))
    from skillgen.model.contract import Contract

    files, _ = Renderer(inputs().templates, None).render(Contract.model_validate(found.contract, strict=False))
    for name, file in files.items():
        if "/cancel_runtime/" in name or name.endswith("LICENSE"):
            continue
        for line in file.data.decode().split("\n"):
            for match in words.finditer(line):
                assert match[0] in source, f"{name}: {line}"


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("path", TEXTS[::4], ids=ids)
def test_any_base_serves_a_text(path: Path, base: str) -> None:
    found = adopted(path, base)
    if len(facts(path).modes()) < 2:
        assert found is None
        return
    assert found is not None
    assert found.ledger.total == len(list(facts(path)))
    assert not [fact for fact in found.ledger.unplaced if fact.kind in ("mode", "order", "label")]


def test_a_refusal_says_what_was_found_and_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "cancel" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(
        "---\nname: cancel\ndescription: Cancel the running job. Use when the user asks to stop it.\n---\n# Cancel\n\n"
        "Say `cancelzip` or run `/zip:cancel --force`. It stops the job with `kill` and removes `.zip/jobs/`.\n",
        encoding="utf-8",
    )
    target = tmp_path / "zip.yaml"
    result = CliRunner().invoke(cli, ["adopt", str(path), "-o", str(target)], standalone_mode=False)
    said = str(result.exception)
    assert "it names no modes where a flavor needs two or more" in said
    assert "the command /zip:cancel (line 7)" in said
    assert "zip.yaml" not in said and not target.exists()


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
