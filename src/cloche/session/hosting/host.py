"""What all sessions of a server share."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from anyio.abc import TaskGroup
from msgspec import Struct, field
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.errors import ConfigError
from cloche.events import SQLiteStore, Store
from cloche.llm import LLM
from cloche.runtime import PyodideRuntime, get_runtime_cls
from cloche.runtime.remote.remote_executor import REMOTE
from cloche.sandbox.pool.pool import Pool
from cloche.session.agents import find_agent
from cloche.session.agents.registry import is_script, needs_model
from cloche.session.hosting.disk_use import DiskUse
from cloche.session.hosting.places import Places
from cloche.session.hosting.records import NewSession, SessionDetails, read_details
from cloche.session.hosting.sandbox_wish import grant_wish
from cloche.session.hosting.workspaces import Workspaces
from cloche.session.starting.repository import is_public

if TYPE_CHECKING:
    from cloche.session.hosting.hosted_session import HostedSession

PYODIDE = "pyodide"
"""The runtime that every user may have: its sandbox is closed."""


class Host(Struct, kw_only=True):
    """The parts of an open SessionManager."""

    config: AppConfig
    store: Store
    folder: Path | None
    """Where the store is, with the locks and the files of sessions; None if nothing is kept."""
    workspaces: Workspaces | None
    """None if sessions have the user's own folder, or temporary ones."""
    places: Places
    disk: DiskUse
    tasks: TaskGroup
    """Where sessions live."""
    model: LLM | None = None
    """The model of all sessions; None for the configured one."""
    pool: Pool | None = None
    closing: bool = False
    """Whether the server ends, so that nothing is started any more."""
    attached: "set[HostedSession]" = field(default_factory=set[Any])
    """The sessions that have clients."""

    def configure(self, wanted: NewSession) -> AppConfig:
        """The configuration of one session; raises ConfigError if there is no such model, or it asks for too much."""
        config = grant_wish(self.config, wanted.sandbox)
        if wanted.model is None:
            return config
        chosen = config.find_llm(wanted.model)
        agents = {name: replace(agent, llm_config=None) for name, agent in config.agents.items()}
        return replace(config, llm=chosen, agent=replace(config.agent, llm_config=None), agents=agents)

    def check(self, wanted: NewSession, owner: str) -> None:
        """Raise ConfigError if a session of this kind could not be started, or is not for this user."""
        config = self.configure(wanted)
        if owner:
            check_user_wish(config, wanted)
        if wanted.sandbox is not None and not self.is_embedded(wanted):
            raise ConfigError(f"the runtime {wanted.runtime or config.core.runtime} takes no options of a sandbox")
        get_runtime_cls(wanted.runtime or config.core.runtime)
        find_agent(config, wanted.agent)

    def has_agent(self, wanted: NewSession) -> bool:
        """Whether there is an agent that messages are for: one that is not a script, with a model if it needs one."""
        config = self.configure(wanted)
        name = wanted.agent or config.core.default_agent
        if is_script(config, name):
            return False
        has_model = self.model is not None or config.find_llm(config.find_agent().llm_config).model is not None
        return has_model or not needs_model(config, name)

    async def forget_files(self, sid: str) -> None:
        """Remove the files and variables of a session that does not run."""
        info = await self.store.session(sid)
        details = SessionDetails() if info is None else read_details(info)
        # First, so that folders that are left behind belong to nobody.
        await self.store.update_details(sid, {"workspace": None, "saved": None, "begun": None})
        if self.workspaces is not None:
            await to_thread.run_sync(self.workspaces.remove, details.workspace, details.saved)

    def is_embedded(self, wanted: NewSession) -> bool:
        """Whether a session has its sandbox on this machine."""
        name = wanted.runtime or self.config.core.runtime
        return get_runtime_cls(name) is PyodideRuntime and REMOTE not in self.config.mcp.servers


def check_user_wish(config: AppConfig, wanted: NewSession) -> None:
    """Raise ConfigError for what would lead users to what is the owner's: programs, files and networks of the host."""
    only = "only the owner of this server may choose it"
    if wanted.runtime not in (None, config.core.runtime, PYODIDE):
        raise ConfigError(f"the runtime {wanted.runtime!r}: {only}. Take {config.core.runtime!r} or {PYODIDE!r}")
    known = wanted.agent is None or wanted.agent in (*config.agents, config.core.default_agent)
    if not known and "." in str(wanted.agent):
        raise ConfigError(f"the agent {wanted.agent!r}: {only}. Take one by its name")
    if wanted.repository is not None and not is_public(wanted.repository):
        raise ConfigError(f"the repository {wanted.repository!r}: {only}. Give owner/name, or an https:// address")


def find_folder(store: Store) -> Path | None:
    """The folder in which a store keeps its sessions; None if it keeps none."""
    return store.path.parent if isinstance(store, SQLiteStore) else None
