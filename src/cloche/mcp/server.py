"""The MCP server: tools and resources on the clients' sandboxes."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.metadata import version
from typing import Any

from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import Scope

from cloche.config import AppConfig
from cloche.errors import ClocheError
from cloche.limits import MCP_NAME
from cloche.logs import log_ids
from cloche.mcp import resources, tool_aliases
from cloche.mcp.client_session import ClientSession
from cloche.mcp.client_sessions import ClientSessions
from cloche.mcp.clients import client_of
from cloche.mcp.contents import make_refusal
from cloche.mcp.session_key import SessionKey
from cloche.mcp.tool import Context, Tool, ToolRequest
from cloche.mcp.tools import find_tools
from cloche.runtime.actions.file_actions import explain_file_error
from cloche.sandbox.languages import languages

log = logging.getLogger(__name__)

TOOLS = find_tools()
VERSION = version("cloche")
SESSION_META = "cloche/session"
DEFAULT = "default"
"""The name of the sandbox if neither the user nor the connection names one."""


def create_server(
    sessions: AbstractAsyncContextManager[ClientSessions],
    config: AppConfig,
    *,
    with_aliases: bool = False,
    failures_as_errors: bool = False,
    more_tools: Sequence[Tool[Any]] = (),
    instructions: str | None = None,
) -> Server[ClientSessions]:
    """A server that opens and closes these sessions with its lifespan."""
    tools = {tool.name: tool for tool in (*TOOLS, *(tool_aliases.TOOLS if with_aliases else ()), *more_tools)}
    here, elsewhere = (
        ListToolsResult(
            tools=[tool.describe(config.sandbox, remote=remote) for tool in tools.values() if remote or not tool.remote]
        )
        for remote in (False, True)
    )

    schemas = {tool.name: tool.input_schema for tool in elsewhere.tools}

    async def list_tools(context: Context, _: PaginatedRequestParams | None) -> ListToolsResult:
        return here if context.request is None else elsewhere

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}. There are {', '.join(tools)}.")
        client = None if context.request is None else client_of(context.request.scope)
        with nullcontext() if client is None else client.call():
            return await _call_tool(tool, context, params.arguments or {}, fails=failures_as_errors)
        return make_refusal("The client was gone, and its call was stopped.")

    return Server(
        "cloche",
        title="Cloche",
        version=VERSION,
        instructions=instructions or write_instructions(config),
        lifespan=lambda _: sessions,
        on_list_tools=list_tools,
        # Else the library lists all tools for each call over HTTP, which takes longer than a short call.
        get_tool_input_schema=schemas.get,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
    )


def write_instructions(config: AppConfig, *, kept: str = "ends with the sandbox") -> str:
    """What a model should know before its first call: which state is kept, the network, the limits."""
    sandbox = config.sandbox
    kept = "is a folder of the owner's" if config.core.workspace_base else kept
    hosts = ", ".join(map(str, sandbox.allow_net))
    return (
        f"Runs code in a sandbox: Python as in a notebook, bash, and {len(languages()) - 2} more languages, over the "
        f"same files in /workspace. Variables, files and packages stay between calls; /workspace {kept}. "
        f"Network: {f'{hosts} and nothing else' if hosts else 'none; packages are fetched by install_packages'}. "
        f"Limits: {sandbox.timeout:g} seconds a call unless it gives a `timeout`, {sandbox.memory_mb} MB for Python; "
        f"a sandbox that is not used for {sandbox.close_delay:g} seconds is closed."
    )


def owner_of(context: Context, name: str | None = None) -> SessionKey:
    """Whose sandbox a request is for: the one it names, else that of its connection, else the user's default."""
    request = context.request
    if request is None:
        return SessionKey("process", "", name or DEFAULT)
    headers = request.headers
    wanted = name or headers.get("session_id")
    connection = headers.get("mcp-session-id")
    # In protocols without connections, the owner of this id has not been checked.
    if wanted or connection is None or context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return SessionKey("named", user_of(request.scope), wanted or DEFAULT, headers.get("user_id", ""))
    return SessionKey("connection", user_of(request.scope), connection)


def user_of(scope: Scope) -> str:
    """The name of the user whose token came with a request."""
    return getattr(scope.get("user"), "display_name", "")


def name_client(context: Context) -> str:
    """What the client calls itself; empty if it does not say."""
    params = context.session.client_params
    return "" if params is None else params.client_info.name[:MCP_NAME]


def _name_user(context: Context) -> str | None:
    return None if context.request is None else user_of(context.request.scope) or None


async def _call_tool(tool: Tool[Any], context: Context, arguments: dict[str, Any], *, fails: bool) -> CallToolResult:
    try:
        given = tool.read(arguments)
        session = await _find_session(context, given.session)
        with log_ids(session=session.name, user=_name_user(context)):
            answer = await tool.act(ToolRequest(session, context, fails, name_client(context)), given)
            return _name_session(answer, session.sandbox.session)
    except (ClocheError, ValueError) as error:
        return make_refusal(str(error))
    except OSError as error:
        return make_refusal(explain_file_error(error, tool.name, str(error.filename or arguments.get("path", "it"))))
    except MCPError:
        raise
    except Exception as error:  # the border of a request: whatever fails must not end the server
        log.exception("the tool %s failed", tool.name)
        return make_refusal(f"{tool.name} failed: {type(error).__name__}")


def _name_session(answer: CallToolResult, sid: str | None) -> CallToolResult:
    """The answer, with the id of the session in which others can watch what was done."""
    if sid is not None:
        answer.meta = {**(answer.meta or {}), SESSION_META: sid}
    return answer


async def _find_session(context: Context, name: str | None = None) -> ClientSession:
    owner = owner_of(context, name)
    client = None if context.request is None else client_of(context.request.scope)
    return await context.lifespan_context.find(owner, client, name=name_client(context))


@asynccontextmanager
async def _open_session(context: Context) -> AsyncGenerator[ClientSession]:
    """The session of the request; a failure becomes an MCP error."""
    try:
        yield await _find_session(context)
    except (ClocheError, OSError) as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error


async def _list_resources(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
    async with _open_session(context) as session:
        return await resources.list_resources(session, params.cursor if params else None)


async def _list_templates(_: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=[resources.TEMPLATE])


async def _read_resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    async with _open_session(context) as session:
        return await resources.read_resource(session, str(params.uri))
