"""A remote agent on loopback that answers with whatever bytes a test wants."""

import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener

from cloche.runtime import A2AManager
from cloche.runtime.a2a.updates import TaskUpdate
from tests.runtime.a2a.peers import PATIENCE

Answer = Callable[[str], AsyncIterator[bytes]]
"""The pieces of the answer to a call of this method; `card` for the card."""
TASK = {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class RawAgent:
    """Says its card, unless that is replaced, and answers calls as `answer` does."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[str] = []
        self.card: Callable[[], dict[str, Any]] | None = self.plain_card
        self.answer: Answer = finish

    def plain_card(self, **more: Any) -> dict[str, Any]:
        interface = {"url": f"{self.url}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        card: dict[str, Any] = {
            "name": "raw",
            "description": "d",
            "version": "1",
            "skills": [],
            "capabilities": {"streaming": True},
        }
        return {**card, "supportedInterfaces": [interface], **more}

    async def handle(self, stream: ByteStream) -> None:
        async with stream:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream):
                await self.serve(stream)

    async def serve(self, stream: ByteStream) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            request += await stream.receive()
        head, _, body = request.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        while len(body) < int(fields.get(b"content-length", b"0")):
            body += await stream.receive()
        method = json.loads(body)["method"] if body else "card"
        self.calls.append(method)
        pieces = page(self.card()) if method == "card" and self.card else self.answer(method)
        async for piece in pieces:
            await stream.send(piece)


async def page(value: Any) -> AsyncIterator[bytes]:
    """JSON as an answer."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    yield b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body


async def result(value: Any) -> AsyncIterator[bytes]:
    """The result of a call."""
    async for piece in page({"jsonrpc": "2.0", "id": "1", "result": value}):
        yield piece


def event(value: Any) -> bytes:
    """One event of a stream."""
    return b"data: %s\n\n" % json.dumps({"jsonrpc": "2.0", "id": "1", "result": value}, ensure_ascii=False).encode()


def status(state: str, text: str = "", task: str = "t") -> dict[str, Any]:
    """A status as an event has it."""
    message = {"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": text}]}} if text else {}
    return {"statusUpdate": {"taskId": task, "contextId": "c", "status": {"state": f"TASK_STATE_{state}", **message}}}


def artifact(parts: list[dict[str, Any]], name: str = "a", **more: Any) -> dict[str, Any]:
    """An artifact as an event has it."""
    return {
        "artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": {"artifactId": name, "parts": parts}, **more}
    }


def stream(*events: Any) -> Answer:
    """These events, and then the end."""

    async def answer(method: str) -> AsyncIterator[bytes]:
        yield STREAM
        for each in events:
            yield each if isinstance(each, bytes) else event(each)

    return answer


def finish(method: str) -> AsyncIterator[bytes]:
    """A task that is done at once."""
    return stream({"task": TASK}, status("COMPLETED", "done"))(method)


@asynccontextmanager
async def raw_agent(tls: ssl.SSLContext | None = None) -> AsyncGenerator[RawAgent]:
    """Serves on loopback until the block ends."""
    agent = RawAgent()
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    port = listener.extra(SocketAttribute.local_port)
    agent.url = f"http://127.0.0.1:{port}" if tls is None else f"https://localhost:{port}"
    async with listener, anyio.create_task_group() as tasks:
        served = listener if tls is None else TLSListener(listener, tls, standard_compatible=False)
        tasks.start_soon(served.serve, agent.handle)
        yield agent
        tasks.cancel_scope.cancel()


async def send(agent: RawAgent, text: str = "hi", task_id: str | None = None) -> list[TaskUpdate]:
    """The updates of a task for the agent."""
    manager = A2AManager([agent.url])
    try:
        with anyio.fail_after(PATIENCE):
            return [update async for update in manager.send_task("raw", text, "s", task_id=task_id)]
    finally:
        await manager.close()
