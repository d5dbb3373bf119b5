"""The sandbox of a client: where it comes from, and what is done with it."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from uuid import uuid4

import anyio

from cloche.config import AppConfig
from cloche.errors import SandboxUnavailable
from cloche.events import Event, Observation, is_action
from cloche.runtime.live_output import OnOutput
from cloche.runtime.pyodide import PyodideRuntime
from cloche.runtime.verbs import Work


class ClientSandbox(ABC):
    """Opens a sandbox when it is needed, and closes it. A server with sessions has one of its own."""

    @property
    def session(self) -> str | None:
        """The id of the session that it belongs to, if there are sessions."""
        return None

    @property
    @abstractmethod
    def runtime(self) -> PyodideRuntime | None:
        """The connected runtime; None while there is none."""

    @property
    @abstractmethod
    def id(self) -> str:
        """Names this sandbox; the one after it has another id."""

    @abstractmethod
    async def open(self) -> PyodideRuntime:
        """The connected runtime, a new one if there is none; raises SandboxUnavailable after the end."""

    @abstractmethod
    async def perform(self, action: Event, work: Work) -> Observation:
        """Have `work` do what an action says, so that the action and its observation are on record."""

    @abstractmethod
    async def execute(self, event: Event, key: str | None, on_output: OnOutput | None) -> Observation:
        """Execute the action of an event; one that is sent again with the same key is not executed again."""

    @abstractmethod
    async def stop_orphan(self) -> None:
        """Stop the action that `execute` runs, if nobody waits for it any more, and nothing else."""

    @abstractmethod
    async def renew(self, action: Event) -> None:
        """Throw the sandbox away, with its files: the next use has a new one. On record it is this action."""

    @abstractmethod
    async def close(self) -> None:
        """End it for good."""

    def using(self) -> AbstractContextManager[None]:
        """While it is used; whoever closes unused sandboxes leaves it alone then."""
        return nullcontext()

    def take_notice(self) -> str:
        """What its client has to know at the next call."""
        return ""

    def part(self, notice: str) -> str:
        """What its client has to know when it comes back after this was closed."""
        return notice


class OwnSandbox(ClientSandbox):
    """A sandbox that belongs to its client alone; nothing is on record."""

    def __init__(self, name: str, config: AppConfig, *, spare: PyodideRuntime | None = None) -> None:
        self._name = name
        self._config = config
        self._runtime = spare
        self._starting = anyio.Lock()
        self._id = uuid4().hex
        self._ended = False

    @property
    def runtime(self) -> PyodideRuntime | None:
        return self._runtime

    @property
    def id(self) -> str:
        return self._id

    async def open(self) -> PyodideRuntime:
        async with self._starting:
            if self._runtime is None and not self._ended:
                runtime = PyodideRuntime(self._config, sid=self._name)
                await runtime.connect()
                self._runtime = runtime
                if self._ended:
                    # It ended meanwhile, so the runtime is closed here.
                    await self._let_go()
            if self._runtime is None:
                raise SandboxUnavailable("this session has ended: begin another")
            return self._runtime

    async def perform(self, action: Event, work: Work) -> Observation:
        return await work(_ignore)

    async def execute(self, event: Event, key: str | None, on_output: OnOutput | None) -> Observation:
        assert is_action(event.body), "anything else is refused before"
        runtime = await self.open()
        return await runtime.execute(event.body, timeout=event.timeout, key=key, on_output=on_output)

    async def stop_orphan(self) -> None:
        if self._runtime is not None:
            await self._runtime.interrupt_action()

    async def renew(self, action: Event) -> None:
        await self._let_go()

    async def close(self) -> None:
        self._ended = True
        await self._let_go()

    async def _let_go(self) -> None:
        runtime, self._runtime = self._runtime, None
        self._id = uuid4().hex
        if runtime is not None:
            await runtime.close()


def _ignore(_: str, __: str) -> None:
    """Nobody listens."""
