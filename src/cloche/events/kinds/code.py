"""Code in the session's Python, or in any language of the sandbox."""

from typing import Any, ClassVar

from msgspec import Struct

from cloche.events.risk import CONFIRMED, UNKNOWN_RISK, ActionSecurityRisk

__all__ = ["IPythonRunCellAction", "IPythonRunCellObservation", "RunCodeAction", "RunCodeObservation"]


class IPythonRunCellAction(Struct, frozen=True):
    """Run a cell in the session's Python."""

    kind: ClassVar[str] = "run_ipython"
    runnable: ClassVar[bool] = True

    code: str
    thought: str = ""
    include_extra: bool = True
    """Add the working directory and the interpreter after the output."""
    confirmation_state: str = CONFIRMED
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    kernel_init_code: str = ""
    """Code that runs once, before the first cell that carries it."""

    @property
    def message(self) -> str:
        return f"Running Python code interactively: {self.code}"


class RunCodeAction(Struct, frozen=True):
    """Run code in any language of the sandbox; state stays for the next call."""

    kind: ClassVar[str] = "run_code"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    language: str
    code: str
    stdin: str | None = None
    thought: str = ""
    confirmation_state: str = CONFIRMED
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    call: str = ""
    """Names the call of a client that runs it, which alone has all of it: arguments, input, displays."""

    @property
    def message(self) -> str:
        return f"Running {self.language} code: {self.code}"


class IPythonRunCellObservation(Struct, frozen=True):
    """What a cell printed and showed; pictures as data URLs."""

    kind: ClassVar[str] = "run_ipython"
    own: ClassVar[tuple[str, ...]] = ("displays",)

    content: str
    code: str = ""
    image_urls: list[str] | None = None
    displays: list[dict[str, Any]] | None = None
    """Rich displays, each as `{"data": {MIME type: content}, "metadata": {...}}`."""

    @property
    def success(self) -> bool:
        return True

    @property
    def message(self) -> str:
        return "Code executed in IPython cell."


class RunCodeObservation(Struct, frozen=True):
    """What code of a language printed, its value, and the error that ended it."""

    kind: ClassVar[str] = "run_code"
    ours: ClassVar[bool] = True
    own: ClassVar[tuple[str, ...]] = ("displays",)

    content: str
    language: str
    code: str = ""
    value: str | None = None
    error: dict[str, Any] | None = None
    """type, message, line, column, traceback."""
    exit_code: int = 0
    state: str = "kept"
    """`lost` if the code could only be stopped by ending its interpreter."""
    timed_out: bool = False
    image_urls: list[str] | None = None
    displays: list[dict[str, Any]] | None = None
    """Rich displays, each as `{"data": {MIME type: content}, "metadata": {...}}`."""

    @property
    def success(self) -> bool:
        return self.exit_code == 0

    @property
    def message(self) -> str:
        return f"{self.language} code executed with exit code {self.exit_code}."


CodeAction = IPythonRunCellAction | RunCodeAction
CodeObservation = IPythonRunCellObservation | RunCodeObservation
