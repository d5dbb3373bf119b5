"""LangChain tools: Python, bash and files of a sandbox."""

from collections.abc import Collection
from typing import Any, Unpack

from cloche.adapters.held_sandbox import GivenSandbox, HeldSandbox, SandboxHolder
from cloche.adapters.missing import explain_missing
from cloche.adapters.sandbox_tools import Arguments, ToolAnswer, choose_tools, describe_pictures, use_tool
from cloche.llm.tool_schema import read_description, read_schema
from cloche.options import SandboxOptions
from cloche.sandbox.results.readable import Picture

with explain_missing("langchain"):
    from langchain_core.tools import BaseTool, StructuredTool


class ClocheToolkit(SandboxHolder):
    """Tools over a sandbox, sync and async: `with ClocheToolkit() as kit: create_agent(model, kit.get_tools())`.

    Without `box` it has a sandbox of its own with these options, which ends with the `with` block or `close`. `tools`
    are the names of those to offer. With `pictures`, the model sees plots.
    """

    def __init__(
        self,
        box: GivenSandbox = None,
        *,
        tools: Collection[str] | None = None,
        pictures: bool = False,
        **options: Unpack[SandboxOptions],
    ) -> None:
        self._held = HeldSandbox(box, options)
        self._kinds = choose_tools(tools)
        self._pictures = pictures

    def get_tools(self) -> list[BaseTool]:
        """The tools, for `create_agent`, `bind_tools` or a graph."""
        return [self._make_tool(*each) for each in self._kinds.items()]

    def _make_tool(self, name: str, kind: type[Arguments]) -> BaseTool:
        def use(**arguments: Any) -> str | list[Any]:
            return self._show(self._held.call(lambda box: use_tool(box, kind, arguments)))

        async def use_async(**arguments: Any) -> str | list[Any]:
            return self._show(await self._held.call_async(lambda box: use_tool(box, kind, arguments)))

        return StructuredTool(
            name=name,
            description=read_description(kind),
            args_schema=read_schema(kind),
            func=use,
            coroutine=use_async,
        )

    def _show(self, answer: ToolAnswer) -> str | list[Any]:
        if self._pictures and any(isinstance(each, Picture) for each in answer):
            return [_make_block(each) for each in answer if each]
        return describe_pictures(answer)


def _make_block(part: str | Picture) -> dict[str, str]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image", "base64": part.data, "mime_type": part.kind}
