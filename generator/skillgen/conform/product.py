"""Drive one product in one throw-away place: start it, seed it, ask it, cancel by its own means."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from skillgen.conform.mcp import McpServer, NoAnswer, last_line
from skillgen.conform.processes import Answer, Processes
from skillgen.model.driving import (
    Ask,
    Command,
    Deed,
    Driving,
    ExitAnswer,
    JsonAnswer,
    RawFile,
    Seed,
    Server,
    TextAnswer,
    ToolCall,
)

SESSION, OTHER = "s1", "s2"
"""The session that is cancelled, and its neighbour."""


class World:
    """Throw-away places of one scenario: `home`, `workspace` (the project), `tmp`, `bin` (first on PATH), all below `place`.

    `program` is the directory that holds the product, outside them and read only.
    """

    def __init__(self, place: Path, program: Path, processes: Processes, git: bool) -> None:
        self.place = place
        self.program = program
        self.processes = processes
        self.home = place / "home"
        self.workspace = place / "project"
        for directory in (self.home, self.workspace, place / "tmp", place / "bin"):
            directory.mkdir(parents=True)
        if git:
            self.git("init", "-q", str(self.workspace))
            self.git("-C", str(self.workspace), "commit", "-q", "--allow-empty", "-m", "begin")

    def environment(self) -> dict[str, str]:
        """Return a bare environment: no variable of the host that runs skillgen tells the product anything.

        A tmux of the product's is never the user's: its socket lies in this place.
        """
        return {
            "PATH": f"{self.place / 'bin'}{os.pathsep}{os.environ.get('PATH', '/usr/bin:/bin')}",
            "HOME": str(self.home),
            "TMPDIR": str(self.place / "tmp"),
            "TMUX_TMPDIR": str(self.place / "tmp"),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def git(self, *arguments: str) -> None:
        who = {
            f"GIT_{role}_{part}": "conform@localhost" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
        }
        done = self.processes.run(["git", *arguments], self.place, {**self.environment(), **who}, barred=False)
        if done.code:
            raise NoAnswer(f"git {arguments[0]} failed: {done.stderr.strip()[-200:]}")


class Product:
    """The product in a world; a server, where there is one, runs until `end`. `cwd` is where it is started."""

    def __init__(self, driving: Driving, world: World, parts: Mapping[str, Path], cwd: Path | None = None) -> None:
        self.driving = driving
        self.world = world
        self.parts = parts
        self.cwd = cwd or world.workspace
        self._server: McpServer | None = None

    def begin(self) -> None:
        """Start the server and the session; raise NoAnswer where one does not start."""
        if self.driving.server is not None:
            self._server = _started(self, self.driving.server)
        for command in self.driving.start:
            self.do(command, {"session": SESSION})

    def end(self) -> None:
        if self._server is not None:
            self._server.end()
            self._server = None

    def values(self, names: Mapping[str, str]) -> dict[str, str]:
        found = {
            "program": str(self.world.program),
            "home": str(self.world.home),
            "tmp": str(self.world.place / "tmp"),
            "bin": str(self.world.place / "bin"),
            "workspace": str(self.cwd),
            "other": OTHER,
            "now": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **names,
        }
        found["state"] = fill(self.driving.state, found)
        return found

    def seed(self, mode: str, record: str, session: str, more: Mapping[str, Any] | None = None) -> bool:
        """Make a mode active; return whether that was by the product's own means. Raise NoAnswer where it refused."""
        seed = seed_of(self.driving, mode, self.parts)
        if seed is None:
            raise NoAnswer("no seed of the conform file makes this mode active")
        names = {"mode": mode, "record": record, "session": session, "phase": seed.phase.get(mode, "executing")}
        if isinstance(seed.by, RawFile):
            self._write(seed.by, names, more)
            return False
        answer = self.call(seed.by, names, more)
        if seed.done is not None and not self.says(answer, seed.done, names):
            raise NoAnswer(f"the product refused the seed: {last_line(answer.stdout or answer.stderr)}")
        return True

    def do(self, deed: Deed, names: Mapping[str, str]) -> None:
        """Do what goes before; raise NoAnswer where it fails."""
        if isinstance(deed, RawFile):
            self._write(deed, names)
            return
        answer = self.call(deed, names)
        if answer.code:
            what = deed.tool if isinstance(deed, ToolCall) else " ".join(str(word) for word in deed.command[:3])
            raise NoAnswer(f"{what} ended with {answer.code}: {last_line(answer.stderr or answer.stdout)}")

    def _write(self, file: RawFile, names: Mapping[str, str], more: Mapping[str, Any] | None = None) -> None:
        values = self.values(names)
        path = Path(fill(file.path, values))
        if self.world.place not in path.parents or ".." in path.parts:
            raise NoAnswer(f"the conform file would write outside the throw-away places: {path}")
        content = filled(file.content, values)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            content if isinstance(content, str) else json.dumps({**content, **(more or {})}), encoding="utf-8"
        )
        path.chmod(0o755 if file.executable else 0o644)

    def ask(self, ask: Ask, mode: str, record: str, session: str) -> bool:
        """Return the product's answer; raise NoAnswer where it gives none that can be read."""
        names = {"mode": mode, "record": record, "session": session}
        return self.says(self.call(ask.by, names), ask.yes, names)

    def call(self, by: ToolCall | Command, names: Mapping[str, str], more: Mapping[str, Any] | None = None) -> Answer:
        if isinstance(by, Command):
            return self.command(by, names, more)
        arguments = filled(by.arguments, self.values(names))
        return self.tool(by.tool, _add_fields(arguments, more or {}))

    def tool(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool of the server; an answer of exit code 1 is one that the server marks as an error.

        Without a server the tool is a verb of the product's program, which says on stderr why it failed.
        """
        verbs = self.driving.verbs
        if self._server is None and verbs is not None:
            words: list[str | dict[str, Any]] = [
                *verbs.command,
                *name.split()[1:],
                verbs.argument,
                dict(arguments),
                *verbs.switches,
            ]
            answer = self.command(Command(kind="command", command=tuple(words)), {})
            missing = [part for part in verbs.needs if part not in self.parts]
            if answer.code and missing:
                raise NoAnswer(f"{', '.join(missing)} is not there: {last_line(answer.stderr)}")
            return Answer(min(answer.code or 0, 1), answer.stdout if not answer.code else answer.stderr, answer.stderr)
        if self._server is None:
            raise NoAnswer("no server is described that could be called")
        return _answer(self._server.request("tools/call", {"name": name, "arguments": dict(arguments)}))

    def command(self, by: Command, names: Mapping[str, str], more: Mapping[str, Any] | None = None) -> Answer:
        values = self.values(names)
        stdin = b"" if by.input is None else json.dumps(filled(by.input, values)).encode()
        environment = {**self.environment(), **{name: fill(text, values) for name, text in by.environment.items()}}
        command = []
        for word in by.command:
            if isinstance(word, str):
                command.append(fill(word, values))
            else:
                command.append(json.dumps({**filled(word, values), **(more or {})}))
                more = None
        if more:
            raise NoAnswer(
                "the conform file's seed is a command without a JSON argument, to which nothing can be added"
            )
        try:
            answer = self.world.processes.run(command, self.cwd, environment, stdin, self.driving.timeout_s)
        except OSError as error:
            raise NoAnswer(f"{command[0]} cannot be started ({error.strerror})") from None
        if answer.code is None:
            raise NoAnswer(f"{command[0]} {answer.failed}")
        return answer

    def environment(self) -> dict[str, str]:
        values = self.values({})
        return {
            **self.world.environment(),
            **{name: fill(text, values) for name, text in self.driving.program.environment.items()},
            **self.told_parts(),
        }

    def told_parts(self) -> dict[str, str]:
        """Return the variables that name the program's parts; whoever has a part has its variable set for our script, too."""
        parts = [part for part in self.driving.program.parts if part.name in self.parts]
        return {part.variable: str(self.parts[part.name]) for part in parts}

    def says(self, answer: Answer, yes: TextAnswer | JsonAnswer | ExitAnswer, names: Mapping[str, str]) -> bool:
        values = self.values(names)
        if isinstance(yes, ExitAnswer):
            return answer.code == yes.code
        if isinstance(yes, TextAnswer):
            return fill(yes.holds, values) in answer.stdout
        if answer.code and not answer.stdout.strip():
            raise NoAnswer(f"it ended with {answer.code}: {last_line(answer.stderr)}")
        try:
            value = json.loads(answer.stdout or "{}")
        except ValueError:
            raise NoAnswer(f"the answer is no JSON: {last_line(answer.stdout)}") from None
        for key in filter(None, fill(yes.at, values).split("/")):
            value = value.get(key) if isinstance(value, dict) else None
        if yes.holds:
            return isinstance(value, list | dict) and fill(yes.holds, values) in value
        return bool(value == filled(yes.equals, values))


def _started(product: Product, server: Server) -> McpServer:
    values = product.values({})
    environment = {name: fill(text, values) for name, text in server.environment.items()}
    command = [fill(part, values) for part in server.command]
    try:
        process = product.world.processes.start(
            command, product.cwd, {**product.environment(), **environment}, quiet=True
        )
    except OSError as error:
        raise NoAnswer(f"the server {command[0]} cannot be started ({error.strerror})") from None
    return McpServer(process, product.driving.timeout_s)


def _answer(result: Mapping[str, Any]) -> Answer:
    content = result.get("content")
    parts = [part.get("text", "") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return Answer(1 if result.get("isError") else 0, "\n".join(str(part) for part in parts), "")


def seed_of(driving: Driving, mode: str, parts: Mapping[str, Path]) -> Seed | None:
    """Return the first seed that names the mode, else the first for every other mode, else None.

    A seed that needs a part of the program which is not there does not count.
    """
    possible = [seed for seed in driving.seed if all(name in parts for name in seed.needs)]
    named = [seed for seed in possible if mode in seed.modes]
    return next(iter(named or [seed for seed in possible if not seed.modes]), None)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace `{name}` by its value; a name that has none stays."""
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """Return JSON with each string filled; the string `{unique}` alone stays text."""
    if isinstance(value, str):
        return fill(value, values)
    if isinstance(value, Mapping):
        return {str(key): filled(inner, values) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [filled(inner, values) for inner in value]
    return value


def _add_fields(arguments: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Add fields to a write: into its one mapping argument where it has one, else beside the others."""
    if not more:
        return arguments
    payloads = [name for name, value in arguments.items() if isinstance(value, dict)]
    if payloads:
        return {**arguments, payloads[0]: {**arguments[payloads[0]], **more}}
    return {**arguments, **more}
