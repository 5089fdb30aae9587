"""Whatever stands in a lock, a command ends with an exit code and clear lines, and changes nothing but the fork."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sync_world import tree

from skillgen.cli.main import run
from skillgen.model.lock import NAME
from skillgen.model.visible import unseen

PIECES = [
    "../x",
    "/etc/x",
    ".git/HEAD",
    "\x00",
    "\x1b[2J",
    "\u202e",
    "a" * 5_000,
    "755",
    "  omc:",
    "<<<<<<< x",
    '"\\u0000"',
    "\n",
]


@st.composite
def changed(draw: st.DrawFn, data: bytes) -> bytes:
    """Change a lock in one to four places: a line dropped, doubled, moved, or with something else in it."""
    lines = data.decode().split("\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        how = draw(st.sampled_from(["drop", "double", "cut", "piece", "swap"]))
        if how == "drop" and len(lines) > 1:
            del lines[at]
        elif how == "double":
            lines.insert(at, lines[at])
        elif how == "swap":
            lines.append(lines[at])
        else:
            start = draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:start] + (draw(st.sampled_from(PIECES)) if how == "piece" else "")
    return "\n".join(lines).encode()


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), command=st.sampled_from([["sync", "--check"], ["sync"], ["build", "--flavor", "omc", "--into"]]))
def test_a_lock_broken_anywhere_ends_in_an_exit_code_and_touches_nothing_else(
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    data: st.DataObject,
    command: list[str],
) -> None:
    shutil.rmtree(tmp_path / "fork", ignore_errors=True)
    fork = Path(shutil.copytree(built, tmp_path / "fork"))
    (tmp_path / "victim").write_text("x")
    (fork / ".git").mkdir()
    (fork / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (fork / "own.md").write_text("own\n")
    (fork / NAME).write_bytes(data.draw(changed((fork / NAME).read_bytes())))
    before = tree(fork)
    monkeypatch.setattr("sys.argv", ["skillgen", *command, str(fork)])
    code = run()
    said = "".join(capsys.readouterr())
    assert code in (0, 1, 2)
    assert said and unseen(said, lines=True) == ""
    assert (tmp_path / "victim").read_text() == "x" and (fork / "own.md").read_text() == "own\n"
    assert (fork / ".git" / "HEAD").exists()
    if code == 2 or "--check" in command:
        assert tree(fork) == before
