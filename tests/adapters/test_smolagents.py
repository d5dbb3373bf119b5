"""A CodeAgent of smolagents whose code runs in a sandbox."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from PIL import Image
from smolagents import ActionStep, AgentError, ChatMessage, CodeAgent, FinalAnswerTool, LogLevel, Model, Tool, tool

from cloche import ConfigError, SandboxUnavailable, SyncSandbox
from cloche.adapters.smolagents import ANSWER_TYPE, ClocheExecutor
from tests.adapters.page import run_example

SHOW_PICTURE = """
from IPython.display import Image
from base64 import b64decode
Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
"""


class ScriptedModel(Model):
    """Says these pieces of code, one after another."""

    def __init__(self, *steps: str) -> None:
        super().__init__()
        self.steps = iter(steps)

    def generate(self, messages: list[ChatMessage], *_: Any, **__: Any) -> ChatMessage:
        return ChatMessage(role="assistant", content=f"Next.\n<code>\n{next(self.steps)}\n</code>")  # pyright: ignore[reportArgumentType] - it takes text too


@tool
def double(number: int) -> int:
    """Doubles a number.

    Args:
        number: The number.
    """
    return number * 2


class ShoutedAnswer(FinalAnswerTool):
    def forward(self, answer: str) -> str:
        return answer.upper()


@pytest.fixture(scope="module")
def executor() -> Iterator[ClocheExecutor]:
    with ClocheExecutor() as executor:
        executor.send_tools({"final_answer": FinalAnswerTool()})
        yield executor


def test_an_agent_gets_to_its_answer() -> None:
    model = ScriptedModel(
        "squares = [n * n for n in range(start)]\nprint('made')",
        "square[3]",
        "squares",
        "final_answer(double(sum(squares)))",
        "final_answer(len(squares))",
    )
    with CodeAgent([double], model, executor=ClocheExecutor(), verbosity_level=LogLevel.OFF) as agent:
        assert agent.run("Sum the squares.", additional_args={"start": 10}) == 570
        steps = [step for step in agent.memory.steps if isinstance(step, ActionStep)]
        assert "made" in (steps[0].observations or "")
        assert steps[1].error is not None
        assert "Did you mean: 'squares'" in steps[1].error.message
        assert "[0, 1, 4, 9" in (steps[2].observations or "")
        # The next run has the same sandbox, and sends its tools again.
        assert agent.run("How many?") == 10


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("{'a': (1, 2.5), 'b': {3}, 4: None}", {"a": (1, 2.5), "b": {3}, 4: None}),
        ("b'\\x00\\xff'", b"\x00\xff"),
        ("__import__('datetime').date(2026, 1, 2)", date(2026, 1, 2)),
        ("'x' * 5_000_000", "x" * 5_000_000),
    ],
)
def test_answers_keep_their_types(executor: ClocheExecutor, answer: str, value: object) -> None:
    output = executor(f"print('thinking')\nfinal_answer({answer})")
    assert (output.output, output.logs, output.is_final_answer) == (value, "thinking\n", True)


def test_an_answer_that_is_no_data_is_an_error_for_the_model(executor: ClocheExecutor) -> None:
    with pytest.raises(AgentError, match="cannot send an object of type object: give it text"):
        executor("final_answer(object())")


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ('{"__type__": "PIL.Image", "data": "JSFQUy1BZG9iZQ=="}', "no PNG"),
        ('[{"__type__": "ndarray", "data": [1], "dtype": "S999999999"}]', "has the type S999999999"),
        ('{"__type__": "date", "data": "today"}', "isoformat"),
        ("[" * 100_000, "recursion"),
        ("{", "could not be read"),
    ],
)
def test_a_hostile_answer_is_an_error_for_the_model(executor: ClocheExecutor, payload: str, why: str) -> None:
    send = f"display({{{ANSWER_TYPE!r}: {payload!r}}}, raw=True)\nraise FinalAnswerException"
    with pytest.raises(AgentError, match=why):
        executor(send)
    with pytest.raises(AgentError, match="has sent none"):
        executor("raise FinalAnswerException")


def test_a_picture_comes_out(executor: ClocheExecutor) -> None:
    output = executor(SHOW_PICTURE).output
    assert isinstance(output, Image.Image)
    assert output.size == (1, 1)


def test_long_output_is_cut_and_a_timeout_keeps_variables() -> None:
    with ClocheExecutor(timeout=4) as executor:
        assert "characters left out" in executor("x = 41\nprint('y' * 1_000_000)").logs
        with pytest.raises(AgentError, match="stopped at its time limit"):
            executor("while True: pass")
        assert executor("x + 1").output == "42"


def test_tools_of_ones_own_are_sent() -> None:
    with ClocheExecutor() as executor:
        executor.send_tools({"final_answer": ShoutedAnswer()})
        assert executor("final_answer('done')").output == "DONE"


def test_a_given_sandbox_stays_open() -> None:
    with SyncSandbox() as box:
        with ClocheExecutor(box) as executor:
            executor("x = 1")
        with pytest.raises(SandboxUnavailable, match="this adapter is closed"):
            executor("x")
        assert box.run("x").value == "1"
        with pytest.raises(ConfigError, match="not both: memory_mb"):
            ClocheExecutor(box, memory_mb=128)


def test_what_a_tool_requires_is_installed() -> None:
    @tool
    def domain(name: str) -> str:
        """Encodes a name.

        Args:
            name: The name.
        """
        import idna

        return idna.encode(name).decode()

    tools: dict[str, Tool] = {"domain": domain}
    with ClocheExecutor() as executor:
        executor.send_tools(tools)
        assert executor("domain('bücher.example')").output == "'xn--bcher-kva.example'"


def test_managed_agents_are_refused() -> None:
    helper = CodeAgent([], ScriptedModel(), name="helper", description="Helps.", executor=ClocheExecutor())
    agent = CodeAgent([], ScriptedModel(), managed_agents=[helper], executor=ClocheExecutor())
    with agent, pytest.raises(ValueError, match="cannot call managed agents: leave out helper"):
        agent.run("Go.")


def test_the_page_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("smolagents", ScriptedModel("final_answer(sum(n * n for n in range(10)))"))
    assert capsys.readouterr().out.endswith("\n285\n")
