"""One session of a server by three ways: as an A2A agent, over MCP, and by its events. Needs the extra `server`."""

import asyncio
import os
import subprocess
import tempfile
from uuid import uuid4

import httpx
import httpx2
from a2a.client import ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

TOKEN = "a-token-of-my-own"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


async def ask_agent(url: str, text: str) -> str:
    """Have the server's agent do a task; without a model, the text is a command. Returns the session that it began."""
    async with httpx.AsyncClient(headers=HEADERS, timeout=30) as http:
        agent = await create_client(f"{url}/a2a/new", client_config=ClientConfig(httpx_client=http))
        message = Message(message_id=uuid4().hex, role=Role.ROLE_USER, parts=[Part(text=text)])
        session = ""
        async for heard in agent.send_message(SendMessageRequest(message=message)):
            session = session or heard.task.context_id
            for part in heard.artifact_update.artifact.parts:
                if part.text:
                    print("the agent printed:", part.text.strip())
        return session


async def call_tool(url: str, session: str, code: str) -> object:
    """Run a cell in the same session."""
    async with (
        httpx2.AsyncClient(headers=HEADERS, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        result = await client.call_tool("run_python", {"code": code, "session": session})
        answer: dict[str, object] = result.structured_content or {}
        return answer["value"]


async def list_events(url: str, session: str) -> list[str]:
    """What is on record."""
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        page = await http.get(f"{url}/api/sessions/{session}/events", params={"kind": ["run", "run_ipython"]})
        return [event["message"] for event in page.json()["events"]]


async def main(url: str) -> None:
    """Use the server."""
    session = await ask_agent(url, "echo 41 > answer; cat answer")
    print("a cell says:", await call_tool(url, session, "int(open('answer').read()) + 1"))
    for message in await list_events(url, session):
        print("event:", message)


with tempfile.TemporaryDirectory() as folder:
    env = {**os.environ, "CLOCHE_TOKEN": TOKEN, "CLOCHE_DATA": folder}
    argv = ["cloche", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(argv, env=env, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            asyncio.run(main(server.stderr.readline().split()[-1].split("/?")[0]))
        finally:
            server.terminate()
