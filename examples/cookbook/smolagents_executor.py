"""A smolagents CodeAgent whose code runs in a sandbox."""

from typing import Any

from smolagents import ChatMessage, CodeAgent, LogLevel, Model, tool

from cloche.adapters.smolagents import ClocheExecutor


class ScriptedModel(Model):
    """Stands in for your model, such as smolagents' InferenceClientModel or OpenAIServerModel."""

    steps = iter(["squares = [n * n for n in range(10)]\nprint(squares)", "square[3]", "final_answer(total(squares))"])

    def generate(self, messages: list[ChatMessage], *_: Any, **__: Any) -> ChatMessage:
        return ChatMessage(role="assistant", content=f"Next step.\n<code>\n{next(self.steps)}\n</code>")


@tool
def total(numbers: list[int]) -> int:
    """The sum of numbers. Its source is sent into the sandbox.

    Args:
        numbers: The numbers.
    """
    return sum(numbers)


def main() -> None:
    with CodeAgent([total], ScriptedModel(), executor=ClocheExecutor(), verbosity_level=LogLevel.OFF) as agent:
        print(agent.run("What is the sum of the first ten squares?"))


if __name__ == "__main__":
    main()
