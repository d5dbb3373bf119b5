"""What an agent sees of `cloche mcp`: its tools, output while code runs, structured answers, files as resources."""

import os

import anyio
from mcp import Client, StdioServerParameters

SERVER = StdioServerParameters(command="cloche", args=["mcp"], env=dict(os.environ))


async def hear(progress: float, total: float | None, message: str | None) -> None:
    """What the code has printed by now."""
    print("while it runs:", (message or "").strip())


async def main() -> None:
    """Call the server as an agent would."""
    async with Client(SERVER) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
        code = "print('counting'); squares = [n * n for n in range(5)]; squares"
        result = await client.call_tool("run_python", {"code": code}, progress_callback=hear)
        answer: dict[str, object] = result.structured_content or {}
        print("value:", answer["value"])
        await client.call_tool("run_bash", {"command": "python3 -c 'print(6 * 7)' > answer.txt"})
        for file in (await client.list_resources()).resources:
            content = (await client.read_resource(file.uri)).contents[0]
            print("file:", file.uri, content.model_dump(include={"text"}))


anyio.run(main)
