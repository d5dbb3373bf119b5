"""Remote agents for the tests, made with the official library, in a process of their own; prints its port."""

import argparse
import contextlib
import socket
import sys

import anyio
import uvicorn
from a2a.helpers import new_data_part, new_raw_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

BINDINGS = {"JSONRPC": "/a2a", "HTTP+JSON": "/rest"}


class Example(AgentExecutor):
    """Does what the first word of a message says."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []
        self.messages: list[str] = []

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        self.messages.append(context.message.message_id)
        task = context.current_task
        continued = task is not None
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        word, _, rest = context.get_user_input().partition(" ")
        await updater.start_work()
        if continued:
            await self.finish(updater, f"answered {word}")
        else:
            await getattr(self, f"do_{word}")(updater, rest)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id is not None
        assert context.context_id is not None
        self.cancelled.append(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()

    async def finish(self, updater: TaskUpdater, text: str) -> None:
        await updater.complete(updater.new_agent_message([new_text_part(text)]))

    async def do_echo(self, updater: TaskUpdater, rest: str) -> None:
        await updater.add_artifact([new_text_part(rest)], artifact_id="echo", name="echo")
        await self.finish(updater, "said")

    async def do_true(self, updater: TaskUpdater, rest: str) -> None:
        await updater.complete()

    async def do_chunks(self, updater: TaskUpdater, rest: str) -> None:
        for number in range(int(rest)):
            await updater.add_artifact(
                [new_text_part(f"line {number}\n")], artifact_id="log", name="log", append=number > 0
            )
        await self.finish(updater, "counted")

    async def do_steps(self, updater: TaskUpdater, rest: str) -> None:
        for text in ("one", "two", "three"):
            await updater.start_work(updater.new_agent_message([new_text_part(text)]))
        await self.finish(updater, "all three")

    async def do_kinds(self, updater: TaskUpdater, rest: str) -> None:
        picture = new_raw_part(b"\x89PNG\r\n", media_type="image/png", filename="dot.png")
        await updater.add_artifact([new_data_part({"n": 42, "list": [1.5, None]}), picture], artifact_id="all")
        await updater.add_artifact([Part(url="https://example.com/big.bin", filename="big.bin")], artifact_id="far")
        await self.finish(updater, "made")

    async def do_ask(self, updater: TaskUpdater, rest: str) -> None:
        await updater.requires_input(updater.new_agent_message([new_text_part("Which file?")]))

    async def do_login(self, updater: TaskUpdater, rest: str) -> None:
        await updater.requires_auth(updater.new_agent_message([new_text_part("Log in at https://login.example")]))

    async def do_fail(self, updater: TaskUpdater, rest: str) -> None:
        await updater.failed(updater.new_agent_message([new_text_part("out of paper")]))

    async def do_reject(self, updater: TaskUpdater, rest: str) -> None:
        await updater.reject(updater.new_agent_message([new_text_part("not my job")]))

    async def do_wait(self, updater: TaskUpdater, rest: str) -> None:
        await updater.start_work(updater.new_agent_message([new_text_part("waiting")]))
        await anyio.sleep_forever()

    async def do_later(self, updater: TaskUpdater, rest: str) -> None:
        await anyio.sleep(float(rest))
        await self.finish(updater, "at last")

    async def do_report(self, updater: TaskUpdater, rest: str) -> None:
        told = {"cancelled": self.cancelled, "messages": self.messages, "context": updater.context_id}
        await updater.add_artifact([new_data_part(told)], artifact_id="report")
        await updater.complete()


class TokenCheck:
    """Refuses calls without the token; the card is open."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = dict(scope.get("headers", [])).get(b"authorization")
        if scope["type"] == "http" and not scope["path"].startswith("/.well-known") and sent != self.expected:
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await self.app(scope, receive, send)


def make_app(given: argparse.Namespace, port: int) -> Starlette:
    """The server as the options say."""
    offered = [
        AgentInterface(url=f"http://127.0.0.1:{port}{path}", protocol_binding=binding, protocol_version=given.version)
        for binding, path in BINDINGS.items()
        if binding == given.binding
    ]
    skill = AgentSkill(id="echo", name="Echo", description="Says it again", tags=["test"], examples=["echo hi"])
    card = AgentCard(
        name=given.name,
        description="An agent for tests",
        version="1",
        supported_interfaces=offered,
        capabilities=AgentCapabilities(streaming=not given.no_streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
    )
    handler = DefaultRequestHandler(agent_executor=Example(), task_store=InMemoryTaskStore(), agent_card=card)
    return Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat=True),
            *create_rest_routes(handler, path_prefix="/rest", enable_v0_3_compat=True),
        ],
        middleware=[Middleware(TokenCheck, token=given.token)] if given.token else [],
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="example")
    parser.add_argument("--binding", default="JSONRPC", choices=BINDINGS)
    parser.add_argument("--no-streaming", action="store_true")
    parser.add_argument("--token")
    parser.add_argument("--version", default="1.0")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    with socket.create_server(("127.0.0.1", given.port)) as listening, contextlib.suppress(KeyboardInterrupt):
        port = listening.getsockname()[1]
        config = uvicorn.Config(make_app(given, port), log_level="error", timeout_graceful_shutdown=1)
        sys.stdout.write(f"{port}\n")
        sys.stdout.flush()
        uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
