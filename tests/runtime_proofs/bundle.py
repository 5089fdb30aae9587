"""Run the scripts of a rendered bundle in a controlled environment."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(os.environ.get("SKILLGEN_TEST_DIST", Path(__file__).parents[2] / "dist"))
FLAVORS = ("rcs", "omx", "omni", "pep", "omc", "omd")
OLDER = ("omc-20260824",)


@dataclass(frozen=True, slots=True)
class Result:
    """What a run said; `report` is the parsed object of `--json` or None."""

    exit: int
    stdout: str
    stderr: str
    arguments: tuple[str, ...] = ()
    report: dict[str, Any] | None = field(default=None)

    def __str__(self) -> str:
        return (
            f"arguments {self.arguments}\nexit {self.exit}\n--- stdout\n{self.stdout[:6000]}\n--- stderr\n{self.stderr}"
        )


def skill(flavor: str) -> Path:
    """Directory of the flavor's skill; an older revision is rendered on demand, since dist/ holds current ones only."""
    directory = ROOT / flavor / "skills" / "cancel"
    if directory.is_dir():
        return directory
    if flavor in OLDER:
        return _rendered(flavor)
    # By hand, too, where no pytest is installed: the benchmarks run these bundles.
    raise AssertionError(f"{directory} is missing; run: skillgen build")


@functools.cache
def _rendered(flavor: str) -> Path:
    out = cache() / "dist"
    done = subprocess.run(
        [sys.executable, "-m", "skillgen", "build", "--flavor", flavor, "--out", str(out)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out / flavor / "skills" / "cancel"


@functools.cache
def contract(flavor: str) -> dict[str, Any]:
    return json.loads((skill(flavor) / "contract.json").read_text(encoding="utf-8"))


@functools.cache
def cache() -> Path:
    """A directory of this test process for byte code and tools, so that nothing is written into dist/."""
    import atexit

    directory = Path(tempfile.mkdtemp(prefix="skillgen-proofs-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


@functools.cache
def python() -> str:
    """The interpreter that starts quickest, of this test run's and the system's: what `.pth` files import is not our subject."""
    own = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    took = {}
    for program in dict.fromkeys((str(own), "/usr/bin/python3")):
        probe = [program, "-c", "import sys, sqlite3; sys.exit(sys.version_info < (3, 9))"]
        if Path(program).exists() and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            took[program] = min(_seconds([program, "-c", "pass"]) for _ in range(5))
    return min(took, key=lambda program: took[program])


def _seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(arguments, check=True)
    return time.perf_counter() - start


def link_tools(source: Path, directory: Path, *, without: tuple[str, ...]) -> None:
    """Link each tool of a directory into another, but for those that begin with a name in `without`.

    A name that is taken stays; what a link of the machine leads to, and whether to anything, is not our subject.
    """
    for tool in sorted(source.iterdir()) if source.is_dir() else ():
        if not tool.name.startswith(without) and not os.path.lexists(directory / tool.name):
            (directory / tool.name).symlink_to(tool)


@functools.cache
def tools(*, jq: bool = True) -> Path:
    """A PATH directory with every system tool but python (and jq)."""
    directory = cache() / ("bin-jq" if jq else "bin-plain")
    directory.mkdir()
    for source in (Path("/usr/bin"), Path("/bin"), Path("/usr/local/bin"), Path("/opt/homebrew/bin")):
        link_tools(source, directory, without=("python", "pypy", *(() if jq else ("jq",))))
    return directory


@functools.cache
def with_python() -> Path:
    """A PATH directory whose python3 is the real interpreter of this test run."""
    directory = cache() / "bin-python"
    directory.mkdir()
    (directory / "python3").symlink_to(python())
    return directory


def environment(home: Path, extra: dict[str, str], *, how: str = "py") -> dict[str, str]:
    path = {"bare": str(tools()), "nojq": str(tools(jq=False))}.get(how, f"{with_python()}:{tools()}")
    return {
        "PATH": path,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TMUX_TMPDIR": str(home.parent),
        "PYTHONPYCACHEPREFIX": str(cache() / "pyc"),
        # cancel.sh starts python without its variables.
        "XDG_CACHE_HOME": str(cache()),
        "GIT_CONFIG_NOSYSTEM": "1",
        **extra,
    }


def command(flavor: str, how: str) -> list[str]:
    scripts = skill(flavor) / "scripts"
    if how == "py":
        return [python(), str(scripts / "cancel.py")]
    return ["bash", str(scripts / "cancel.sh")]


def run(
    flavor: str,
    arguments: list[str],
    *,
    cwd: Path,
    home: Path,
    env: dict[str, str] | None = None,
    how: str = "py",
    timeout: float = 60,
    prefix: tuple[str, ...] = (),
) -> Result:
    """Run cancel.py (`py`) or cancel.sh (`sh`; `bare` and `nojq` find no python3) and parse what it says."""
    full = [*prefix, *command(flavor, how), *arguments]
    done = subprocess.run(
        full,
        cwd=cwd,
        env=environment(home, env or {}, how=how),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    stdout, stderr = done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")
    report = None
    if "--json" in arguments and stdout:
        report = json.loads(stdout)
    return Result(done.returncode, stdout, stderr, tuple(full), report)
