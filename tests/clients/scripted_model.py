"""A model server on loopback that answers by a script, in the three protocols that the hosts' clients speak.

It is no model: the n-th answer follows n results of tools, and what it fills into a call it has read in what the client
sent. So a run proves that the client gave its model what the model needs.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Say:
    """End the turn with words."""

    words: str


@dataclass(frozen=True)
class Use:
    """Call a tool of the client."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """What the client has sent: every text in order, what its tools answered, and which tools it offers."""

    texts: tuple[str, ...]
    results: tuple[str, ...]
    tools: dict[str, Any]
    """Name to the schema of its arguments."""

    @property
    def whole(self) -> str:
        return "\n".join(self.texts)


Step = Callable[[Conversation], Say | Use]


@dataclass
class Model:
    """A running server: `port`, and what it was sent and what it answered."""

    script: Sequence[Step]
    port: int = 0
    sent: list[Conversation] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """Path of every request, also of those that are no conversation."""
    errors: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def last(self) -> Conversation:
        assert self.sent, f"the client has asked no model: {self.asked} {self.errors}"
        return self.sent[-1]

    def answer(self, conversation: Conversation) -> Say | Use:
        self.sent.append(conversation)
        number = len(conversation.results)
        if number >= len(self.script):
            return Say("Nothing is left to do.")
        try:
            return self.script[number](conversation)
        except Exception as error:  # The client would try again for minutes; the test shows what went wrong.
            self.errors.append(f"step {number}: {error!r}")
            return Say(f"The script of this test failed: {error!r}")


@contextmanager
def serve(*script: Step) -> Iterator[Model]:
    """Serve the script on a free port of loopback while the block runs."""
    model = Model(script)

    class Handler(_Handler):
        served = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    served: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self.served.asked.append(f"GET {self.path}")
        self._json({"data": [{"id": "scripted", "object": "model"}], "object": "list"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        self.served.asked.append(f"POST {path}")
        for ending, read, write in _PROTOCOLS:
            if path.endswith(ending):
                answer = self._answer(read(body))
                return self._events(write(answer)) if body.get("stream") else self._json(_whole(ending, answer))
        return self._json({"input_tokens": 1} if path.endswith("count_tokens") else {})

    def _answer(self, conversation: Conversation) -> Say | Use:
        # A client also asks for a title or a summary; such a request offers no tools and is no part of the run.
        return self.served.answer(conversation) if conversation.tools else Say("cancel")

    def _json(self, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, events: list[tuple[str, Any]]) -> None:
        lines = []
        for name, value in events:
            data = value if isinstance(value, str) else json.dumps(value)
            lines.append((f"event: {name}\n" if name else "") + f"data: {data}\n\n")
        payload = "".join(lines).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


# Anthropic Messages, spoken by Claude Code.


def _read_messages(body: dict[str, Any]) -> Conversation:
    texts: list[str] = []
    results: list[str] = []
    system = body.get("system") or []
    texts += [system] if isinstance(system, str) else [part.get("text", "") for part in system]
    for message in body.get("messages", ()):
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                texts.append(part["text"])
            elif part["type"] == "tool_result":
                results.append(_plain(part.get("content")))
                texts.append(results[-1])
    return Conversation(
        tuple(texts), tuple(results), {tool["name"]: tool.get("input_schema") for tool in body.get("tools") or ()}
    )


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or () if isinstance(part, dict))


def _write_messages(answer: Say | Use) -> list[tuple[str, Any]]:
    message = _whole("/messages", answer)
    block = message["content"][0]
    if isinstance(answer, Use):
        begun = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
    else:
        begun = block | {"text": ""}
        delta = {"type": "text_delta", "text": answer.words}
    begin = message | {"content": [], "stop_reason": None}
    events = [
        {"type": "message_start", "message": begin},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


_COUNT = iter(range(1, 1_000_000))


def _whole(ending: str, answer: Say | Use) -> dict[str, Any]:
    """Return an answer that is not streamed."""
    number = next(_COUNT)
    if ending == "/messages":
        block = (
            {"type": "tool_use", "id": f"toolu_{number}", "name": answer.tool, "input": answer.arguments}
            if isinstance(answer, Use)
            else {"type": "text", "text": answer.words}
        )
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [block],
            "stop_reason": "tool_use" if isinstance(answer, Use) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    if ending == "/responses":
        item = (
            {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": answer.tool,
                "arguments": json.dumps(answer.arguments),
                "status": "completed",
            }
            if isinstance(answer, Use)
            else {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": answer.words, "annotations": []}],
            }
        )
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    message: dict[str, Any] = {"role": "assistant", "content": answer.words if isinstance(answer, Say) else None}
    if isinstance(answer, Use):
        function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    return {
        "id": f"chat_{number}",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if isinstance(answer, Use) else "stop",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


# Responses, spoken by Codex.


def _read_responses(body: dict[str, Any]) -> Conversation:
    texts: list[str] = [body.get("instructions") or ""]
    results: list[str] = []
    for item in body.get("input", ()):
        if item.get("type") == "function_call_output":
            results.append(_plain(item["output"]))
            texts.append(results[-1])
        elif item.get("type", "message") == "message":
            texts.append(_plain(item.get("content")))
    return Conversation(
        tuple(texts),
        tuple(results),
        {tool["name"]: tool.get("parameters") for tool in body.get("tools") or () if "name" in tool},
    )


def _write_responses(answer: Say | Use) -> list[tuple[str, Any]]:
    response = _whole("/responses", answer)
    item = response["output"][0]
    events = [
        {"type": "response.created", "response": response | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return [(event["type"], event) for event in events]


# Chat Completions, spoken by Copilot CLI and dsh.


def _read_chat(body: dict[str, Any]) -> Conversation:
    texts, results = [], []
    for message in body.get("messages", ()):
        texts.append(_plain(message.get("content")))
        if message["role"] == "tool":
            results.append(texts[-1])
    tools = [tool["function"] for tool in body.get("tools") or () if "function" in tool]
    return Conversation(tuple(texts), tuple(results), {tool["name"]: tool.get("parameters") for tool in tools})


def _write_chat(answer: Say | Use) -> list[tuple[str, Any]]:
    whole = _whole("/chat/completions", answer)
    choice = whole["choices"][0]
    begin = whole | {"object": "chat.completion.chunk", "usage": None}
    chunks = [
        begin | {"choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]},
        begin | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        begin | {"choices": [], "usage": whole["usage"]},
        "[DONE]",
    ]
    return [("", chunk) for chunk in chunks]


_PROTOCOLS: tuple[
    tuple[str, Callable[[dict[str, Any]], Conversation], Callable[[Say | Use], list[tuple[str, Any]]]], ...
] = (
    ("/messages", _read_messages, _write_messages),
    ("/responses", _read_responses, _write_responses),
    ("/chat/completions", _read_chat, _write_chat),
)
