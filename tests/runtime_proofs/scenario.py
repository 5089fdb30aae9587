"""Read scenarios from YAML files and put up the workspace that each is given."""

from __future__ import annotations

import atexit
import functools
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from runtime_proofs import rows, tree

FILES = Path(__file__).parent / "scenarios"
STATE = {
    "rcs": ".rcs/state",
    "omx": ".omx/state",
    "pep": ".pep/state",
    "omc": ".omc/state",
    "omc-20260824": ".omc/state",
    "omd": ".omd/state",
    "omni": ".omni",
}


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    flavor: str
    given: dict[str, Any]
    when: tuple[str, ...]
    then: dict[str, Any]
    hows: tuple[str, ...]
    bare: Any
    """What cancel.sh does where no python3 works: `same`, `refused`, an own `then`, or None to leave it out."""
    nojq: Any


@dataclass(frozen=True, slots=True)
class Place:
    """Directories of one run: all that it could touch lies under `base`."""

    base: Path
    cwd: Path
    env: dict[str, str]
    database: Path | None

    @property
    def home(self) -> Path:
        return self.base / "home"


def load_all() -> list[Scenario]:
    found = [scenario for path in sorted(FILES.glob("*.yaml")) for scenario in load(path)]
    names = [scenario.name for scenario in found]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
    return found


def load(path: Path) -> list[Scenario]:
    data = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    flavors = data["flavor"] if isinstance(data["flavor"], list) else [data["flavor"]]
    shared = data.get("given", {})
    found = []
    for flavor in flavors:
        for name, case in data["cases"].items():
            unknown = set(case) - {"given", "when", "then", "with", "bare", "nojq", "why"}
            assert not unknown, f"{path.name}: {name}: {unknown}"
            found.append(
                Scenario(
                    name=f"{flavor}: {name}",
                    flavor=flavor,
                    given={**shared, **case.get("given", {})},
                    when=tuple(shlex.split(str(case.get("when", data.get("when", ""))))),
                    then={**data.get("then", {}), **case["then"]},
                    hows=tuple(case.get("with", data.get("with", ["py", "sh"]))),
                    bare=case.get("bare", data.get("bare")),
                    nojq=case.get("nojq", data.get("nojq")),
                )
            )
    return found


def path_of(flavor: str, name: str) -> str:
    """Expand `@s1/ralph` (a session's record), `@/ralph` (a root record) and `~/x` to a path below the base."""
    if name.startswith("~/"):
        return f"home/{name[2:]}"
    if name.startswith("^/"):
        return name[2:]
    if not name.startswith("@"):
        return f"ws/{name}"
    slot, _, rest = name[1:].partition("/")
    file = rest if "." in rest.rpartition("/")[2] or rest.endswith("/") or "/" in rest else f"{rest}-state.json"
    return f"ws/{STATE[flavor]}/" + (f"sessions/{slot}/" if slot else "") + file.rstrip("/")


def put_up(scenario: Scenario, base: Path) -> Place:
    given, flavor = scenario.given, scenario.flavor
    known = {"git", "tree", "rows", "env", "cwd", "sql", "version"}
    assert set(given) <= known, f"{scenario.name}: given has {set(given) - known}"
    (base / "ws").mkdir(parents=True)
    (base / "home").mkdir()
    if given.get("git"):
        repository(base / "ws")
    tree.build(base, {path_of(flavor, name): filled(body, base) for name, body in given.get("tree", {}).items()})
    database = None
    if flavor == "omni":
        database = base / "home/.omni/omni.db"
        if "rows" in given:
            rows.create(database, filled(given["rows"], base), version=given.get("version", 6))
    cwd = base / "ws" / given.get("cwd", ".")
    cwd.mkdir(parents=True, exist_ok=True)
    env = {key: str(value).replace("<base>", str(base)) for key, value in given.get("env", {}).items()}
    return Place(base, cwd, env, database)


def place(flavor: str, base: Path, files: dict[str, Any] | None = None, **given: Any) -> Place:
    """Put up a workspace for a test that is no row of the table; omc gets a repository, since its root asks for one."""
    given = {"git": flavor.startswith("omc"), "tree": files or {}, **given}
    return put_up(Scenario("", flavor, given, (), {}, (), None, None), base)


def repository(path: Path) -> None:
    """The least that git takes for a repository; no process needed."""
    for name in ("objects", "refs/heads"):
        (path / ".git" / name).mkdir(parents=True)
    (path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (path / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")


def filled(value: Any, base: Path) -> Any:
    """Replace the placeholders that stand for this moment, this machine and this place."""
    if isinstance(value, dict):
        return {key: filled(each, base) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, base) for each in value]
    match value:
        case "active":
            return {"active": True}
        case "inactive":
            return {"active": False}
        case "malformed":
            return {"$text": '{"active": true, '}
        case "<live-pid>":
            return os.getpid()
        case "<live-start>":
            return process_start(os.getpid())
        case "<live-ticks>":
            return int(Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[19])
        case "<dead-pid>":
            return dead_pid()
        case "<daemon-pid>":
            return daemon().pid
    if isinstance(value, str):
        value = re.sub(r"<now([+-])(\d+)([smh])>", _moment, value)
        return value.replace("<base>", str(base)).replace("<start>", process_start(os.getpid()))
    return value


def _moment(match: re.Match[str]) -> str:
    seconds = int(match[2]) * {"s": 1, "m": 60, "h": 3600}[match[3]] * (1 if match[1] == "+" else -1)
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def process_start(pid: int) -> str:
    """Start of a process as the flavor's lock writes it: clock ticks, or milliseconds from ps where there is no /proc."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        return stat.read_text().rpartition(")")[2].split()[19]
    said = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    return str(int(datetime.strptime(said.strip(), "%a %b %d %H:%M:%S %Y").timestamp() * 1000))


@functools.cache
def daemon() -> subprocess.Popen[bytes]:
    """A live process that calls itself by the name of the pid file that the global pass lists."""
    child = subprocess.Popen(["rate-limit-daemon", "3600"], executable=shutil.which("sleep"))
    atexit.register(child.kill)
    return child


def dead_pid() -> int:
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid
