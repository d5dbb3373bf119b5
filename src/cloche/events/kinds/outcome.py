"""Nothing to do, and the observations that any action may get."""

from typing import ClassVar

from msgspec import Struct

__all__ = ["ErrorObservation", "NullAction", "NullObservation", "SuccessObservation", "UserRejectObservation"]


class NullAction(Struct, frozen=True):
    """Nothing to do."""

    kind: ClassVar[str] = "null"
    runnable: ClassVar[bool] = False

    @property
    def message(self) -> str:
        return "No action"


class ErrorObservation(Struct, frozen=True):
    """The action could not be done; `content` says why and what to do."""

    kind: ClassVar[str] = "error"

    content: str
    error_id: str = ""

    @property
    def message(self) -> str:
        return self.content


class SuccessObservation(Struct, frozen=True):
    """The action was done; there is nothing more to report."""

    kind: ClassVar[str] = "success"

    content: str

    @property
    def message(self) -> str:
        return self.content


class UserRejectObservation(Struct, frozen=True):
    """The user did not allow the action."""

    kind: ClassVar[str] = "user_rejected"

    content: str

    @property
    def message(self) -> str:
        return self.content


class NullObservation(Struct, frozen=True):
    """Nothing to report."""

    kind: ClassVar[str] = "null"

    content: str = ""

    @property
    def message(self) -> str:
        return "No observation"


OutcomeAction = NullAction
OutcomeObservation = ErrorObservation | SuccessObservation | UserRejectObservation | NullObservation
