"""What a driver can do with its peer."""

from abc import ABC, abstractmethod


class Session(ABC):
    """One started interpreter."""

    @abstractmethod
    async def value(self, expression: str) -> str:
        """The value of a Python expression as text."""

    @abstractmethod
    async def printed(self, code: str) -> int:
        """Run Python statements; how many characters of output arrived."""

    @abstractmethod
    async def bash(self, command: str) -> str:
        """What a shell command printed."""

    @abstractmethod
    async def stopped(self, code: str, seconds: float) -> "Session":
        """Run code that does not end, stop it after so long, and give what the user goes on with."""

    @abstractmethod
    async def close(self) -> None: ...


class Peer(ABC):
    """Something that runs code."""

    @abstractmethod
    async def open(self) -> Session:
        """Start one, as a user would; it need not be ready for code yet."""

    def version(self) -> str:
        return ""
