"""What models are offered as tools in a session, and what their calls mean."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from cloche.events import Action, ActionSecurityRisk, Event, MCPAction, new_event
from cloche.events.kinds.outcome import ErrorObservation
from cloche.llm import Reply, ToolCall, ToolSpec, record_reply
from cloche.llm.recording import record_call
from cloche.llm.tool_schema import read_description, read_schema
from cloche.runtime import Runtime
from cloche.runtime.codes import BAD_ACTION, NO_SUCH_TOOL
from cloche.session.agents.tool_arguments import BASIC, REMOTE, Arguments, Browse

MALFORMED = "the arguments of {name} are not what it takes: {why}. Call it again with arguments that fit its schema."
RISK = "security_risk"
_RISK_SCHEMA = {
    "type": "string",
    "enum": ["LOW", "MEDIUM", "HIGH"],
    "description": "Your own judgement of what this may damage.",
}


class Toolset:
    """The tools of a runtime, its MCP servers and remote agents; `rated` asks models for the risk of each call."""

    def __init__(self, runtime: Runtime | None = None, *, rated: bool = False) -> None:
        self._runtime = runtime
        self._rated = rated

    @property
    def specs(self) -> list[ToolSpec]:
        """All tools, as a model is told of them."""
        own = [ToolSpec(name, read_description(kind), self._schema(kind)) for name, kind in self._kinds().items()]
        outside = [] if self._runtime is None else self._runtime.tools.tools
        named = {_wire_name(tool.name): tool for tool in reversed(outside)}
        return own + [
            ToolSpec(name, tool.description, tool.input_schema)
            for name, tool in reversed(named.items())
            # APIs refuse two tools of one name; ours are meant by theirs.
            if name and name not in self._kinds()
        ]

    def read_reply(self, reply: Reply) -> list[Event]:
        """The actions that the tool calls of a reply mean; an error for each call that means none."""
        return [self._make_event(call, reply) for call in reply.tool_calls]

    def _make_event(self, call: ToolCall, reply: Reply) -> Event:
        first = call is reply.tool_calls[0]
        timeout: float | None = None
        try:
            body, timeout = self._read_call(call, reply.text if first else "")
        except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
            body = ErrorObservation(MALFORMED.format(name=call.name, why=error), BAD_ACTION)
        metadata = {
            "function_name": call.name,
            "tool_call_id": call.id,
            "model_response": record_reply(reply) if first else record_call(reply, call),
            "total_calls_in_response": len(reply.tool_calls),
        }
        return msgspec.structs.replace(new_event(body, "agent", timeout=timeout), tool_call_metadata=metadata)

    def _read_call(self, call: ToolCall, thought: str) -> tuple[Action | ErrorObservation, float | None]:
        given = msgspec.json.decode(call.arguments or "{}", type=dict[str, Any])
        risk = _read_risk(given.pop(RISK, None))
        kind = self._kinds().get(call.name)
        if kind is None:
            outside = self._outside_name(call.name)
            if outside is None:
                known = ", ".join(each.name for each in self.specs)
                return ErrorObservation(f"There is no tool {call.name!r}. There are: {known}.", NO_SUCH_TOOL), None
            return MCPAction(outside, given, thought=thought), None
        arguments: Arguments = msgspec.convert(given, kind)
        action = arguments.to_action()
        added = {name: value for name, value in (("thought", thought), (RISK, risk)) if value not in ("", None)}
        known = {name: value for name, value in added.items() if _can_take(action, name)}
        return msgspec.structs.replace(action, **known), getattr(arguments, "timeout", None)

    def _kinds(self) -> Mapping[str, type[Arguments]]:
        if self._runtime is None:
            return BASIC
        has_agents = self._runtime.agents.manager.has_servers
        browse: dict[str, type[Arguments]] = {"browse": Browse} if getattr(self._runtime, "has_browser", False) else {}
        return {**BASIC, **browse, **(REMOTE if has_agents else {})}

    def _schema(self, kind: type[Arguments]) -> dict[str, Any]:
        schema = read_schema(kind)
        return {**schema, "properties": {**schema["properties"], RISK: _RISK_SCHEMA}} if self._rated else schema

    def _outside_name(self, name: str) -> str | None:
        """The name of an MCP tool, which may have signs that APIs of models do not take; None if there is none."""
        known = [] if self._runtime is None else [tool.name for tool in self._runtime.tools.tools]
        return next((each for each in known if _wire_name(each) == name), None)


def _can_take(action: Action, name: str) -> bool:
    return name in action.__struct_fields__ and not (name == "thought" and getattr(action, "thought", ""))


def _wire_name(name: str) -> str:
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)[:64]


def _read_risk(found: Literal["LOW", "MEDIUM", "HIGH"] | Any) -> ActionSecurityRisk | None:
    return ActionSecurityRisk[found] if isinstance(found, str) and found in ActionSecurityRisk.__members__ else None
