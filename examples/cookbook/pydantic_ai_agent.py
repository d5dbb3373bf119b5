"""A Pydantic AI agent with a tool that runs Python."""

import asyncio

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import cloche


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """What a model would say: three calls, the second of them wrong, then a sentence."""
    calls = ["import statistics; data = [3, 1, 4, 1, 5]", "statistic.mean(data)", "statistics.mean(data)"]
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    if turn < len(calls):
        return ModelResponse(parts=[ToolCallPart("run_python", {"code": calls[turn]})])
    return ModelResponse(parts=[TextPart(f"The mean is {messages[-1].parts[0].content}.")])


# Your model goes here, by its name: Agent("provider:model", ...).
agent = Agent(FunctionModel(answer), deps_type=cloche.Sandbox, instructions="Compute; do not guess.")


@agent.tool
async def run_python(context: RunContext[cloche.Sandbox], code: str) -> str:
    """Run a cell of Python in a sandbox. Variables and files stay from call to call. There is no network.

    Args:
        code: The cell. The value of its last expression is part of the answer.
    """
    result = await context.deps.run(code, timeout=10)
    parts = [result.stdout, result.value or "", result.error.traceback if result.error else ""]
    return "\n".join(part for part in parts if part)[-10_000:] or "(no output)"


async def main() -> None:
    async with cloche.Sandbox() as box:
        done = await agent.run("What is the mean of 3, 1, 4, 1 and 5?", deps=box)
    print(done.output)


if __name__ == "__main__":
    asyncio.run(main())
