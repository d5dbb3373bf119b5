"""What a tool is: a name, a description, what it takes and gives, and what it does."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mcp.server import ServerRequestContext
from mcp_types import CallToolResult, ToolAnnotations
from mcp_types import Tool as Described
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from cloche.mcp.models import Arguments
from cloche.mcp.session import Session
from cloche.mcp.sessions import Sessions

Context = ServerRequestContext[Sessions, Any]
A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True)
class Request:
    """One call of a tool: the client's sandbox, and the way to tell how it goes."""

    session: Session
    context: Context


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool of the server."""

    name: str
    title: str
    description: str
    takes: type[A]
    gives: type[BaseModel] | None
    act: Callable[[Request, A], Awaitable[CallToolResult]]
    reads_only: bool = False
    destroys: bool = True
    repeatable: bool = False
    runs: bool = False
    """Whether it runs code, which can reach what the owner allowed."""
    fetches: bool = False
    """Whether it takes something from the network itself."""
    schema: dict[str, Any] | None = None
    """The schema of the answer, if no model gives it."""

    def describe(self, *, network: bool = False) -> Described:
        """The tool as clients see it in the list; `network`: whether code in the sandbox can reach anything."""
        output = self.schema if self.gives is None else _schema(self.gives, "serialization")
        takes = _schema(self.takes, "validation")
        # Last, for it is seldom wanted.
        takes["properties"]["session"] = takes["properties"].pop("session")
        return Described(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=takes,
            output_schema=output,
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads_only,
                destructive_hint=self.destroys and not self.reads_only,
                idempotent_hint=self.repeatable or self.reads_only,
                open_world_hint=self.fetches or (self.runs and network),
            ),
        )

    def read(self, arguments: dict[str, Any]) -> A:
        """The arguments, checked; ValueError that names every wrong one."""
        try:
            return self.takes.model_validate(arguments)
        except ValidationError as error:
            wrong = [_sentence(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]
            fields = self.takes.model_fields.items()
            takes = ", ".join(field.alias or name for name, field in fields if name != "session")
            raise ValueError(f"{self.name}: {'; '.join(wrong)}. It takes {takes or 'nothing but session'}.") from None


class _Plain(GenerateJsonSchema):
    """Schemas without the names of fields in capitals: a model reads them all."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _schema(model: type[BaseModel], mode: JsonSchemaMode) -> dict[str, Any]:
    schema = model.model_json_schema(schema_generator=_Plain, mode=mode)
    return {key: value for key, value in schema.items() if key not in ("title", "description")}


def _sentence(name: str, said: str) -> str:
    plain = {"Field required": "is missing", "Extra inputs are not permitted": "is not known"}
    return f"`{name}` {plain.get(said, said[:1].lower() + said[1:])}"
