"""Start the published oh-my-claudecode: its MCP state server and its stop hook."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

PACKAGE = "oh-my-claude-sisyphus"
VERSION = "5.5.0"


@functools.cache
def package() -> Path:
    """Install the package once into the user's cache; skip with the reason where that cannot be."""
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("npm or node is absent; the published program cannot be run")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skillgen-tests" / f"omc-{VERSION}"
    found = base / "node_modules" / PACKAGE
    if not (found / "bridge" / "mcp-server.cjs").exists():
        base.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [
                "npm",
                "install",
                "--prefix",
                str(base),
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                f"{PACKAGE}@{VERSION}",
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"npm install failed: {done.stderr.strip()[-300:]}")
    version = json.loads((found / "package.json").read_text(encoding="utf-8"))["version"]
    assert version == VERSION
    return found


class Server:
    """The MCP state server over newline JSON-RPC."""

    def __init__(self, workspace: Path, home: Path, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            ["node", str(package() / "bridge" / "mcp-server.cjs")],
            cwd=workspace,
            env={**node_environment(home), **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.count = 0
        self.request(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "proof", "version": "1"}},
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.terminate()
        self.process.wait(timeout=10)

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            assert line, "the server ended"
            answer = json.loads(line)
            if answer.get("id") == self.count:
                return answer["result"]

    def call(self, tool: str, **arguments: Any) -> str:
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in answer["content"])
        return f"ERROR {text}" if answer.get("isError") else text


def node_environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "CLAUDE_PLUGIN_ROOT": str(package())}


def begin(workspace: Path, home: Path, session: str, prompt: str) -> None:
    """Give the keyword hook a prompt, which begins a mode where the session stands."""
    event = {"session_id": session, "cwd": str(workspace), "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    subprocess.run(
        ["node", str(package() / "scripts" / "keyword-detector.mjs")],
        cwd=workspace,
        env=node_environment(home),
        input=json.dumps(event),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def stop_hook(workspace: Path, home: Path, session: str) -> dict[str, Any]:
    """Ask the hook whether the session may stop; `decision` is `block` while a mode is active."""
    event = {"session_id": session, "cwd": str(workspace), "hook_event_name": "Stop", "stop_hook_active": False}
    done = subprocess.run(
        ["node", str(package() / "scripts" / "persistent-mode.mjs")],
        cwd=workspace,
        env=node_environment(home),
        input=json.dumps(event),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def blocks(workspace: Path, home: Path, session: str) -> bool:
    return stop_hook(workspace, home, session).get("decision") == "block"
