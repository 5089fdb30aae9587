"""Many bundles are shared among processes, and come out as one process would have made them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from skillgen.build.share import MANY

COUNT = MANY + 4


@pytest.fixture(scope="module")
def flavors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("flavors")
    for number in range(COUNT):
        (directory / f"many-{number}.yaml").write_text(
            f"base: pep\nproduct: {{name: P{number}, title: Product {number}}}\n"
        )
    return directory


def build(flavors: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skillgen", "build", "--flavors", str(flavors), "--out", str(out), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def test_many_bundles_are_those_that_single_builds_give(flavors: Path, tmp_path: Path) -> None:
    many = build(flavors, tmp_path / "many")
    assert many.returncode == 0, many.stderr
    assert len(list((tmp_path / "many").glob("many-*"))) == COUNT
    for flavor in ("many-0", "many-1", f"many-{COUNT - 1}"):
        assert build(flavors, tmp_path / "one", "--flavor", flavor).returncode == 0
        assert files(tmp_path / "many" / flavor) == files(tmp_path / "one" / flavor)
    assert "0 changed" in build(flavors, tmp_path / "many").stdout
    (tmp_path / "many/many-7/README.md").unlink()
    checked = build(flavors, tmp_path / "many", "--check")
    assert checked.returncode == 1
    assert "many-7/README.md: is missing" in checked.stdout


def test_mistakes_from_every_process_are_told_and_nothing_is_written(flavors: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for path in flavors.iterdir():
        (own / path.name).write_text(path.read_text())
    wrong = ["many-0", "many-1", "many-2", "many-3"]
    for name in wrong:
        (own / f"{name}.yaml").write_text("base: pep\nstale_s: 1\n")
    result = build(own, tmp_path / "out")
    assert result.returncode == 2
    assert [line.split("/")[-1].split(".")[0] for line in result.stderr.splitlines()] == wrong
    assert not (tmp_path / "out").exists()
