"""Ask the MCP servers that a release names which tools they have; only where the user wants its programs run."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skillgen.conform.bar import Bar
from skillgen.conform.mcp import McpServer, NoAnswer
from skillgen.conform.processes import Processes, no_strays
from skillgen.errors import InputError, UsageError
from skillgen.load.files import read
from skillgen.load.package import Package
from skillgen.model.json_text import parse_json

TIMEOUT_S = 30


def served_tools(package: Package) -> tuple[dict[str, str], list[str]]:
    """Return tool -> input schema as the servers answer, and a sentence for each server that gave no answer.

    The release is unpacked into a throw-away place, barred from the network and from all other files where the system grants it.
    """
    found: dict[str, str] = {}
    notes: list[str] = []
    with (
        no_strays(),
        tempfile.TemporaryDirectory(prefix="skillgen-watch-") as directory,
        _unpacked(package, directory) as root,
    ):
        bar = Bar(Path(directory).resolve())
        processes = Processes(bar)
        try:
            for name, command in _servers(root):
                try:
                    found |= _tools(processes, command, root)
                except (OSError, NoAnswer) as error:
                    notes.append(f"{package.name}: the server {name} gave no list of tools ({error})")
        finally:
            processes.end()
            bar.end()
    return found, notes


@contextmanager
def _unpacked(package: Package, directory: str) -> Iterator[Path]:
    if Path(package.name).is_dir():
        yield Path(package.name).resolve()
        return
    try:
        _unpack(package.name, Path(directory))
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise UsageError(
            f"{package.name}: is no directory and no npm archive ({error}); leave --run out, or name one of the two"
        ) from None
    inner = Path(directory).resolve() / "package"
    yield inner if inner.is_dir() else Path(directory).resolve()


def _unpack(name: str, directory: Path) -> None:
    """Write the files of an npm archive below `directory`, and nothing that is no regular file.

    The filters of `tarfile` would do, but Python 3.11.0 to 3.11.3 have none.
    """
    with tarfile.open(name, "r:gz") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isreg() else None
            if stream is None:
                continue
            if member.name.startswith("/") or ".." in member.name.replace("\\", "/").split("/"):
                raise tarfile.TarError(f"{member.name!r} leaves the archive")
            path = directory / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            with stream, path.open("wb") as file:
                shutil.copyfileobj(stream, file)
            path.chmod(0o755 if member.mode & 0o100 else 0o644)


def _servers(root: Path) -> Iterator[tuple[str, list[str]]]:
    for path in sorted(root.rglob(".mcp.json")):
        if "node_modules" in path.parts:
            continue
        try:
            document = parse_json(read(str(path)))
        except (InputError, ValueError):
            continue
        servers = document.get("mcpServers") if isinstance(document, dict) else None
        for name, server in servers.items() if isinstance(servers, dict) else ():
            if isinstance(server, dict) and isinstance(server.get("command"), str):
                given = server.get("args")
                words = [server["command"], *(map(str, given) if isinstance(given, list) else ())]
                # Every host's name of the plugin's root means the directory that holds the file.
                yield name, [_rooted(word, str(path.parent)) for word in words]


def _rooted(word: str, root: str) -> str:
    begin = word.find("${")
    end = word.find("}", begin)
    return word[:begin] + root + word[end + 1 :] if begin >= 0 and "ROOT" in word[begin:end] else word


def _tools(processes: Processes, command: list[str], root: Path) -> dict[str, str]:
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    server = McpServer(processes.start(command, root, environment, quiet=True), TIMEOUT_S)
    listed = server.request("tools/list", {}).get("tools")
    tools = [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
    return {str(tool.get("name")): json.dumps(tool.get("inputSchema", {}), sort_keys=True) for tool in tools}
