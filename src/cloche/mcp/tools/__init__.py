"""The tools that MCP clients call: one module each, with its arguments, its result and its `TOOL`."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from cloche.mcp.tool import Tool


def find_tools() -> tuple[Tool[Any], ...]:
    """The `TOOL` of every module here, in the order in which clients list them."""
    modules = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
    tools: list[Tool[Any]] = [module.TOOL for module in modules]
    return tuple(sorted(tools, key=lambda tool: tool.rank))
