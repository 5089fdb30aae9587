"""The same bundle gives the same bytes on another Python, umask, time zone, locale, home and clock."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pack_toys import put, toy_files, toy_npm_files

ROOT = Path(__file__).parents[2]
SCRIPT = """
import hashlib, os, pathlib, sys
os.umask(int(sys.argv[1], 8))
sys.path[:0] = sys.argv[4:]
from pack_toys import toy_origin
from skillgen.load.directory import read_directory
from skillgen.pack.artifacts import default_formats, make_artifacts
from skillgen.pack.place import write_release
files = read_directory(pathlib.Path(sys.argv[2]))
out = pathlib.Path(sys.argv[3])
write_release(out, make_artifacts(files, toy_origin(), default_formats(files)))
for path in sorted(out.rglob("*")):
    if path.is_file():
        print(hashlib.sha256(path.read_bytes()).hexdigest(), oct(path.stat().st_mode & 0o777), path.relative_to(out))
"""


def interpreters() -> list[str]:
    """Return the Pythons of 3.11 or newer on this machine, this one first."""
    found = [sys.executable]
    for minor in (11, 12, 13, 14):
        versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
        # Another user's home may be named by the environment; nobody looks into it.
        pyenv = sorted(versions.glob(f"3.{minor}.*/bin/python3")) if os.access(versions, os.R_OK) else []
        path = str(pyenv[-1]) if pyenv else shutil.which(f"python3.{minor}")
        if (
            path
            and minor != sys.version_info.minor
            and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0
        ):
            found.append(path)
    return found


def pack(python: str, bundle: Path, out: Path, umask: str = "022", **env: str) -> str:
    import ruamel.yaml

    library = str(Path(ruamel.yaml.__file__).parents[2])
    paths = [str(ROOT / "generator"), str(ROOT / "tests" / "pack"), library]
    clean = {"PATH": os.environ["PATH"], "HOME": str(out.parent), **env}
    done = subprocess.run(
        [python, "-S", "-c", SCRIPT, umask, str(bundle), str(out), *paths], env=clean, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=["zip", "npm"])
def bundle(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return put(tmp_path / "bundle", toy_files() if request.param == "zip" else toy_npm_files())


def test_every_python_here_packs_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    others = interpreters()[1:]
    if not others:
        pytest.skip("no second Python of 3.11 or newer on this machine")
    expected = pack(sys.executable, bundle, tmp_path / "one")
    assert expected.count("\n") > 6
    for number, python in enumerate(others):
        assert pack(python, bundle, tmp_path / f"other{number}") == expected, python


@pytest.mark.parametrize(
    ("umask", "env"),
    [
        ("077", {}),
        ("000", {}),
        ("022", {"TZ": "Asia/Kathmandu"}),
        ("022", {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
        ("022", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
        ("022", {"HOME": "/nonexistent"}),
        ("022", {"PYTHONHASHSEED": "1"}),
        ("022", {"SOURCE_DATE_EPOCH": "1700000000"}),
    ],
    ids=str,
)
def test_the_surroundings_do_not_show_in_the_bytes(
    bundle: Path, tmp_path: Path, umask: str, env: dict[str, str]
) -> None:
    assert pack(sys.executable, bundle, tmp_path / "b", umask, **env) == pack(sys.executable, bundle, tmp_path / "a")


def test_the_clock_does_not_show_in_the_bytes(bundle: Path, tmp_path: Path) -> None:
    first = pack(sys.executable, bundle, tmp_path / "a")
    for path in bundle.rglob("*"):
        os.utime(path, (1, 1))
    assert pack(sys.executable, bundle, tmp_path / "b") == first


def test_one_byte_of_the_bundle_does_show(bundle: Path, tmp_path: Path) -> None:
    first = pack(sys.executable, bundle, tmp_path / "a")
    (bundle / "README.md").write_bytes(b"# Toy!\n")
    assert pack(sys.executable, bundle, tmp_path / "b") != first
