"""What a client says: a message for the agent, an action, or an answer to a question."""

import json
from typing import Any, cast

from a2a.types import Message
from a2a.utils.errors import ContentTypeNotSupportedError, InvalidParamsError
from google.protobuf.json_format import MessageToDict
from msgspec import Struct

from cloche.errors import EventError
from cloche.events import Event, event_from_dict, is_action
from cloche.limits import A2A_ID, A2A_TEXT

ACTION, CONFIRM = "action", "confirm"
OURS = {ACTION, CONFIRM}
"""The keys of data that we understand; other data are text for the agent."""
WORDS = {
    **dict.fromkeys(("yes", "y", "ok", "allow", "confirm"), True),
    **dict.fromkeys(("no", "n", "deny", "reject"), False),
}


class Incoming(Struct, frozen=True):
    """A message that was read."""

    id: str
    text: str
    action: Event | None = None
    """The action of a data part such as `{"action": "run", "args": {...}}`."""
    confirms: bool | None = None
    """The answer to a question about an action: a data part `{"confirm": true}`, or a word such as `yes`."""


def read_message(message: Message) -> Incoming:
    """Read a message; raises what the protocol has for one that is not understood."""
    if not 0 < len(message.message_id) <= A2A_ID:
        raise InvalidParamsError(message=f"a messageId has 1 to {A2A_ID} characters")
    texts: list[str] = []
    objects: list[dict[str, Any]] = []
    for part in message.parts:
        kind = part.WhichOneof("content")
        if kind == "text":
            texts.append(part.text)
        elif kind == "data":
            data: Any = MessageToDict(part.data)
            if isinstance(data, dict) and OURS & data.keys():
                objects.append(cast("dict[str, Any]", data))
            else:
                texts.append(json.dumps(data))
        else:
            raise ContentTypeNotSupportedError(message=f"parts are `text` or `data`, not `{kind or 'empty'}`")
    action, confirms = _read_action(objects), _read_confirmation(objects)
    text = "\n".join(texts)
    if len(text) > A2A_TEXT:
        raise InvalidParamsError(message=f"the message has {len(text)} characters, and may have {A2A_TEXT}")
    if confirms is None:
        confirms = WORDS.get(text.strip().strip(".!").lower())
    return Incoming(message.message_id, text, action, confirms)


def _read_action(objects: list[dict[str, Any]]) -> Event | None:
    found = [each for each in objects if ACTION in each]
    if not found:
        return None
    try:
        event = event_from_dict(found[0])
    except EventError as error:
        raise InvalidParamsError(message=str(error)) from error
    if len(found) > 1 or not is_action(event.body) or not event.body.runnable:
        raise InvalidParamsError(message="a message has one action, which is executed, such as `run`")
    return event


def _read_confirmation(objects: list[dict[str, Any]]) -> bool | None:
    found = [each[CONFIRM] for each in objects if isinstance(each.get(CONFIRM), bool)]
    return found[0] if found else None
