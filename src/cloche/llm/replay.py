"""`model = "replay:..."`: the answers that a model gave in a recorded session, one after the other."""

import os
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread

from cloche.config.plain_values import is_list, is_table
from cloche.errors import ConfigError, EventError
from cloche.events import Event, EventStream, MessageAction, SQLiteStore, Store, event_from_dict, is_action
from cloche.limits import MB, RECORDING_LIMIT
from cloche.llm.faults import NOT_JSON
from cloche.llm.messages import Delta, Message, Reply, ToolSpec
from cloche.llm.model import LLM
from cloche.llm.recording import read_reply, reply_key
from cloche.llm.scripted import ScriptedLLM

PREFIX = "replay:"

_LISTS = ("replies", "events", "history", "trajectory")
"""Keys below which a file may have its list."""


class ReplayLLM(LLM):
    """Gives the answers of a session of a store, or of a file."""

    def __init__(self, source: str, *, store: Store | None = None) -> None:
        self.model = f"{PREFIX}{source}"
        self._source = source
        self._store = store
        self._script: ScriptedLLM | None = None

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> AsyncGenerator[Delta]:
        """The next recorded answer, whatever is asked; raises LLMRecordingEnded after the last one."""
        if self._script is None:
            self._script = _Recording(await self._read(), model=self.model)
        async with aclosing(self._script.stream(messages, tools)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        if self._script is not None:
            await self._script.close()

    async def _read(self) -> list[Reply]:
        path = await to_thread.run_sync(_find_file, self._source)
        if path is not None:
            return await to_thread.run_sync(read_recording, path)
        if self._store is not None:
            return await _read_session(self._source, self._store)
        store = SQLiteStore()
        await store.open()
        try:
            return await _read_session(self._source, store)
        finally:
            await store.close()


class _Recording(ScriptedLLM):
    _advice = "The session has left what was recorded, or there is no more of it"


def _find_file(source: str) -> Path | None:
    path = Path(source).expanduser()
    return path if "/" in source or os.sep in source or path.is_file() else None


async def _read_session(sid: str, store: Store) -> list[Reply]:
    try:
        stream = EventStream(sid, store)
    except ValueError as error:
        raise ConfigError(f'[llm] model = "{PREFIX}{sid}": {error}') from None
    replies = list(collect_replies([event async for event in stream.get_events() if _has_reply(event)]))
    if not replies:
        raise ConfigError(
            f'[llm] model = "{PREFIX}{sid}": there is no such file, and no session with this id has answers of a model'
        )
    return replies


def read_recording(path: Path) -> list[Reply]:
    """The replies in a file: JSON with a list, or one JSON object per line; of replies or of events."""
    try:
        items = list(_read_items(path))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}. It is named in [llm] model") from None
    except NOT_JSON as error:
        raise ConfigError(f"{path} has no recorded answers: {error}. It should be JSON, or a line of it each") from None
    try:
        replies = list(_read_replies(items))
    except (ValueError, EventError) as error:
        raise ConfigError(f"{path} has no recorded answers: {error}") from None
    if not replies:
        raise ConfigError(f"{path} has no recorded answers: none of its {len(items)} entries is one")
    return replies


def _read_items(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        data = file.read(RECORDING_LIMIT + 1)
    if len(data) > RECORDING_LIMIT:
        raise ConfigError(f"{path} is larger than {RECORDING_LIMIT // MB} MB. It is named in [llm] model")
    lines = [line for line in data.splitlines() if line.strip()]
    if len(lines) > 1 and _is_json(lines[0]):
        yield from map(msgspec.json.decode, lines)
        return
    found: Any = msgspec.json.decode(data)
    if is_table(found):
        found = next((found[name] for name in _LISTS if is_list(found.get(name))), [found])
    yield from found if is_list(found) else [found]


def _is_json(line: bytes) -> bool:
    try:
        return is_table(msgspec.json.decode(line))
    except NOT_JSON:
        return False


def _read_replies(items: Sequence[Any]) -> Iterator[Reply]:
    tables: list[dict[str, Any]] = [each for each in items if is_table(each)]
    if any("action" in each or "observation" in each for each in tables):
        yield from collect_replies(map(event_from_dict, tables))
        return
    for number, table in enumerate(tables, 1):
        try:
            yield read_reply(table)
        except ValueError as error:
            raise ValueError(f"entry {number}: {error}") from None


def collect_replies(events: Iterable[Event]) -> Iterator[Reply]:
    """The replies of a model from which the actions of a session were made.

    One reply may have led to several actions, each of which has it; observations repeat that of their action.
    """
    last = ""
    answered: set[Any] = set()
    for event in events:
        response, call = _find_response(event)
        if response is not None:
            # A reply that a model gave twice has the same tool calls twice.
            if (key := reply_key(response)) != last or call in answered:
                answered = set()
                yield read_reply(response)
            answered.add(call)
            last = key
        elif _has_reply(event) and isinstance(event.body, MessageAction):
            last = ""
            yield Reply(text=event.body.content)


def _has_reply(event: Event) -> bool:
    """Whether an event comes from a reply: actions have it with them, messages of the agent are all of it."""
    if not is_action(event.body):
        return False
    return event.tool_call_metadata is not None or (isinstance(event.body, MessageAction) and event.source == "agent")


def _find_response(event: Event) -> tuple[dict[str, Any] | None, str]:
    """The reply that an action was made from, and which of its tool calls the action is."""
    metadata = (event.tool_call_metadata or {}) if is_action(event.body) else {}
    response = metadata.get("model_response")
    return (response if is_table(response) else None), str(metadata.get("tool_call_id"))
