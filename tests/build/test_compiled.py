"""Templates that an earlier run compiled save time and change nothing."""

from __future__ import annotations

import hashlib
import io
import marshal
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2.bccache import bc_magic

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.render.bundle import Renderer
from skillgen.render.compiled import Compiled
from skillgen.resources import shipped

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


WORD = "POISONED"
BUILD = ("build", "--flavor", "omc", "--out")


def under(name: str, code: bytes) -> bytes:
    """Return compiled code as if it were that of the template with this name, which ends in the digest of its source."""
    stream = io.BytesIO(code)
    stream.seek(len(bc_magic))
    pickle.load(stream)
    return bc_magic + pickle.dumps(name.rpartition(" ")[2], 2) + stream.read()


def poison(skillgen: Run, tmp_path: Path, cache: Path) -> Path:
    """Fill the cache with code that renders another text than the templates say; return its one file."""
    own = tmp_path / "own/cancel/bundle/references"
    own.mkdir(parents=True)
    ours = Path(shipped("templates")) / "cancel/bundle/references"
    for template in ours.glob("*.md.j2"):
        (own / template.name).write_text(f"{template.read_text()}\n{WORD}\n")
    found = []
    for more in (("--templates", tmp_path / "own"), ()):
        assert skillgen(*BUILD, tmp_path / f"out{len(found)}", *more).code == 0
        (kept,) = cache.iterdir()
        found.append(marshal.loads(kept.read_bytes()[64:]))
        kept.rename(tmp_path / f"cache{len(found)}")
    evil = {name.rpartition(" ")[0]: code for name, code in found[0].items()}
    body = marshal.dumps({name: under(name, evil[name.rpartition(" ")[0]]) for name in found[1]})
    kept.write_bytes(hashlib.sha256(body).hexdigest().encode() + body)
    kept.chmod(0o600)
    return kept


def says_poison(skillgen: Run, out: Path) -> bool:
    assert skillgen(*BUILD, out).code == 0
    return any(WORD in path.read_text() for path in (out / "omc").rglob("*.md"))


def test_a_cache_is_the_users_own(skillgen: Run, tmp_path: Path, cache: Path) -> None:
    kept = poison(skillgen, tmp_path, cache)
    assert (cache.stat().st_mode & 0o077, kept.stat().st_mode & 0o077) == (0, 0)
    # That it would be run is what makes the next test one.
    assert says_poison(skillgen, tmp_path / "out")


def others_write_file(kept: Path) -> None:
    kept.chmod(0o606)


def group_writes_file(kept: Path) -> None:
    kept.chmod(0o660)


def others_write_directory(kept: Path) -> None:
    kept.parent.chmod(0o703)


def file_is_link(kept: Path) -> None:
    kept.rename(kept.parent.parent / "elsewhere")
    kept.symlink_to(kept.parent.parent / "elsewhere")


def directory_is_link(kept: Path) -> None:
    kept.parent.rename(kept.parent.parent / "elsewhere")
    kept.parent.symlink_to("elsewhere")


def another_owns_file(kept: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(kept, 12345, 12345)


def another_owns_directory(kept: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a directory away")
    os.chown(kept.parent, 12345, 12345)


@pytest.mark.parametrize(
    "expose",
    [
        others_write_file,
        group_writes_file,
        others_write_directory,
        file_is_link,
        directory_is_link,
        another_owns_file,
        another_owns_directory,
    ],
)
def test_a_cache_that_others_could_write_is_not_run(
    skillgen: Run, tmp_path: Path, cache: Path, expose: Callable[[Path], None]
) -> None:
    expose(poison(skillgen, tmp_path, cache))
    assert not says_poison(skillgen, tmp_path / "out")


def test_a_cache_that_others_could_write_is_replaced(skillgen: Run, tmp_path: Path, cache: Path) -> None:
    kept = poison(skillgen, tmp_path, cache)
    others_write_file(kept)
    assert not says_poison(skillgen, tmp_path / "out")
    assert kept.stat().st_mode & 0o077 == 0
    assert WORD.encode() not in kept.read_bytes()


def test_a_build_needs_no_cache(skillgen: Run, tmp_path: Path, cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("in the way")
    assert skillgen("build", "--flavor", "omc", "--out", tmp_path / "out").code == 0
    assert cache.read_text() == "in the way"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["skillgen"]
