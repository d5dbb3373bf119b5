"""Calls of clients that use the sandbox of a runtime itself, each recorded as an action."""

from abc import ABC, abstractmethod

from cloche.errors import ClocheError
from cloche.runtime.live_output import Hear
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.results.result import Result


class BoxCall(ABC):
    """A call that is made when it is the turn of its action."""

    @abstractmethod
    async def perform(self, box: RecordedSandbox, hear: Hear) -> Result | str:
        """Make it, and tell the client; `hear` gets what is printed. Raises what the sandbox raises.

        Returns what the observation says.
        """

    @abstractmethod
    def refuse(self, error: ClocheError) -> ClocheError:
        """Tell the client that it is not made; returns the error."""
