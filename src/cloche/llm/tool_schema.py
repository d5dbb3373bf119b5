"""The JSON schema of a tool's arguments, as models are told of it."""

from typing import Any

import msgspec


def read_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of these arguments, with nothing that a model has no use for."""
    _, definitions = msgspec.json.schema_components([kind])
    schema = definitions[kind.__name__]
    properties: dict[str, Any] = {name: _plain(each) for name, each in schema["properties"].items()}
    return {"type": "object", "properties": properties, "required": schema.get("required", [])}


def read_description(kind: type[msgspec.Struct]) -> str:
    """What the tool does: the docstring of its arguments, in one line."""
    return " ".join((kind.__doc__ or "").split())


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """One type instead of that or null, which models read as an invitation to write null."""
    kinds = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    merged = {**schema, **kinds[0]} if len(kinds) == 1 else dict(schema)
    for name in ("anyOf", "default", "title", "exclusiveMinimum", "maximum"):
        if name != "anyOf" or len(kinds) == 1:
            merged.pop(name, None)
    return merged
