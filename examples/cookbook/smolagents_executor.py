"""A smolagents CodeAgent whose code runs in a sandbox."""

import json
from typing import Any

from smolagents import ChatMessage, CodeAgent, LogLevel, Model, Tool
from smolagents.local_python_executor import CodeOutput, PythonExecutor

import cloche

FINAL_ANSWER = """
import json as _json
class FinalAnswer(BaseException): pass
def final_answer(answer): raise FinalAnswer(_json.dumps(answer))
"""


class ClocheExecutor(PythonExecutor):
    """Runs each piece of code as a cell of one sandbox; what leaves it is text and JSON, never a pickle."""

    def __init__(self, box: cloche.SyncSandbox) -> None:
        self._box = box

    def send_tools(self, tools: dict[str, Tool]) -> None:
        # Tools are code of yours, and this code has no way back to it.
        if others := tools.keys() - {"final_answer"}:
            raise ValueError(f"ClocheExecutor cannot call tools of the host: leave out {', '.join(sorted(others))}")
        self._box.run(FINAL_ANSWER, check=True)

    def send_variables(self, variables: dict[str, Any]) -> None:
        self._box.run(f"import json; globals().update(json.loads({json.dumps(variables)!r}))", check=True)

    def __call__(self, code_action: str) -> CodeOutput:
        result = self._box.run(code_action, timeout=30)
        logs = "".join(text for _, text in result.output)
        if result.error and result.error.type == "FinalAnswer":
            return CodeOutput(output=json.loads(result.error.message), logs=logs, is_final_answer=True)
        if result.timed_out or result.error:
            raise RuntimeError(f"{logs}\n{result.error.traceback if result.error else 'stopped after 30 seconds'}")
        return CodeOutput(output=result.value, logs=logs, is_final_answer=False)


class ScriptedModel(Model):
    """Stands in for your model, such as smolagents' InferenceClientModel or OpenAIServerModel."""

    steps = iter(["squares = [n * n for n in range(10)]\nprint(squares)", "square[3]", "final_answer(sum(squares))"])

    def generate(self, messages: list[ChatMessage], *_: Any, **__: Any) -> ChatMessage:
        return ChatMessage(role="assistant", content=f"Next step.\n<code>\n{next(self.steps)}\n</code>")


def main() -> None:
    with cloche.SyncSandbox() as box:
        agent = CodeAgent(tools=[], model=ScriptedModel(), executor=ClocheExecutor(box), verbosity_level=LogLevel.OFF)
        print(agent.run("What is the sum of the first ten squares?"))


if __name__ == "__main__":
    main()
