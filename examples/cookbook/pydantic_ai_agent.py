"""A Pydantic AI agent that runs Python in a sandbox."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cloche.adapters.pydantic_ai import ClocheToolset


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """What a model would say: three calls, the second of them wrong, then a sentence."""
    calls = ["import statistics; data = [3, 1, 4, 1, 5]", "statistic.mean(data)", "statistics.mean(data)"]
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    if turn < len(calls):
        return ModelResponse(parts=[ToolCallPart("run_python", {"code": calls[turn]})])
    return ModelResponse(parts=[TextPart(f"The mean is {messages[-1].parts[0].content}.")])


# Your model goes here, by its name: Agent("provider:model", ...).
agent = Agent(FunctionModel(answer), toolsets=[ClocheToolset(tools=["run_python"])], instructions="Do not guess.")

if __name__ == "__main__":
    print(agent.run_sync("What is the mean of 3, 1, 4, 1 and 5?").output)
