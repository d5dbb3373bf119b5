"""An agent that writes cells of Python, and nothing else."""

import re
from collections.abc import Sequence

from cloche.events import Action, AgentFinishAction, Event, IPythonRunCellAction, MessageAction
from cloche.llm import Message, ask
from cloche.session.agents.agent import StepState

_BLOCK = re.compile(r"^```(?:python|py)?[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)

PROMPT = """You work in a sandbox, by Python. Write one block of code between ```python and ``` in each answer.
It is run as a cell of a notebook, with `!command` for the shell and `%pip install` for packages. Its variables stay,
and you are shown what it prints. Look at the result before you go on. When the task is done, answer in plain text,
without code."""


class CodeAgent:
    """Runs the code in the model's answer; an answer without code ends the task."""

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        system = Message("system", "\n\n".join(filter(None, [PROMPT, state.instructions])))
        reply = await ask(state.llm, [system, *state.messages], on_text=state.on_text, on_restart=state.on_text)
        blocks: list[str] = _BLOCK.findall(reply.text)
        text = reply.text.strip()
        if not blocks and text and reply.finish_reason != "length":
            return [AgentFinishAction(text)]
        if not blocks:
            # No end of the task: it is empty, or only the beginning of an answer.
            return [MessageAction(text, wait_for_response=True)]
        thought = reply.text[: reply.text.index("```")].strip()
        return [
            IPythonRunCellAction(code, thought=thought if first else "", include_extra=False)
            for first, code in zip([True, *[False] * len(blocks)], blocks, strict=False)
        ]
