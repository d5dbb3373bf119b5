"""A chat model of LangChain that makes the calls of a script."""

from collections.abc import Sequence
from typing import Any, Self

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

Call = tuple[str, dict[str, Any]]
TASK = {"messages": [HumanMessage("Go.")]}


class ScriptedModel(GenericFakeChatModel):
    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Self:
        return self


def make_model(*turns: list[Call]) -> ScriptedModel:
    """A model that makes these calls, turn by turn, and is done."""
    calls = [
        [{"name": name, "args": args, "id": f"{turn}-{number}"} for number, (name, args) in enumerate(each)]
        for turn, each in enumerate(turns)
    ]
    return ScriptedModel(messages=iter([*(AIMessage("", tool_calls=each) for each in calls), AIMessage("done")]))


def read_answers(state: dict[str, list[AnyMessage]]) -> list[str]:
    """What the tools have answered in a run that came to its end."""
    assert state["messages"][-1].text == "done"
    return [message.text for message in state["messages"] if isinstance(message, ToolMessage)]
