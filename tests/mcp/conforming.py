"""Our server with the tools that the conformance suite calls; prints its port."""

import sys

import mcp_types
import uvicorn

from cloche.mcp.app import create_app
from cloche.mcp.arguments import Arguments
from cloche.mcp.serving import ListenAddress, open_socket
from cloche.mcp.tool import Tool, ToolRequest

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
TEXT = mcp_types.TextContent(text="This is a simple text response for testing.")
IMAGE = mcp_types.ImageContent(data=PIXEL, mime_type="image/png")
AUDIO = mcp_types.AudioContent(data=SOUND, mime_type="audio/wav")


def embedded(uri: str, mime_type: str, text: str) -> mcp_types.EmbeddedResource:
    return mcp_types.EmbeddedResource(resource=mcp_types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def giving(name: str, *content: mcp_types.ContentBlock, is_error: bool = False) -> Tool[Arguments]:
    """A tool that answers with this."""

    async def act(_: ToolRequest, __: Arguments) -> mcp_types.CallToolResult:
        return mcp_types.CallToolResult(content=list(content), is_error=is_error)

    return Tool(name, name, "For the conformance suite.", Arguments, None, act)


async def progress(request: ToolRequest, _: Arguments) -> mcp_types.CallToolResult:
    for step in (0, 50, 100):
        await request.context.session.report_progress(step, 100, f"step {step}")
    return mcp_types.CallToolResult(content=[TEXT])


RESOURCE = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
MIXED = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
TOOLS = (
    giving("test_simple_text", TEXT),
    giving("test_image_content", IMAGE),
    giving("test_audio_content", AUDIO),
    giving("test_embedded_resource", RESOURCE),
    giving("test_multiple_content_types", TEXT, IMAGE, MIXED),
    giving(
        "test_error_handling", mcp_types.TextContent(text="This tool intentionally returns an error."), is_error=True
    ),
    Tool("test_tool_with_progress", "Progress", "For the conformance suite.", Arguments, None, progress),
)

if __name__ == "__main__":
    with open_socket(ListenAddress("127.0.0.1", 0)) as listening:
        sys.stdout.write(f"{listening.getsockname()[1]}\n")
        sys.stdout.flush()
        app = create_app(find_user=None, more_tools=TOOLS)
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listening])
