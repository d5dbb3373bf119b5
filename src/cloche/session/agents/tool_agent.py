"""An agent that works by calling tools."""

from collections.abc import Sequence

from msgspec import structs

from cloche.events import Action, Event, MessageAction
from cloche.llm import Message, ask
from cloche.session.agents.agent import StepState

PROMPT = """You work on tasks in a sandbox: a Linux-like machine with bash, Python and other languages, whose folder is
/workspace. Nothing outside of it can be reached except what your tools offer.

- Look before you change anything, and check afterwards: run the tests, or the program.
- Do what was asked, and no more. Say plainly what you could not do.
- If something fails twice, try another way.
- If you need to know something that only the user knows, ask in plain text, without a tool.
- When the task is done, call finish with a short summary for the user."""


class ToolAgent:
    """Offers the session's tools to the model; an answer without a tool is a message to the user."""

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        system = Message("system", "\n\n".join(filter(None, [PROMPT, state.instructions])))
        tools = state.tools.specs
        reply = await ask(state.llm, [system, *state.messages], tools, on_text=state.on_text, on_restart=state.on_text)
        if reply.tool_calls:
            return state.tools.read_reply(structs.replace(reply, text=reply.text.strip()))
        return [MessageAction(reply.text.strip(), wait_for_response=True)]
