"""The actions that users may send, for OpenAPI: each kind with its arguments."""

from typing import Any, get_args

import msgspec
from msgspec import Struct

from cloche.events import ChangeAgentStateAction, LoopRecoveryAction, MessageAction, SandboxCallAction
from cloche.events.actions import RunnableAction
from cloche.limits import SESSION_KEY
from cloche.server.session import LONGEST
from cloche.server.wire import REFERENCE

SENT: tuple[type[Struct], ...] = (
    *(kind for kind in get_args(RunnableAction) if kind is not SandboxCallAction),
    *(MessageAction, ChangeAgentStateAction, LoopRecoveryAction),
)
"""The kinds that users send; the calls of remote sandboxes have a route of their own."""
LENIENT: dict[str, dict[str, Any]] = {
    "insert_line": {"anyOf": [{"type": ["integer", "null"]}, {"type": "string", "pattern": "^[0-9]{1,9}$"}]},
    "arguments": {"anyOf": [{"type": "object"}, {"type": "string", "pattern": r"^(\{\})?$"}]},
}
"""Arguments that are also taken in the form of earlier versions."""
LEFT_OUT = ("security_risk", "confirmation_state", "thought")
"""What agents say of their actions; users may, and it has no effect."""
KEY = {"type": ["string", "null"], "minLength": 1, "maxLength": SESSION_KEY}
SECONDS = {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": LONGEST}


def make_action_schema() -> dict[str, Any]:
    """One of the actions; what they hold besides is ignored."""
    return {"anyOf": [_describe_kind(kind) for kind in SENT]}


def _describe_kind(kind: Any) -> dict[str, Any]:
    args = _describe_arguments(kind)
    required = ["action", *(["args"] if args.get("required") else [])]
    own = {"key": KEY} if kind.runnable else {}
    return {
        "type": "object",
        "title": kind.__name__,
        "description": kind.__doc__ or "",
        "properties": {
            "action": {"const": kind.kind},
            "args": args if "args" in required else {"anyOf": [args, {"type": "null"}]},
            "timeout": SECONDS,
            "cloche": {"type": ["object", "null"], "properties": own},
        },
        "required": required,
    }


def _describe_arguments(kind: type[Struct]) -> dict[str, Any]:
    (_,), components = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    schema = components[kind.__name__]
    properties = {name: LENIENT.get(name, each) for name, each in schema["properties"].items() if name not in LEFT_OUT}
    return {"type": "object", "properties": properties, "required": schema["required"]}
