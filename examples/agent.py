"""An agent works in a sandbox. Here a scripted server stands in for the model, so no key is needed."""

import anyio
from msgspec.structs import replace

from cloche.config import AppConfig, LLMConfig
from cloche.events import MemoryFileStore, is_action
from cloche.llm import ToolCall
from cloche.llm.scripted_server import ScriptedServer
from cloche.session import AgentSession

ANSWERS = [
    ToolCall("1", "bash", '{"command": "printf \'3\\\\n1\\\\n2\\\\n\' > numbers; sort -n numbers | paste -sd+"}'),
    ToolCall("2", "python", '{"code": "sum(int(line) for line in open(\'numbers\'))"}'),
    ToolCall("3", "finish", '{"message": "1 + 2 + 3 is 6."}'),
]


async def main() -> None:
    async with ScriptedServer(ANSWERS) as server:
        config = replace(AppConfig(), llm=LLMConfig(model="scripted", base_url=server.base_url))
        session = AgentSession("demo", MemoryFileStore())
        await session.start("pyodide", config, initial_message="Write three numbers into a file, and add them.")
        try:
            state = await session.controller.wait()
            async for event in session.stream.get_events():
                if event.source != "environment":
                    text = event.message if is_action(event.body) else getattr(event.body, "content", "")
                    print(f"{event.source} {event.kind}: {str(text).strip().splitlines()[0]}")
            print(f"The agent is {state}.")
        finally:
            await session.close()


anyio.run(main)
