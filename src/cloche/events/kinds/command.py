"""Commands in the session's shell."""

from typing import ClassVar

from msgspec import Struct, field

from cloche.events.risk import CONFIRMED, UNKNOWN_RISK, ActionSecurityRisk

__all__ = ["CmdOutputMetadata", "CmdOutputObservation", "CmdRunAction"]


class CmdRunAction(Struct, frozen=True):
    """Run a command in the session's shell, or send input to the running one."""

    kind: ClassVar[str] = "run"
    runnable: ClassVar[bool] = True

    command: str
    """An empty one asks for new output of the running command."""
    is_input: bool = False
    """The command is typed into the running program; `C-c`, `C-d` and `C-z` are keys."""
    thought: str = ""
    blocking: bool = False
    """Do not answer before the end or the hard timeout, even without output."""
    is_static: bool = False
    """Run in a fresh shell, not in the session's."""
    cwd: str | None = None
    """The folder of such a fresh shell; the session's shell stays in its own."""
    hidden: bool = False
    confirmation_state: str = CONFIRMED
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Running command: {self.command}"


class CmdOutputMetadata(Struct, frozen=True):
    """How a command ended and the shell's folder; `prefix` and `suffix` frame its output for a reader."""

    exit_code: int = -1
    pid: int = -1
    username: str | None = None
    hostname: str | None = None
    working_dir: str | None = None
    py_interpreter_path: str | None = None
    prefix: str = ""
    suffix: str = ""


class CmdOutputObservation(Struct, frozen=True):
    """What a command printed, and its exit code: -1 while it is still running."""

    kind: ClassVar[str] = "run"

    content: str
    command: str = ""
    metadata: CmdOutputMetadata = field(default_factory=CmdOutputMetadata)
    hidden: bool = False

    @property
    def exit_code(self) -> int:
        return self.metadata.exit_code

    @property
    def success(self) -> bool:
        return self.metadata.exit_code == 0

    @property
    def message(self) -> str:
        return f"Command `{self.command}` executed with exit code {self.exit_code}."


CommandAction = CmdRunAction
CommandObservation = CmdOutputObservation
