"""The benchmarks run; how fast is for a quiet machine and a reader to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = sorted(path for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_"))
#: Packages that only tests use; a benchmark compares programs as they are installed.
ABSENT = ("pytest", "hypothesis", "jsonschema", "xdist")


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda path: path.stem)
def test_a_benchmark_needs_no_package_of_the_tests(benchmark: Path) -> None:
    program = (
        f"import runpy, sys; sys.modules.update(dict.fromkeys({ABSENT!r}));"
        f"sys.path.insert(0, {str(benchmark.parent)!r}); runpy.run_path({str(benchmark)!r}, run_name='imported')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_build_benchmark_measures_everything_it_names() -> None:
    program = Path(__file__).with_name("build.py")
    command = [sys.executable, str(program), "--rounds", "1", "--flavors", "80"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ratios = [line for line in done.stdout.splitlines() if line.endswith(" x") and " ms cpu " in line]
    assert len(ratios) == 12


@pytest.mark.slow
def test_the_audit_benchmark_measures_the_audit_beside_ruff() -> None:
    program = Path(__file__).with_name("audit_speed.py")
    done = subprocess.run([sys.executable, str(program), "--rounds", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("135 texts, 40500 lines")
    assert [line.split()[0] for line in lines[1:]] == ["skillgen", "ruff", "skillsaw"]
    assert " s cpu" in lines[1]


@pytest.mark.slow
def test_the_sync_benchmark_measures_everything_it_names() -> None:
    program = Path(__file__).with_name("sync_speed.py")
    command = [sys.executable, str(program), "--rounds", "1", "--forks", "5", "--others", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len([line for line in done.stdout.splitlines() if line.endswith(" x") and " ms cpu " in line]) == 6
