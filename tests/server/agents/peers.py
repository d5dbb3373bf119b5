"""Clients of the agents of a server, made with the official library, and sessions for them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest
from a2a.client import Client, ClientConfig, create_client
from a2a.helpers import new_data_part
from a2a.types import GetTaskRequest, Message, Part, Role, SendMessageRequest, StreamResponse, Task, TaskState
from google.protobuf.json_format import MessageToDict

from cloche.llm import ToolCall
from tests.server.conftest import OWNER, RunningServer

BINDINGS = ("JSONRPC", "HTTP+JSON")
BOTH = (BINDINGS[0], pytest.param(BINDINGS[1], marks=pytest.mark.slow))


class Heard:
    """What a stream has told."""

    def __init__(self) -> None:
        self.task = Task()
        self.states: list[str] = []
        self.texts: list[str] = []
        self.artifacts: dict[str, str] = {}
        """The text of each artifact, put together as the protocol says."""
        self.data: dict[str, list[Any]] = {}

    def take(self, response: StreamResponse) -> None:
        """Take the next thing."""
        if response.HasField("task"):
            self.task = response.task
            self._take_state(response.task.status)
            for artifact in response.task.artifacts:
                self.artifacts[artifact.artifact_id] = read_text(list(artifact.parts))
        elif response.HasField("status_update"):
            self._take_state(response.status_update.status)
        else:
            update = response.artifact_update
            name, parts = update.artifact.artifact_id, list(update.artifact.parts)
            before = self.artifacts.get(name, "") if update.append else ""
            self.artifacts[name] = before + read_text(parts)
            self.data[name] = [MessageToDict(part.data) for part in parts if part.HasField("data")]

    def _take_state(self, status: Any) -> None:
        self.states.append(TaskState.Name(status.state).removeprefix("TASK_STATE_").lower())
        if status.HasField("message"):
            self.texts.append(read_text(list(status.message.parts)))


def read_text(parts: list[Part]) -> str:
    return "".join(part.text for part in parts)


def make_message(*parts: str | dict[str, Any], id: str = "", **more: Any) -> SendMessageRequest:
    given = [Part(text=part) if isinstance(part, str) else new_data_part(part) for part in parts]
    message = Message(message_id=id or uuid4().hex, role=Role.ROLE_USER, parts=given, **more)
    return SendMessageRequest(message=message)


async def say(client: Client, *parts: str | dict[str, Any], **more: Any) -> Heard:
    """Send a message, and hear all that comes of it."""
    heard = Heard()
    async for response in client.send_message(make_message(*parts, **more)):
        heard.take(response)
    return heard


async def look(client: Client, heard: Heard) -> Task:
    return await client.get_task(GetTaskRequest(id=heard.task.id))


def list_texts(task: Task) -> dict[str, str]:
    return {artifact.artifact_id: read_text(list(artifact.parts)) for artifact in task.artifacts}


def call(name: str, **arguments: Any) -> ToolCall:
    """What a model says to have a tool called."""
    return ToolCall(f"call_{name}", name, msgspec.json.encode(arguments).decode())


async def begin_session(server: RunningServer, token: str = OWNER, **wanted: Any) -> str:
    """The id of a new session."""
    async with server.client(token) as http:
        return (await http.post("/api/sessions", json=wanted)).json()["id"]


@asynccontextmanager
async def agent_client(
    server: RunningServer, sid: str, binding: str = BINDINGS[0], token: str = OWNER, *, streaming: bool = True
) -> AsyncGenerator[Client]:
    """The official client of the agent that a session is; of the server's own agent without a session."""
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=30) as http:
        config = ClientConfig(streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding])
        async with await create_client(f"{server.url}/a2a/{sid}".rstrip("/"), client_config=config) as client:
            yield client
