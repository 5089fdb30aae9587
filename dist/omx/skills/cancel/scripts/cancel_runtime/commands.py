"""Find a program of the product outside the project, and run it with a list of arguments, a time limit and bounded output."""

from __future__ import annotations

import os
import time

from cancel_runtime.report import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEPT = 65536
"""Bytes of each stream that are kept; the rest is read and dropped."""
SAID = 400
"""Characters of what a program said that a report passes on."""
END_S = 2.0
PAUSE_S = 0.1


class Answer:
    """How a program ended: `code` is None where it did not end in time or did not start; `why` says that then."""

    __slots__ = ("code", "err", "out", "why")

    def __init__(self, code: int | None, out: bytes = b"", err: bytes = b"", why: str = "") -> None:
        self.code = code
        self.out = out
        self.err = err
        self.why = why

    def words(self) -> str:
        """What it said in one bounded line in which nothing steers a terminal; its errors before its output."""
        said = next((text for text in (_line(self.err), _line(self.out)) if text), "nothing")
        return said if len(said) <= SAID else said[:SAID] + "…"


def _line(data: bytes) -> str:
    return clean(" ".join(data.decode("utf-8", "replace").split()))


def project(workspace: str) -> str:
    """Top of the project: the nearest directory upwards with `.git`, as long as the user's home does not lie in it; else the workspace."""
    at = start = os.path.realpath(workspace)
    home = os.path.realpath(os.path.expanduser("~"))
    while not os.path.lexists(os.path.join(at, ".git")):
        if os.path.dirname(at) == at:
            return start
        at = os.path.dirname(at)
    return start if inside(home, at) else at


def inside(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")


def safe_path(workspace: str) -> list[str]:
    """The directories of `PATH` that are absolute and lie outside the project, by name and by where they lead."""
    top = project(workspace)
    named = [part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part)]
    return [part for part in named if not any(inside(p, top) for p in (os.path.normpath(part), os.path.realpath(part)))]


def find(program: str, told: str | None, workspace: str) -> tuple[str, str]:
    """(path of a program, "") or ("", why there is none). `told`: the path that an option named, or None."""
    top = project(workspace)
    if told is not None:
        why = "" if os.path.isabs(told) else "is no absolute path"
        why = why or _unfit(told, top)
        return ("", f"--team-program {told!r} {why}") if why else (told, "")
    barred = ""
    for part in [p for p in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(p)]:
        path = os.path.join(part, program)
        why = _unfit(path, top)
        if not why:
            return path, ""
        barred = barred or (f"; {path} {why}" if os.path.lexists(path) else "")
    return "", f"{program} is not on PATH{barred}"


def _unfit(path: str, top: str) -> str:
    if any(inside(p, top) for p in (os.path.normpath(path), os.path.realpath(path))):
        return "lies in the project, and nothing of the project is run"
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return "is no program"
    return ""


def run(words: Sequence[str], cwd: str, environment: Mapping[str, str], limit_s: float) -> Answer:
    """Run `words` and wait for their end, at most `limit_s` seconds; then this one process is ended.

    What it started and left behind may hold its output open: that is not waited for.
    """
    import selectors
    import subprocess

    try:
        child = subprocess.Popen(
            [*words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=dict(environment),
        )
    except (OSError, ValueError) as error:
        return Answer(None, why=f"it cannot be run: {error}")
    kept = {child.stdout: b"", child.stderr: b""}
    end = time.monotonic() + limit_s
    late = False
    try:
        with selectors.DefaultSelector() as selector:
            for stream in kept:
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                over = child.poll() is not None
                ready = selector.select(0 if over else PAUSE_S)
                for key, _ in ready:
                    piece = os.read(key.fd, KEPT)
                    kept[key.fileobj] = (kept[key.fileobj] + piece)[:KEPT]  # type: ignore[index]
                    if not piece:
                        selector.unregister(key.fileobj)
                if over and not ready:
                    break
                if time.monotonic() > end:
                    late = True
                    break
        late = late or not _ends(child, max(0.0, end - time.monotonic()))
    finally:
        if child.poll() is None:
            child.terminate()
            if not _ends(child, END_S):
                child.kill()
                child.wait()
        out, err = (kept[stream] for stream in (child.stdout, child.stderr))
        for stream in kept:
            if stream is not None:
                stream.close()
    return Answer(None if late else child.returncode, out, err, f"it did not end within {limit_s:g} s" if late else "")


def _ends(child: object, seconds: float) -> bool:
    import subprocess

    try:
        child.wait(seconds)  # type: ignore[attr-defined]
    except subprocess.TimeoutExpired:
        return False
    return True
