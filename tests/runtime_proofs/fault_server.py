"""Serve runs of a bundle's script, each in a forked process that can be killed at its n-th operation.

Started as `python fault_server.py <scripts>`; one JSON request a line on stdin: {cwd, env, argv, at, output}. Events are
counted at each call that changes something (of `os`, `fcntl`, and of the runtime's own seam, which covers SQL and
processes): before the first, amid each write and after each (to the disk that is before the next). The child ends itself
with SIGKILL at event `at`. The answer is {code, events, last, outside}: the exit code (negative: a signal), how many
events there were, the name of the last, and the changing calls that did not go through the seam.
"""

import contextlib
import fcntl
import json
import os
import runpy
import signal
import sys
from pathlib import Path

CHANGES = (
    *("write", "fsync", "fdatasync", "rename", "replace", "unlink", "remove", "rmdir", "link", "mkdir", "symlink"),
    *("truncate", "ftruncate", "chmod", "fchmod", "utime", "makedirs", "removedirs", "posix_fallocate"),
)
SEAM_ONLY = ("sql", "commit", "begin", "connect", "run", "signal", "kill")
"""Operations of the seam that no call of `os` stands for; reads change nothing, so that dying at one is dying at the last change."""


write = os.write
"""The call itself, before it is counted."""


class Counter:
    """Counts events and ends the process at the chosen one."""

    def __init__(self):
        self.armed = False
        self.at = None
        self.report = -1
        self.count = 0
        self.last = ""
        self.inside = 0
        self.outside = []
        self.quiet = set()

    def event(self, name):
        self.count += 1
        self.last = name
        if self.count == self.at:
            write(self.report, json.dumps({"events": self.count, "last": name, "outside": self.outside}).encode())
            os.kill(os.getpid(), signal.SIGKILL)

    def seam(self, when, name, target):
        self.inside += 1 if when == "before" else -1
        if name in SEAM_ONLY:
            self.event(f"{when} {name} {target}")


counter = Counter()


def counted(module, name):
    original = getattr(module, name)

    def call(*arguments, **options):
        if not counter.armed or (name == "write" and arguments[0] in counter.quiet):
            return original(*arguments, **options)
        if counter.inside <= 0 and name != "fchmod":  # of a temporary file that nobody sees yet
            counter.outside.append(f"{name} {arguments[:2]}"[:200])
        if not counter.count:
            counter.event("before the first change")
        if name == "write":
            if counter.at == counter.count + 1:
                original(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            counter.event("within os.write")
        result = original(*arguments, **options)
        counter.event(f"after os.{name} {str(arguments[:1])[:120]}")
        return result

    setattr(module, name, call)


def opened(original):
    def call(path, flags, *arguments, **options):
        creates = flags & (os.O_CREAT | os.O_TRUNC)
        if not counter.armed or not creates:
            return original(path, flags, *arguments, **options)
        if counter.inside <= 0:
            counter.outside.append(f"open {path}")
        result = original(path, flags, *arguments, **options)
        counter.event(f"after os.open {path}")
        return result

    return call


def run(request, report):
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    for name in (0, 1, 2):
        counter.quiet.add(name)
    from cancel_runtime import ops

    ops.hook = counter.seam
    sys.argv = [f"{SCRIPTS}/cancel.py", *request["argv"]]
    counter.at = request.get("at")
    counter.report = report
    sys.stdout = Path(request["output"]).open("w", encoding="utf-8")  # noqa: SIM115
    code = 0
    counter.armed = True
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else (0 if ended.code is None else 1)
    finally:
        counter.armed = False
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            answer = {"events": counter.count, "last": counter.last, "outside": counter.outside}
            write(report, json.dumps(answer).encode())
    os._exit(code)


def serve():
    for line in sys.stdin:
        request = json.loads(line)
        readable, report = os.pipe()
        child = os.fork()
        if not child:
            os.close(readable)
            try:
                run(request, report)
            except BaseException:
                import traceback

                traceback.print_exc()
            os._exit(70)
        os.close(report)
        with os.fdopen(readable, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        answer = json.loads(said) if said else {"events": 0, "last": "", "outside": []}
        print(json.dumps({"code": os.waitstatus_to_exitcode(status), **answer}), flush=True)


if __name__ == "__main__":
    SCRIPTS = sys.argv[1]
    sys.path.insert(0, SCRIPTS)
    for each in CHANGES:
        if hasattr(os, each):
            counted(os, each)
    counted(fcntl, "flock")
    os.open = opened(os.open)

    serve()
