"""A clone has the same bytes on every machine, whatever git is told about line ends."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_clone_with_windows_settings_has_the_bytes_that_were_committed(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not run from a clone")
    clone = tmp_path / "clone"
    command = ["git", "clone", "--quiet", "--config", "core.autocrlf=true", "--config", "core.eol=crlf", ROOT, clone]
    subprocess.run(command, check=True, capture_output=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--format=%(objectname) %(path)", "flavors", "templates", "dist"],
        cwd=clone,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    stored = dict(reversed(line.split(" ", 1)) for line in listed.split("\0") if line)
    assert len(stored) > 300
    for name, digest in stored.items():
        data = (clone / name).read_bytes()
        assert hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() == digest, name
