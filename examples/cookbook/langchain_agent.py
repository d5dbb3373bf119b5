"""A LangChain agent with a tool that runs bash."""

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool

import cloche

SCRIPT = [
    AIMessage("", tool_calls=[{"name": "run_bash", "args": {"command": "seq 20 > numbers"}, "id": "1"}]),
    AIMessage("", tool_calls=[{"name": "run_bash", "args": {"command": "grep -c 1 numbers; exit 3"}, "id": "2"}]),
    AIMessage("Eleven of the numbers up to 20 have a 1 in them."),
]


class ScriptedModel(GenericFakeChatModel):
    """Stands in for your model, which goes to create_agent instead: create_agent("provider:model", ...)."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Self:
        return self


def make_tool(box: cloche.Sandbox) -> BaseTool:
    """The tool, over a sandbox that stays the same for the whole conversation."""

    @tool
    async def run_bash(command: str) -> str:
        """Run a bash command. Files, variables and the working folder stay from call to call. There is no network."""
        result = await box.bash(command, timeout=30)
        output = "".join(text for _, text in result.output)[-10_000:]
        note = "the command was stopped after 30 seconds" if result.timed_out else f"exit code {result.exit_code}"
        return f"{output}[{note}]"

    return run_bash


async def main() -> None:
    async with cloche.Sandbox() as box:
        agent = create_agent(ScriptedModel(messages=iter(SCRIPT)), [make_tool(box)])
        question = {"role": "user", "content": "How many numbers up to 20 have a 1 in them?"}
        done = await agent.ainvoke({"messages": [question]})
    for message in done["messages"]:
        if message.type in ("tool", "ai") and message.content:
            print(f"{message.type}: {message.content}")


if __name__ == "__main__":
    asyncio.run(main())
