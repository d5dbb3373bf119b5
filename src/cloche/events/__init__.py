"""Actions, observations and the stream that stores them."""

from cloche.events import kinds
from cloche.events.actions import Action, AgentAction, RunnableAction
from cloche.events.codec import decode_event, encode_event, event_for_stock, event_from_dict, event_to_dict
from cloche.events.event import Body, Event, EventSource, Status, Unknown, new_event
from cloche.events.file_store import Files, FileStore, MemoryFileStore
from cloche.events.filter import EventFilter
from cloche.events.kinds import *
from cloche.events.masking import Masker
from cloche.events.observations import Observation
from cloche.events.registry import is_action, is_observation
from cloche.events.risk import AWAITING_CONFIRMATION, CONFIRMED, REJECTED, ActionSecurityRisk
from cloche.events.stores import MemoryStore, SessionInfo, SQLiteStore, Store
from cloche.events.stream import EventStream
from cloche.events.subscribers import Lagged

__all__: list[str] = [
    "AWAITING_CONFIRMATION",
    "CONFIRMED",
    "REJECTED",
    "Action",
    "ActionSecurityRisk",
    "AgentAction",
    "Body",
    "Event",
    "EventFilter",
    "EventSource",
    "EventStream",
    "FileStore",
    "Files",
    "Lagged",
    "Masker",
    "MemoryFileStore",
    "MemoryStore",
    "Observation",
    "RunnableAction",
    "SQLiteStore",
    "SessionInfo",
    "Status",
    "Store",
    "Unknown",
    "decode_event",
    "encode_event",
    "event_for_stock",
    "event_from_dict",
    "event_to_dict",
    "is_action",
    "is_observation",
    "new_event",
]
__all__ += kinds.__all__
