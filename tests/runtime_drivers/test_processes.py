"""Whose process a pid is, and that only that process is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cancel_runtime import ops, processes

STUBBORN = (
    "import signal,sys,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
)
WILLING = "import time; print('up', flush=True); time.sleep(60)"


@contextmanager
def child(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def seen(pid: int) -> processes.Process:
    return processes.Process(pid, processes.start_of(pid))


@pytest.fixture
def without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a macOS or BSD host looks like: no /proc, only the POSIX ps."""
    monkeypatch.setattr(processes, "PROC", "/nonexistent-proc")


def test_start_is_field_22_of_stat() -> None:
    fields = Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()
    assert processes.start_of(os.getpid()) == fields[22 - 3]


def test_a_zombie_is_no_live_process() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    try:
        assert processes.start_of(process.pid) == ""
    finally:
        process.wait()


@pytest.mark.parametrize("pid", [0, -1, True, "1", None, 2**22 + 7, 1.0])
def test_what_is_no_pid_is_not_alive(pid: object) -> None:
    assert processes.start_of(pid) == ""


def test_without_proc_ps_tells_start_and_arguments(without_proc: None) -> None:
    with child(WILLING, "--marker-4711") as process:
        start = processes.start_of(process.pid)
        assert abs(int(start) / 1000 - time.time()) < 60
        assert "--marker-4711" in processes.arguments_of(process.pid)[0]
        found = processes.find(lambda arguments: any("--marker-4711" in text for text in arguments))
        assert [one.pid for one in found] == [process.pid]
    assert processes.start_of(process.pid) == ""


def test_find_sees_arguments_one_by_one_and_never_itself() -> None:
    with child(WILLING, "a b", "--marker-4712") as process:
        found = processes.find(lambda arguments: "--marker-4712" in arguments and "a b" in arguments)
        assert [one.pid for one in found] == [process.pid]
    assert all(one.pid != os.getpid() for one in processes.find(lambda _: True))


def test_a_willing_process_ends_by_term_without_waiting_out_the_time() -> None:
    with child(WILLING) as process:
        began = time.monotonic()
        assert processes.end([seen(process.pid)], 20) == ([], [])
        assert time.monotonic() - began < 5
        assert process.wait() == -signal.SIGTERM


def test_a_stubborn_process_is_killed_after_the_time() -> None:
    with child(STUBBORN) as process:
        killed, left = processes.end([seen(process.pid)], 0.2)
        assert [one.pid for one in killed] == [process.pid]
        assert left == []
        assert process.wait() == -signal.SIGKILL


def test_a_pid_that_another_process_has_now_is_never_signalled() -> None:
    with child(WILLING) as process:
        other = processes.Process(process.pid, "1")
        assert not processes.send(other, signal.SIGKILL)
        assert processes.end([other], 0.1) == ([], [])
        assert process.poll() is None


def test_start_is_checked_again_before_the_second_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    with child(STUBBORN) as process:
        one = seen(process.pid)
        sent: list[str] = []

        def reuse_the_pid(when: str, name: str, target: str) -> None:
            if when == "after" and name == "signal":
                sent.append(target)
                one.start = "1"

        monkeypatch.setattr(ops, "hook", reuse_the_pid)
        processes.end([one], 0.1)
        assert sent == [f"{process.pid} {int(signal.SIGTERM)}"]
        assert process.poll() is None


def test_init_and_this_process_are_never_signalled() -> None:
    assert not processes.send(seen(1), 0)
    assert not processes.send(seen(os.getpid()), 0)


def test_what_started_this_process_is_never_signalled() -> None:
    code = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1]); from cancel_runtime import processes\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    seen = processes.Process(os.getppid(), processes.start_of(os.getppid()))\n"
        "    os._exit(processes.send(seen, signal.SIGKILL) or seen.pid not in processes.ancestors())\n"
        "print(os.waitpid(child, 0)[1], flush=True)\n"
    )
    scripts = str(Path(processes.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code, scripts], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_descendants_are_found_through_their_parents() -> None:
    code = f"import subprocess,sys; p=subprocess.Popen([sys.executable,'-c',{WILLING!r}]); p.wait()"
    with child(code) as process:
        family = processes.children_of([process.pid])
        assert len(family) == 1
        os.kill(family[0].pid, signal.SIGKILL)


def test_a_pid_file_names_our_daemon_only_on_evidence(tmp_path: Path) -> None:
    ours = tmp_path / "rate-limit-daemon.pid"
    with child(WILLING, "rate-limit-wait/daemon.js") as daemon, child(WILLING, "unrelated") as stranger:
        ours.write_text(str(daemon.pid))
        assert processes.judge_pid_file(str(ours), daemon.pid) == "ours"
        assert processes.judge_pid_file(str(ours), stranger.pid) == "other"
        past = time.time() - 3600
        os.utime(ours, (past, past))
        # It looks younger than its file: so does every process once the clock was set forward.
        assert processes.judge_pid_file(str(ours), daemon.pid) == "ours"
    assert processes.judge_pid_file(str(ours), daemon.pid) == "gone"


def test_a_pid_file_of_another_user_does_not_name_our_process(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    path = tmp_path / "rate-limit-daemon.pid"
    with child(WILLING, "rate-limit-daemon") as daemon:
        path.write_text(str(daemon.pid))
        os.chown(path, 12345, -1)
        assert processes.judge_pid_file(str(path), daemon.pid) == "other"


def test_a_process_that_lets_nobody_look_into_it_still_has_its_user() -> None:
    """Codex makes itself so; `/proc/<pid>` belongs to root then."""
    code = (
        "import ctypes, os, sys, time\n"
        "os.getuid() or os.setuid(65534)\n"
        "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"
        "print('up', flush=True)\n"
        "time.sleep(60)\n"
    )
    with child(code) as process:
        assert processes.uid_of(process.pid) == (os.getuid() or 65534)
