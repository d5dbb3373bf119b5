"""SessionManager: the sessions of a server."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from types import TracebackType
from typing import Any, Self
from uuid import uuid4
from weakref import WeakValueDictionary

import anyio
from anyio import to_thread

from cloche.config import AppConfig, load_config
from cloche.errors import ClocheError, SessionError, SessionTaken, SessionUnknown
from cloche.events import Event, EventStream, SessionInfo, Store, is_observation
from cloche.limits import SERVER_CLOSE
from cloche.llm import LLM
from cloche.runtime import PyodideRuntime
from cloche.sandbox.pool.stats import PoolStats
from cloche.session.hosting.disk_use import DiskUse
from cloche.session.hosting.expiry import close_unneeded
from cloche.session.hosting.forking import fork_session
from cloche.session.hosting.host import Host, find_folder
from cloche.session.hosting.hosted_session import HostedSession
from cloche.session.hosting.open_actions import answer_open_actions
from cloche.session.hosting.places import Places, default_places
from cloche.session.hosting.records import (
    NewSession,
    SessionDetails,
    SessionView,
    plain_details,
    read_details,
)
from cloche.session.hosting.server_lock import ServerLock
from cloche.session.hosting.views import make_view
from cloche.session.hosting.workspaces import Workspaces
from cloche.session.open_store import open_configured_store
from cloche.session.starting.run_note import RUNNING_SINCE, is_interrupted
from cloche.session.starting.session_lock import SessionLock

log = logging.getLogger(__name__)

ENDED = "its server or program ended before it was begun. Send it again if it is still wanted."


class SessionManager:
    """Holds the sessions of a server: those that run, and those that are stored until somebody needs them.

    Use it as an async context manager. A data folder is used by one manager at a time.
    """

    def __init__(
        self, config: AppConfig | None = None, *, store: Store | None = None, model: LLM | None = None
    ) -> None:
        """`store` is not yet open; by default the configured one. `model` is for all sessions, instead of [llm]."""
        self._config = config
        self._store = store
        self._model = model
        self._host: Host | None = None
        self._sessions: WeakValueDictionary[str, HostedSession] = WeakValueDictionary()
        self._stack = AsyncExitStack()
        self._listeners: list[Callable[[str, Sequence[Event]], None]] = []

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            self._host = await self._open(stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        host = self._open_host
        try:
            await self.stop_all()
        finally:
            host.tasks.cancel_scope.cancel()
            # Without the error, which a task group would wrap.
            await self._stack.__aexit__(None, None, None)
            self._host = None

    async def stop_all(self) -> None:
        """End all sessions for good, at the same time; what runs in them has its one observation."""
        self._open_host.closing = True
        with anyio.CancelScope(shield=True, deadline=anyio.current_time() + SERVER_CLOSE):
            async with anyio.create_task_group() as tasks:
                for session in self._list_known():
                    tasks.start_soon(session.stop)

    async def create(
        self, owner: str, wanted: NewSession, *, tokens: Mapping[str, str] | None = None, sid: str | None = None
    ) -> HostedSession:
        """Store a new session, with this id if one is given, and start it in the background.

        `tokens` of git providers are kept in memory only. Raises ConfigError if there is no such runtime, agent or
        model, or one that only the server's owner may have, SessionLimit if no more sessions may run, and DiskLimit
        if there is no room for its files.
        """
        host = self._open_host
        await to_thread.run_sync(host.check, wanted, owner)
        host.places.check(owner)
        await host.disk.demand_room(owner)
        sid, details = sid or uuid4().hex, SessionDetails(owner=owner, wanted=wanted, hosted=True)
        session = HostedSession(host, sid, owner, details, tokens)
        host.places.hold(session)
        try:
            if not await host.store.create(sid, plain_details(details)):
                raise SessionError(f"there is a session {sid} already")
            if wanted.title:
                await host.store.rename(sid, wanted.title)
        except BaseException:
            host.places.give_back(sid)
            raise
        self._sessions[sid] = session
        session.start_soon()
        return session

    async def list_sessions(
        self, owner: str | None = None, *, search: str = "", limit: int = 100, offset: int = 0
    ) -> list[SessionView]:
        """The sessions of a user, or of all, the most recently used first; those with this text if one is given."""
        host = self._open_host
        # What belongs to the server's owner has none in its details.
        whose = {} if owner is None else {"owner": owner or None}
        page = await host.store.sessions({"parent": None, **whose}, search=search, limit=limit, offset=offset)
        killed = await to_thread.run_sync(self._list_interrupted, page)
        return [
            make_view(
                each,
                host.config,
                self._sessions.get(each.sid),
                read_details(each).owner,
                interrupted=each.sid in killed,
            )
            for each in page
        ]

    def _list_interrupted(self, page: Sequence[SessionInfo]) -> set[str]:
        """Those that ran in a program that was killed since the server started."""
        return {
            each.sid for each in page if each.sid not in self._sessions and is_interrupted(each, self._open_host.folder)
        }

    def listen(self, hear: Callable[[str, Sequence[Event]], None]) -> None:
        """Tell a function of all events that are stored; before the sessions are opened."""
        self._listeners.append(hear)

    async def find(self, sid: str) -> HostedSession:
        """The session of this id, which is not started by that; raises SessionUnknown if there is none."""
        if (session := self._sessions.get(sid)) is not None:
            return session
        host = self._open_host
        info = await host.store.session(sid)
        if info is None:
            raise SessionUnknown(f"there is no session {sid[:128]!r}")
        details = read_details(info)
        owner = details.owner if details.parent is None else (await self.find(details.parent)).owner
        # Somebody else may have found it meanwhile.
        return self._sessions.setdefault(sid, HostedSession(host, sid, owner, details))

    async def rename(self, sid: str, title: str) -> None:
        """Give a session a title."""
        await self.find(sid)
        await self._open_host.store.rename(sid, title)

    async def stop(self, sid: str) -> None:
        """End what runs in a session; its events and files stay."""
        await (await self.find(sid)).stop()

    async def delete(self, sid: str) -> None:
        """Delete a session with its events, files, and the parts of its work that other agents have done.

        Raises SessionTaken if it runs in another process.
        """
        session, host = await self.find(sid), self._open_host
        if session.parent is not None:
            raise SessionError(f"{sid} was not deleted: it is a part of the session {session.parent}")
        await session.forget()
        lock = SessionLock(sid, host.folder)
        try:
            await to_thread.run_sync(lock.take)
        except SessionTaken:
            session.remember()
            raise
        try:
            await self._erase(host, sid)
            self._sessions.pop(sid, None)
            await to_thread.run_sync(lock.discard)
        finally:
            lock.release()

    async def _erase(self, host: Host, sid: str) -> None:
        info = await host.store.session(sid)
        details = SessionDetails() if info is None else read_details(info)
        found = [sid]
        for each in found:
            found += [part.sid for part in await host.store.sessions({"parent": each})]
        for each in reversed(found):
            await EventStream(each, host.store).delete()
        if host.workspaces is not None:
            await to_thread.run_sync(host.workspaces.remove, details.workspace, details.saved)

    async def fork(self, sid: str, at: int | None, owner: str) -> HostedSession:
        """A new session with the events of another one up to `at`, or all of them; it is not started.

        Nothing that was done is done again. With the latest event it has the files and variables too, as far as they
        can be had; a status in it says how far. Raises EventError if there is no such event, and DiskLimit if there is
        no room for its files.
        """
        await self._open_host.disk.demand_room(owner)
        session = await self.find(sid)
        return await self.find(await fork_session(self._open_host, session.stream, session.open_runtime, at, owner))

    async def send(self, sid: str, message: dict[str, Any]) -> None:
        """Tell all clients of a session something that is not stored."""
        (await self.find(sid)).tell(message)

    def send_all(self, message: dict[str, Any]) -> None:
        """Tell the clients of all sessions something that is not stored."""
        for session in list(self._open_host.attached):
            session.tell(message)

    @property
    def has_agent(self) -> bool:
        """Whether sessions that ask for nothing else have an agent that messages are for."""
        return self._open_host.has_agent(NewSession())

    @property
    def disk(self) -> DiskUse:
        """What the files of users take."""
        return self._open_host.disk

    def count_running(self) -> int:
        """How many sessions run, start or end."""
        return len(self._open_host.places)

    @property
    def pool(self) -> PoolStats | None:
        """The state of the pool; None if there is none."""
        pool = self._open_host.pool
        return None if pool is None else pool.stats

    @property
    def _open_host(self) -> Host:
        if self._host is None:
            raise SessionError("these sessions are not open: use the SessionManager in an async with statement")
        return self._host

    async def _open(self, stack: AsyncExitStack) -> Host:
        config = self._config or await to_thread.run_sync(load_config)
        store = self._store or open_configured_store(config)
        folder = find_folder(store)
        if folder is not None:
            lock = ServerLock(folder)
            await to_thread.run_sync(lock.take)
            stack.callback(lock.release)
        await stack.enter_async_context(store)
        for hear in self._listeners:
            store.listen(hear)
        keeps = folder is not None and config.core.workspace is None
        workspaces = Workspaces(folder) if folder is not None and keeps else None
        host = Host(
            config=config,
            store=store,
            folder=folder,
            workspaces=workspaces,
            places=Places(default_places(config), config.server.max_sessions_per_user),
            disk=DiskUse(store, workspaces, config.server.disk_mb),
            tasks=anyio.create_task_group(),
            model=self._model,
        )
        store.listen(partial(self._note_actions, host.disk))
        await self._recover(host)
        if config.server.pool_size and config.core.workspace is None and host.is_embedded(NewSession()):
            size = config.server.pool_size
            kept_in = None if workspaces is None else workspaces.root
            host.pool = await stack.enter_async_context(
                PyodideRuntime.open_pool(config, size, max_size=host.places.most + size, workspaces=kept_in)
            )
        await stack.enter_async_context(host.tasks)
        host.tasks.start_soon(close_unneeded, host, self._list_known)
        host.tasks.start_soon(host.disk.run)
        return host

    def _note_actions(self, disk: DiskUse, sid: str, events: Sequence[Event]) -> None:
        """Have the files of a user measured after actions."""
        session = self._sessions.get(sid)
        if session is not None and any(is_observation(event.body) for event in events):
            disk.look_soon(session.owner)

    def _list_known(self) -> list[HostedSession]:
        return list(self._sessions.values())

    async def _recover(self, host: Host) -> None:
        """Answer what a server that was killed left open, and remove the files that belong to no session."""
        infos = await host.store.sessions()
        for info in infos:
            since = read_details(info).running_since
            if since is not None:
                await self._settle(host, info.sid, since)
        if host.workspaces is not None:
            known = [info.details.get(key) for info in infos for key in ("workspace", "saved")]
            named = {name for name in known if isinstance(name, str)}
            await to_thread.run_sync(host.workspaces.remove_others, named)

    async def _settle(self, host: Host, sid: str, since: int) -> None:
        lock = SessionLock(sid, host.folder)
        try:
            await to_thread.run_sync(lock.take)
        except SessionTaken:
            # It runs elsewhere, and what is open will be answered there.
            return
        try:
            await answer_open_actions(EventStream(sid, host.store), since - 1, ENDED)
            await host.store.update_details(sid, {RUNNING_SINCE: None})
        except ClocheError as error:
            # One session that is damaged must not cost the others their server.
            log.warning("what the session %s had left open could not be answered: %s", sid, error)
        finally:
            lock.release()
