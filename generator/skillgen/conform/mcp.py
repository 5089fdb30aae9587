"""Speak to an MCP server of a product: JSON-RPC, a line a message, on its stdin and stdout."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from skillgen.conform.processes import Lines

_OTHERS = 1000
"""Messages that are passed over while an answer is waited for."""


class NoAnswer(Exception):
    """The product did not answer so that anything follows from it; says what happened."""


class McpServer:
    """One running server, greeted; every request raises NoAnswer where it gives no answer that can be read."""

    def __init__(self, process: subprocess.Popen[bytes], timeout_s: float) -> None:
        self._process = process
        self._timeout = timeout_s
        self._lines = Lines(process)
        self._count = 0
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "skillgen", "version": "1"},
        }
        self.request("initialize", hello)

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result; a refusal of the protocol is one as well, as a tool gives it: `isError` and its text."""
        self._count += 1
        message = json.dumps({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}) + "\n"
        assert self._process.stdin
        try:
            self._process.stdin.write(message.encode())
            self._process.stdin.flush()
        except OSError:
            raise NoAnswer("the server ended") from None
        for _ in range(_OTHERS):
            line = self._lines.next(self._timeout)
            if not line:
                what = "ended" if line == "" else f"did not answer within {self._timeout} s"
                raise NoAnswer(f"the server {what} ({method})")
            try:
                answer = json.loads(line)
            except ValueError:
                raise NoAnswer(f"the server printed what is no JSON: {last_line(line)}") from None
            if isinstance(answer, dict) and answer.get("id") == self._count:
                if isinstance(answer.get("result"), dict):
                    return dict(answer["result"])
                error = answer.get("error")
                said = error.get("message", "") if isinstance(error, dict) else ""
                return {"isError": True, "content": [{"text": str(said)}]}
        raise NoAnswer("the server prints other messages without end")

    def end(self) -> None:
        """Close its input, and end it if that does not."""
        with suppress(OSError):
            assert self._process.stdin
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()


def last_line(text: str) -> str:
    """Return the line that tells most of what a program printed, as it may be shown on a terminal: its error, else its last one.

    What a JavaScript runtime prints behind an error, its stack and its own version, tells nothing.
    """
    lines = [line for line in text.strip().splitlines() if line.strip()]
    errors = [line for line in lines if line.partition(":")[0].endswith(("Error", "Exception")) and ": " in line]
    said = (errors or [line for line in lines if not line.startswith(("Node.js v", "    at "))] or lines)[-1:]
    return "".join(letter if letter.isprintable() else "?" for letter in said[0][:200]) if said else "nothing"
