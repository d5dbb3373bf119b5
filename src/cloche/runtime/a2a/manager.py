"""A2AManager: the remote agents of some servers, by name."""

import logging
from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anyio
from anyio import to_thread

from cloche.config import A2AServer
from cloche.errors import ClocheError, ConfigError, RemoteAgentUnknown
from cloche.limits import A2A_CONNECT_TIMEOUT
from cloche.runtime.a2a.updates import TaskUpdate

if TYPE_CHECKING:
    from cloche.runtime.a2a.remote_agent import RemoteAgent

log = logging.getLogger(__name__)

NAMED = 50
"""How many agents are named if one is unknown."""
HOW_TO_CONFIGURE = (
    'no A2A server is configured. Add its address to config.toml: [a2a] servers = ["https://agents.example.com"]'
)


class AgentServer:
    """A configured server, and its agent once its card was read."""

    def __init__(self, config: A2AServer) -> None:
        self.config = config
        host, slash, path = config.url.partition("://")[2].partition("?")[0].partition("/")
        self.place = (host.rpartition("@")[2] + slash + path).rstrip("/")
        """How it is called in messages."""
        self.agent: RemoteAgent | None = None


class A2AManager:
    """Reads the cards of the servers, and gives tasks to their agents; an unreachable one is reported, the others work.

    Takes addresses, or `A2AServer` with a key and a time limit.
    """

    def __init__(self, a2a_server_urls: Iterable[str | A2AServer] = ()) -> None:
        given = [A2AServer(url=each) if isinstance(each, str) else each for each in a2a_server_urls]
        self._servers = [AgentServer(each) for each in {each.url: each for each in given}.values()]
        self._turn = anyio.Lock()
        self.failures: dict[str, str] = {}
        """Why a server cannot be used, by its place."""

    @property
    def places(self) -> list[str]:
        """The addresses of all servers, without what may be secret."""
        return [server.place for server in self._servers]

    @property
    def has_servers(self) -> bool:
        """Whether any server is configured."""
        return bool(self._servers)

    async def initialize_agent_cards(self) -> None:
        """Read the cards that are not known yet, all at once, each within its time limit."""
        async with self._turn:
            missing = [server for server in self._servers if server.agent is None]
            if not missing:
                return
            try:
                await to_thread.run_sync(load_a2a)
            except ConfigError as error:
                self.failures = {server.place: str(error) for server in missing}
                return
            async with anyio.create_task_group() as tasks:
                for server in missing:
                    tasks.start_soon(self._read_card, server)

    def list_remote_agents(self) -> list[dict[str, Any]]:
        """All agents: `name`, `description`, and `skills` with their `name`, `description` and `examples`."""
        listed: list[dict[str, Any]] = []
        for name, server in self._names().items():
            assert server.agent is not None, "what has a name has a card"
            info = server.agent.info
            more = {"more_skills": info.more_skills} if info.more_skills else {}
            listed.append({"name": name, "description": info.description, "skills": info.skills, **more})
        return listed

    async def send_task(
        self,
        agent_name: str,
        message: str,
        sid: str,
        *,
        task_id: str | None = None,
        message_id: str | None = None,
    ) -> AsyncGenerator[TaskUpdate]:
        """Send a message and yield the updates of its task, until it is final or waits for someone.

        `sid` groups the messages of a session; `task_id` continues a task. The same `message_id` is the same message.
        Raises RemoteAgentError, and RemoteAgentUnknown for an unknown agent.
        """
        from cloche.runtime.a2a.remote_agent import OutgoingMessage

        agent = (await self.find(agent_name)).agent
        assert agent is not None, "what is found has a card"
        sent = OutgoingMessage(message, message_id or uuid4().hex, sid, task_id)
        async with aclosing(agent.send(sent)) as updates:
            async for update in updates:
                yield update

    async def cancel_task(self, agent_name: str, task_id: str) -> str:
        """Cancel a task of an agent; returns its state."""
        agent = (await self.find(agent_name)).agent
        assert agent is not None, "what is found has a card"
        return await agent.cancel(task_id)

    async def find(self, agent_name: str) -> AgentServer:
        """The server of an agent; one that could not be reached before is asked again."""
        known = self._names()
        if agent_name not in known and not self._clashing(agent_name):
            await self.initialize_agent_cards()
            known = self._names()
        if agent_name not in known:
            raise RemoteAgentUnknown(self._explain_unknown(agent_name))
        return known[agent_name]

    async def close(self) -> None:
        """Close all connections; may be called twice. The cards are read again when they are needed."""
        for server in self._servers:
            agent, server.agent = server.agent, None
            if agent is not None:
                await agent.close()

    async def _read_card(self, server: AgentServer) -> None:
        from cloche.runtime.a2a.address_guard import AddressGuard, list_keys
        from cloche.runtime.a2a.remote_agent import RemoteAgent

        self.failures.pop(server.place, None)
        try:
            keys = list_keys(server.config, tuple(each.config for each in self._servers))
            with anyio.fail_after(A2A_CONNECT_TIMEOUT):
                server.agent = await RemoteAgent.open(server.config.url, AddressGuard(keys))
        except TimeoutError:
            self.failures[server.place] = f"it gave no answer in {A2A_CONNECT_TIMEOUT:g} s"
        except ClocheError as error:
            self.failures[server.place] = str(error)
        if server.place in self.failures:
            log.warning("the A2A server %s cannot be used: %s", server.place, self.failures[server.place])

    def _names(self) -> dict[str, AgentServer]:
        """The agents by name; if several have the same, each has its server's place before it."""
        ready = [(server.agent.info.name, server) for server in self._servers if server.agent is not None]
        counts = Counter(name for name, _ in ready)
        return {name if counts[name] == 1 else f"{server.place}/{name}": server for name, server in ready}

    def _clashing(self, name: str) -> list[str]:
        """The full names of agents that share this name."""
        return [full for full, server in self._names().items() if server.agent and server.agent.info.name == name]

    def _explain_unknown(self, name: str) -> str:
        if not self._servers:
            return f"There is no remote agent `{name}`: {HOW_TO_CONFIGURE}"
        if clashing := self._clashing(name):
            names = " or ".join(f"`{each}`" for each in clashing)
            return f"More than one remote agent has the name `{name}`: use {names}."
        known = list(self._names())
        more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
        there_are = f"There is no remote agent `{name}`. There are: {', '.join(known[:NAMED]) or 'none'}{more}."
        return there_are + self.describe_failures()

    def describe_failures(self) -> str:
        """A sentence for each server that cannot be used."""
        return "".join(f" The A2A server {place} cannot be used: {why}." for place, why in self.failures.items())


def load_a2a() -> None:
    """Import the library, which takes a while; raises ConfigError if it is missing."""
    if find_spec("a2a") is None or find_spec("httpx") is None:
        raise ConfigError("remote agents need the extra `a2a`: pip install 'cloche[a2a]'")
    import_module("cloche.runtime.a2a.remote_agent")
