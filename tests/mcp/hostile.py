"""An MCP server over stdio that misbehaves in the way its first argument says."""

import json
import os
import signal
import subprocess
import sys
from typing import Any

WAY = sys.argv[1]
PAGE = 100
names = ["shout"]


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask the client for something, and wait for what it says."""
    send({"id": f"{method}-1", "method": method, "params": params})
    return json.loads(sys.stdin.readline())


def listed(cursor: str | None) -> dict[str, Any]:
    begin = int(cursor or 0)
    if WAY == "endless":
        return {"tools": [tool(f"t{begin}")], "nextCursor": str(begin + 1)}
    page = names[begin : begin + PAGE]
    more = {"nextCursor": str(begin + PAGE)} if begin + PAGE < len(names) else {}
    return {"tools": [tool(name) for name in page], **more}


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


def call(name: str) -> str:
    if WAY == "dies":
        os._exit(3)
    if WAY == "huge":
        return "x" * 17_000_000
    if WAY == "changes":
        names[:] = ["whisper"]
        send({"method": "notifications/tools/list_changed"})
    if WAY == "asks":
        message = {"role": "user", "content": {"type": "text", "text": "hi"}}
        answered = ask("sampling/createMessage", {"messages": [message], "maxTokens": 1})
        form = ask(
            "elicitation/create", {"message": "your key?", "requestedSchema": {"type": "object", "properties": {}}}
        )
        return json.dumps([answered.get("error"), form.get("error")])
    return name


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    params = request.get("params", {})
    match request["method"]:
        case "initialize":
            about = {"name": "hostile", "version": "1"}
            abilities = {"tools": {"listChanged": True}}
            return {"protocolVersion": "2025-06-18", "capabilities": abilities, "serverInfo": about}
        case "tools/list":
            return listed(params.get("cursor"))
        case "tools/call":
            return {"content": [{"type": "text", "text": call(params["name"])}]}
        case _:
            return None


def main() -> None:
    if WAY == "many":
        names[:] = [f"tool{number}" for number in range(10_000)]
    if WAY == "names":
        names[:] = ["a b", "a/b", "a-b", "bash", "ü" * 3, "x" * 100, "x" * 101]
    if WAY in ("stubborn", "mute"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        with open(sys.argv[2], "w", encoding="utf-8") as file:  # noqa: PTH123 - a script of its own
            file.write(f"{os.getpid()} {child.pid}")
    for line in sys.stdin:
        if WAY in ("silent", "mute"):
            continue
        if WAY == "garbage":
            sys.stdout.buffer.write(b'starting up...\n\n{}\n[1]\n{"jsonrpc": 7}\nnull\n')
            sys.stdout.flush()
        if WAY == "binary":
            sys.stdout.buffer.write(b"\xff\xfe\x00\n")
            sys.stdout.flush()
        request = json.loads(line)
        if "id" in request and "method" in request:
            result = answer(request)
            unknown = {"code": -32601, "message": "Method not found"}
            send({"id": request["id"], **({"error": unknown} if result is None else {"result": result})})
    while WAY in ("stubborn", "mute"):
        signal.pause()


main()
