"""A product of a few lines that keeps its state as pepcode does: an MCP server, and a stop hook when called with `hook`.

The variable TOY_FAULT makes it misbehave in one way, so that each law can be seen to break.
"""

import contextlib
import fcntl
import json
import os
import sys
import time
from pathlib import Path

FAULT = os.environ.get("TOY_FAULT", "")
STATE = Path.cwd() / ".pep" / "state"


def record(mode, session):
    return STATE / "sessions" / session / f"{mode}-state.json"


def load(path):
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}


def active(mode, session):
    if FAULT == "second-place" and load(Path.home() / f"{mode}-{session}.json").get("active"):
        return True
    return bool(load(record(mode, session)).get("active"))


@contextlib.contextmanager
def locked():
    STATE.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(STATE, os.O_RDONLY)
    if FAULT != "takes-no-lock":
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


def write(mode, session, state):
    with locked():
        return write_locked(mode, session, state)


def write_locked(mode, session, state):
    path = record(mode, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    old = load(path) if FAULT == "merges" else {}
    path.write_text(json.dumps({**old, **state}))
    if FAULT == "second-place":
        (Path.home() / f"{mode}-{session}.json").write_text(json.dumps(state))
    return "Successfully wrote"


def call(tool, arguments):
    mode, session = arguments.get("mode"), arguments.get("session_id", "")
    if tool == "state_write":
        more = {"written": time.time_ns()} if FAULT != "merges" else {}
        state = {**arguments.get("state", {}), "active": arguments.get("active", True), "session_id": session, **more}
        return write(mode, session, state)
    if tool == "state_read":
        return json.dumps(load(record(mode, session)))
    if tool == "state_get_status":
        return f"{mode}: {'active' if active(mode, session) else 'inactive'}"
    if tool == "state_clear":
        if not mode:
            raise ValueError("mode is missing")
        for path in [record(mode, session)] if session else STATE.glob(f"sessions/*/{mode}-state.json"):
            path.unlink(missing_ok=True)
        return "Successfully cleared"
    raise ValueError(f"no tool {tool}")


def serve():
    if FAULT == "does-not-start":
        sys.exit("broken installation")
    if FAULT == "leaves-a-process" and os.fork() == 0:
        os.setsid()
        time.sleep(300)
    if FAULT == "hides-a-process" and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, __file__, "sleep"], {"NOTE": os.environ["TOY_OUTSIDE"]})
        os._exit(0)
    if FAULT == "writes-outside":
        Path(os.environ["TOY_OUTSIDE"]).write_text("here")
    for line in sys.stdin:
        if FAULT == "hangs":
            time.sleep(300)
        if FAULT == "garbage":
            print("\x1b[31mready!", flush=True)
            continue
        message = json.loads(line)
        if message["method"] == "initialize":
            result = {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "toy", "version": "1"},
            }
        else:
            try:
                text, bad = call(message["params"]["name"], message["params"]["arguments"]), False
            except ValueError as error:
                text, bad = str(error), True
            result = {"content": [{"type": "text", "text": text}], "isError": bad}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


def hook():
    if FAULT == "floods":
        while True:
            sys.stdout.write("x" * 65536)
    if FAULT == "binary":
        sys.stdout.buffer.write(b"\xff\xfe\x00\x1b]0;title\x07")
        return
    if FAULT == "keeps-the-pipe" and os.fork() == 0:
        time.sleep(300)
    event = json.load(sys.stdin)
    held = any(load(path).get("active") for path in STATE.glob(f"sessions/{event['session_id']}/*-state.json"))
    if FAULT == "hook-holds":
        held = True
    print(json.dumps({"decision": "block"} if held else {}))


def own():
    print("Cancelled.")


def hold():
    with locked():
        print("held", flush=True)
        sys.stdin.read()


def work():
    """Be a worker that ends with its record, or lives on."""
    mode, session = sys.argv[2:]
    write(mode, session, {"active": True, "session_id": session})
    if os.fork() == 0:
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        while FAULT == "workers-live-on" or active(mode, session):
            time.sleep(0.02)
        (STATE / "worker").unlink()
        os._exit(0)
    (STATE / "worker").write_text("lives")


if __name__ == "__main__":
    deeds = {"hook": hook, "own": own, "hold": hold, "work": work, "sleep": lambda: time.sleep(300)}
    deeds.get(sys.argv[1] if sys.argv[1:] else "", serve)()
