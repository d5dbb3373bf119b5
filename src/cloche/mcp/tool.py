"""A tool: its name, description, arguments, result and function."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mcp.server import ServerRequestContext
from mcp_types import CallToolResult, ToolAnnotations
from mcp_types import Tool as Described
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from cloche.config import SandboxConfig
from cloche.events import MCPAction, MCPObservation, Observation, RunnableAction
from cloche.mcp.arguments import Arguments
from cloche.mcp.client_session import ClientSession, ToolWork
from cloche.mcp.client_sessions import ClientSessions
from cloche.runtime.live_output import Hear

Context = ServerRequestContext[ClientSessions, Any]
A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True)
class ToolRequest:
    """One call of a tool: the client's sandbox, and a way to report progress."""

    session: ClientSession
    context: Context
    fails: bool = False
    """Whether code that fails is an error of the tool."""
    client: str = ""
    """What the client calls itself."""

    async def perform(
        self, action: RunnableAction, work: ToolWork[CallToolResult], *, seconds: float | None = None
    ) -> CallToolResult:
        """The answer of `work`, which does what the action says; both are on record, where there is one."""
        return await self.session.perform(action, work, client=self.client, seconds=seconds)

    async def call(
        self, name: str, given: Arguments, work: Callable[[Hear], Awaitable[CallToolResult]]
    ) -> CallToolResult:
        """The same for a tool that is no action of a runtime: it is on record as a call of this tool."""
        arguments = given.model_dump(exclude={"session"}, exclude_none=True)

        async def observed(hear: Hear) -> tuple[CallToolResult, Observation]:
            answer = await work(hear)
            return answer, MCPObservation(json.dumps(answer.structured_content), name, arguments)

        return await self.perform(MCPAction(name, arguments), observed)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool of the server."""

    name: str
    title: str
    description: str
    takes: type[A]
    gives: type[BaseModel] | None
    act: Callable[[ToolRequest, A], Awaitable[CallToolResult]]
    rank: int = 100
    """Tools are listed by rank."""
    reads_only: bool = False
    destroys: bool = True
    repeatable: bool = False
    runs: bool = False
    """Whether it runs code, which may use the network that the owner allowed."""
    fetches: bool = False
    """Whether it uses the network itself."""
    remote: bool = False
    """Whether only remote clients need it: those that share a sandbox, or are runtimes themselves."""
    schema: dict[str, Any] | None = None
    """The schema of the answer, if there is no model for it."""

    def describe(self, config: SandboxConfig, *, remote: bool) -> Described:
        """The tool as clients see it in the list, here or elsewhere; `{network}` becomes what code can reach."""
        network = f"Network: only {', '.join(config.allow_net)}." if config.allow_net else "There is no network."
        return Described(
            name=self.name,
            title=self.title,
            description=self.description.replace("{network}", network),
            input_schema=_make_schema(self.takes, "validation", timeout=config.timeout, session=remote),
            output_schema=self.schema if self.gives is None else _make_schema(self.gives, "serialization"),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads_only,
                destructive_hint=self.destroys and not self.reads_only,
                idempotent_hint=self.repeatable or self.reads_only,
                open_world_hint=self.fetches or (self.runs and bool(config.allow_net)),
            ),
        )

    def read(self, arguments: dict[str, Any]) -> A:
        """The checked arguments; raises ValueError, which names every wrong one."""
        try:
            return self.takes.model_validate(arguments)
        except ValidationError as error:
            wrong = [_explain_argument(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]
            fields = self.takes.model_fields.items()
            takes = ", ".join(field.alias or name for name, field in fields if name != "session")
            raise ValueError(f"{self.name}: {'; '.join(wrong)}. It takes {takes or 'nothing but session'}.") from None


class _Plain(GenerateJsonSchema):
    """Schemas without titles: a model reads all of it."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _make_schema(
    model: type[BaseModel], mode: JsonSchemaMode, *, timeout: float | None = None, session: bool = False
) -> dict[str, Any]:
    """The schema of a model, required fields first; `timeout` is its default, `session` whether to show that."""
    schema = model.model_json_schema(schema_generator=_Plain, mode=mode)
    required = schema.get("required", [])
    given: dict[str, Any] = {name: _without_null(each) for name, each in schema["properties"].items()}
    # Last, because they are rarely used.
    ends = [name for name in ("timeout", "session") if name in given]
    order = [*required, *(name for name in given if name not in (*required, *ends)), *ends]
    if not session and "session" in order:
        order.remove("session")
    if "timeout" in given and timeout is not None:
        given["timeout"].setdefault("default", int(timeout) if timeout.is_integer() else timeout)
    plain = {key: value for key, value in schema.items() if key not in ("title", "description")}
    return plain | {"properties": {name: given[name] for name in order}}


def _without_null(field: dict[str, Any]) -> dict[str, Any]:
    """The schema of an optional field without `null`: a model reads all of it."""
    kinds: list[dict[str, Any]] = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {key: value for key, value in field.items() if key != "anyOf" and not (key == "default" and value is None)}
    return {**kinds[0], **rest} if len(kinds) == 1 else field


def _explain_argument(name: str, said: str) -> str:
    plain = {"Field required": "is missing", "Extra inputs are not permitted": "is not known"}
    return f"`{name}` {plain.get(said, said[:1].lower() + said[1:])}"
