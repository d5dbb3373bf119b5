"""A smolagents CodeAgent whose code runs in a sandbox."""

import base64
import binascii
import io
import json
import re
from pathlib import Path
from typing import Any, Unpack, cast

from cloche.adapters.held_sandbox import HeldSandbox, SandboxHolder
from cloche.adapters.missing import explain_missing
from cloche.limits import MCP_IMAGES, SHOWN_CHARACTERS
from cloche.options import SandboxOptions
from cloche.sandbox.results.readable import (
    PICTURES,
    Picture,
    drop_picture_name,
    find_pictures,
    format_result,
    shorten_output,
)
from cloche.sandbox.results.result import Result
from cloche.sandbox.sync import SyncSandbox

with explain_missing("smolagents"):
    from PIL import Image
    from smolagents.default_tools import FinalAnswerTool
    from smolagents.local_python_executor import CodeOutput
    from smolagents.monitoring import AgentLogger, LogLevel
    from smolagents.remote_executors import RemotePythonExecutor
    from smolagents.serialization import SafeSerializer
    from smolagents.tools import Tool
    from smolagents.utils import AgentError

FINAL_ANSWER = Path(__file__).with_name("final_answer.py").read_text()
ANSWER_TYPE = "application/vnd.cloche.final-answer"
_UNREADABLE = (ValueError, TypeError, LookupError, OSError, ArithmeticError, RecursionError)
"""What data can raise that are no answer."""
_NUMBERS = re.compile(r"bool|(u?int|float|complex)\d{1,3}")


class ClocheExecutor(SandboxHolder, RemotePythonExecutor):
    """Runs each piece of code as a cell of one sandbox: `CodeAgent(..., executor=ClocheExecutor())`.

    Tools are sent into the sandbox as source; variables and answers pass as JSON, never as pickles. Without `box` it
    has a sandbox of its own with these options, which `cleanup` ends, as `agent.cleanup()` does.
    """

    def __init__(
        self,
        box: SyncSandbox | None = None,
        *,
        logger: AgentLogger | None = None,
        **options: Unpack[SandboxOptions],
    ) -> None:
        # The agent's own logger tells of errors too.
        super().__init__(additional_imports=[], logger=logger or AgentLogger(level=LogLevel.OFF), allow_pickle=False)
        self._held = HeldSandbox(box, options)
        self._required: set[str] = set()

    def cleanup(self) -> None:
        """The same as `close`."""
        self.close()

    def run_code_raise_errors(self, code: str) -> CodeOutput:
        """Run a cell; an error of the code is an AgentError, which the model reads."""
        result = self._held.call(lambda box: box.run(code))
        logs = shorten_output("".join(text for _, text in result.output), SHOWN_CHARACTERS)
        if result.error is not None and result.error.type == self.FINAL_ANSWER_EXCEPTION:
            return CodeOutput(output=self._read_answer(result), logs=logs, is_final_answer=True)
        if not result.ok:
            raise AgentError(format_result(result, limit=SHOWN_CHARACTERS // 2), self.logger)
        return CodeOutput(output=_choose_output(result), logs=logs, is_final_answer=False)

    def send_tools(self, tools: dict[str, Tool]) -> None:
        """Send tools as source, and install what they require."""
        # Agents come with the tools, whatever the type says.
        given = cast("dict[str, object]", tools)
        if agents := [name for name, each in given.items() if not isinstance(each, Tool)]:
            raise ValueError(f"code in the sandbox cannot call managed agents: leave out {', '.join(agents)}")
        super().send_tools(tools)
        if "final_answer" in tools:
            self.run_code_raise_errors(FINAL_ANSWER)

    def install_packages(self, additional_imports: list[str]) -> list[str]:
        """Install packages that tools require."""
        if additional_imports:
            self._held.call(lambda box: box.install(*additional_imports))
        return additional_imports

    def _patch_final_answer_with_exception(self, final_answer_tool: FinalAnswerTool) -> None:
        """Leave the tool as it is: smolagents would have it import PIL, and patch it again with each run."""

    def _read_answer(self, result: Result) -> Any:
        """The final answer; code in the sandbox can send anything in its place."""
        try:
            answers = [display.data[ANSWER_TYPE] for display in result.displays if ANSWER_TYPE in display.data]
            if not answers:
                raise ValueError("the code has sent none")
            payload = json.loads(answers[-1])
            _check_payload(payload)
            return SafeSerializer.from_json_safe(payload)
        except _UNREADABLE as error:
            raise AgentError(f"the final answer could not be read: {error}", self.logger) from error


def _choose_output(result: Result) -> Any:
    """The value, or the picture that is shown in its place."""
    value = drop_picture_name(result).value
    shown = next((each for each in find_pictures(result.displays, MCP_IMAGES) if isinstance(each, Picture)), None)
    return value if shown is None or value is not None else _open_picture(shown.kind, shown.data)


def _open_picture(kind: str, data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data)), formats=[kind.removeprefix("image/")])


def _check_payload(payload: Any) -> None:
    """Refuse what is more than data for the libraries that read it: some picture formats are programs."""
    if isinstance(payload, list):
        for each in cast("list[Any]", payload):
            _check_payload(each)
    elif isinstance(payload, dict):
        fields = cast("dict[str, Any]", payload)
        match fields.get("__type__"):
            case "PIL.Image" if not _is_png(str(fields["data"])):
                raise ValueError("its picture is no PNG")
            case "ndarray" if not _NUMBERS.fullmatch(str(fields["dtype"])):
                raise ValueError(f"its array has the type {fields['dtype']}")
            case _:
                _check_payload(list(fields.values()))


def _is_png(data: str) -> bool:
    try:
        return base64.b64decode(data[:32]).startswith(PICTURES["image/png"])
    except binascii.Error:
        return False
