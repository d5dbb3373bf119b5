"""A LangChain agent that runs bash in a sandbox."""

from collections.abc import Sequence
from typing import Any, Self

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from cloche.adapters.langchain import ClocheToolkit

SCRIPT = [
    AIMessage("", tool_calls=[{"name": "run_bash", "args": {"command": "seq 20 > numbers"}, "id": "1"}]),
    AIMessage("", tool_calls=[{"name": "run_bash", "args": {"command": "grep -c 1 numbers; exit 3"}, "id": "2"}]),
    AIMessage("Eleven of the numbers up to 20 have a 1 in them."),
]


class ScriptedModel(GenericFakeChatModel):
    """Stands in for your model, which goes to create_agent instead: create_agent("provider:model", ...)."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Self:
        return self


def main() -> None:
    with ClocheToolkit(tools=["run_bash"]) as kit:
        agent = create_agent(ScriptedModel(messages=iter(SCRIPT)), kit.get_tools())
        done = agent.invoke({"messages": [("user", "How many numbers up to 20 have a 1 in them?")]})
    for message in done["messages"]:
        if message.type in ("tool", "ai") and message.content:
            print(f"{message.type}: {message.content}")


if __name__ == "__main__":
    main()
