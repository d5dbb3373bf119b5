"""A Pydantic AI toolset: Python, bash and files of a sandbox."""

import base64
from collections.abc import Collection
from typing import Any, Unpack

from cloche.adapters.held_sandbox import GivenSandbox, HeldSandbox, SandboxHolder
from cloche.adapters.missing import explain_missing
from cloche.adapters.sandbox_tools import Arguments, choose_tools, describe_pictures, use_tool
from cloche.llm.tool_schema import read_description, read_schema
from cloche.options import SandboxOptions
from cloche.sandbox.results.readable import Picture

with explain_missing("pydantic-ai"):
    from pydantic_ai import BinaryContent, RunContext, Tool
    from pydantic_ai.toolsets import AbstractToolset, FunctionToolset


class ClocheToolset(SandboxHolder, FunctionToolset[Any]):
    """Tools over a sandbox: `Agent(model, toolsets=[ClocheToolset()])`.

    Without `box`, each run of the agent has a sandbox of its own with these options; in `async with agent:` or `async
    with toolset:` all runs share one. `tools` are the names of those to offer. With `pictures`, the model sees plots.
    """

    def __init__(
        self,
        box: GivenSandbox = None,
        *,
        tools: Collection[str] | None = None,
        pictures: bool = False,
        id: str | None = None,
        **options: Unpack[SandboxOptions],
    ) -> None:
        self._held = HeldSandbox(box, options)
        self._settings: dict[str, Any] = {"tools": tools, "pictures": pictures, "id": id, **options}
        self._pictures = pictures
        # One after another: a cell may need the file that another call of the same answer writes.
        super().__init__([self._make_tool(*each) for each in choose_tools(tools).items()], id=id, sequential=True)

    async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
        """A toolset with a sandbox for this run alone, unless it is shared."""
        return self if self._held.shared else type(self)(**self._settings)

    def _make_tool(self, name: str, kind: type[Arguments]) -> Tool[Any]:
        async def use(**arguments: Any) -> str | list[str | BinaryContent]:
            answer = await self._held.call_async(lambda box: use_tool(box, kind, arguments))
            if self._pictures and any(isinstance(each, Picture) for each in answer):
                return [each if isinstance(each, str) else _show(each) for each in answer if each]
            return describe_pictures(answer)

        return Tool[Any].from_schema(use, name, read_description(kind), read_schema(kind), sequential=True)


def _show(picture: Picture) -> BinaryContent:
    return BinaryContent(base64.b64decode(picture.data), media_type=picture.kind)
