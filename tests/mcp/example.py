"""A small MCP server for the tests of clients: over stdio, or over event streams on a port that `sse` prints."""

import os
import socket
import sys
import time

import uvicorn
from mcp.server import MCPServer

server = MCPServer("example", log_level="ERROR")


@server.tool()
def shout(text: str) -> str:
    """Give the text in capitals."""
    return text.upper()


@server.tool()
def environment() -> list[str]:
    """The names of the environment's variables."""
    return sorted(os.environ)


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("it went wrong")


@server.tool()
def sleep() -> str:
    """Never answer."""
    time.sleep(3600)
    return ""


@server.tool()
def die() -> str:
    """End the server."""
    os._exit(3)


if __name__ == "__main__":
    if sys.argv[1:2] == ["sse"]:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            sys.stdout.write(f"{listening.getsockname()[1]}\n")
            sys.stdout.flush()
            uvicorn.Server(uvicorn.Config(server.sse_app(), log_level="error")).run([listening])
    else:
        server.run()
