"""Writes the page's api/types.ts from the types of the server's routes; --check only says whether it is stale."""

import sys
from pathlib import Path
from typing import Any, cast

from cloche.server import app
from cloche.server.wire import list_schemas

TARGET = Path(__file__).parent.parent / "web" / "src" / "api" / "types.ts"
HEAD = (
    "// deno-fmt-ignore-file\n"
    "/** What the server's routes take and answer; `make fmt` writes this file, see scripts/page_types.py. */\n"
)
PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
WIDTH = 120


def render_types() -> str:
    """The file as the routes have it."""
    assert app.ROUTERS, "the routes declare their types when they are imported"
    declared = (_declare(name, schema) for name, schema in sorted(list_schemas().items()))
    return HEAD + "".join(f"\n{each}" for each in declared)


def _declare(name: str, schema: dict[str, Any]) -> str:
    note = _comment(schema.get("description", ""), "")
    if "properties" not in schema:
        return f"{note}export type {name} = {_type(schema)};\n"
    required = set(schema.get("required", ()))
    fields = "".join(
        f"{_comment(each.get('description', ''), '  ')}  {_key(key)}{'' if key in required else '?'}: {_type(each)};\n"
        for key, each in schema["properties"].items()
    )
    return f"{note}export interface {name} {{\n{fields}}}\n"


def _comment(text: str, indent: str) -> str:
    sentence = " ".join(text.split())
    line = f"{indent}/** {sentence} */"
    return f"{line}\n" if sentence and len(line) <= WIDTH else ""


def _key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(f'"{each}"' if isinstance(each, str) else str(each) for each in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    match schema.get("type"):
        case "array":
            inner = _type(schema.get("items", {}))
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "object":
            return f"Record<string, {_type(schema.get('additionalProperties') or {})}>"
        case list():
            return " | ".join(PLAIN[kind] for kind in cast("list[str]", schema["type"]))
        case str() as kind:
            return PLAIN[kind]
        case _:
            return "unknown"


def main() -> int:
    """The exit code says whether a check found it stale."""
    wanted = render_types()
    if TARGET.is_file() and TARGET.read_text() == wanted:
        return 0
    if "--check" in sys.argv:
        print(f"{TARGET.name} is stale: `make fmt` writes it anew", file=sys.stderr)
        return 1
    TARGET.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
