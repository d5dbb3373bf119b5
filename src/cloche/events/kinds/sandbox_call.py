"""What a client has done with the sandbox of a session itself, besides running code."""

from typing import Any, ClassVar

from msgspec import Struct, field

__all__ = ["SandboxCallAction", "SandboxCallObservation"]


class SandboxCallAction(Struct, frozen=True):
    """A client calls a method of the sandbox, such as `install`; data of files is not in the event."""

    kind: ClassVar[str] = "sandbox_call"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    verb: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    call: str = ""
    """Names the call of the client, which alone has all of it."""

    @property
    def message(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"Calling {self.verb}({given})"


class SandboxCallObservation(Struct, frozen=True):
    """How the call ended; what it returned is in short."""

    kind: ClassVar[str] = "sandbox_call"
    ours: ClassVar[bool] = True

    content: str
    verb: str = ""

    @property
    def message(self) -> str:
        return f"{self.verb}: {self.content}" if self.content else f"{self.verb} is done."


SandboxAction = SandboxCallAction
SandboxObservation = SandboxCallObservation
