"""Templates that an earlier run compiled save time and change nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.render.bundle import Renderer
from skillgen.render.compiled import Compiled

Run = Callable[..., Any]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield tmp_path / "cache/skillgen"


def test_what_was_compiled_before_renders_the_same_bytes_and_compiles_nothing() -> None:
    inputs = Inputs((), ())
    contract = resolve_all(inputs, ["omc"])["omc"].contract
    first = Compiled()
    fresh, _ = Renderer(inputs.templates, first).render(contract)
    again = Compiled(first.dump())
    assert Renderer(inputs.templates, again).render(contract)[0] == fresh
    assert (first.changed, again.changed) == (True, False)


@pytest.mark.parametrize("data", [b"", b"x", b"0" * 64 + b"x", Compiled().dump()[:-1] + b"?"])
def test_damaged_data_is_as_good_as_none(data: bytes) -> None:
    inputs = Inputs((), ())
    contract = resolve_all(inputs, ["pep"])["pep"].contract
    assert Renderer(inputs.templates, Compiled(data)).render(contract) == Renderer(inputs.templates).render(contract)


def test_a_changed_template_is_compiled_anew(skillgen: Run, tmp_path: Path, cache: Path) -> None:
    template = tmp_path / "templates/cancel/bundle/references/own.md.j2"
    template.parent.mkdir(parents=True)
    arguments = ("build", "--flavor", "omc", "--templates", tmp_path / "templates", "--out", tmp_path / "out")
    for text in ("# One\n", "# Two\n"):
        template.write_text(text)
        assert skillgen(*arguments).code == 0
        assert (tmp_path / "out/omc/skills/cancel/references/own.md").read_text() == text
    assert len(list(cache.iterdir())) == 1


def test_a_cache_that_others_could_write_is_not_run(skillgen: Run, tmp_path: Path, cache: Path) -> None:
    arguments = ("build", "--flavor", "omc", "--out", tmp_path / "out")
    assert skillgen(*arguments).code == 0
    (kept,) = cache.iterdir()
    assert (cache.stat().st_mode & 0o077, kept.stat().st_mode & 0o077) == (0, 0)
    poisoned = Compiled()
    poisoned.changed = True
    kept.write_bytes(poisoned.dump())
    kept.chmod(0o666)
    (tmp_path / "out/omc/README.md").unlink()
    assert skillgen(*arguments).code == 0
    # What could have been anyone's was put aside, and replaced by what this run compiled.
    assert kept.stat().st_size > 1000
    assert kept.stat().st_mode & 0o077 == 0


def test_a_build_needs_no_cache(skillgen: Run, tmp_path: Path, cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("in the way")
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "out").code == 0
    assert cache.read_text() == "in the way"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["skillgen"]
