"""What models are offered as tools, and what their calls mean."""

from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.config import AppConfig, MCPConfig, StdioServer
from cloche.events import CmdRunAction, ErrorObservation, MCPAction, encode_event
from cloche.llm import Reply, ToolCall
from cloche.session.agents.tool_arguments import BASIC
from cloche.session.agents.toolset import Toolset
from tests.runtime.scripted import Scripted
from tests.runtime.tools.test_hostile_servers import hostile

pytestmark = pytest.mark.timeout(60)


def read(toolset: Toolset, name: str, arguments: str) -> Any:
    [event] = toolset.read_reply(Reply(tool_calls=(ToolCall("1", name, arguments),)))
    return event.body


@pytest.mark.anyio
async def test_tools_of_servers_have_names_that_apis_take_and_no_name_twice() -> None:
    server: StdioServer = hostile("names")
    with anyio.fail_after(60):
        async with Scripted(AppConfig(mcp=MCPConfig(stdio_servers=(server,)))) as runtime:
            toolset = Toolset(runtime)
            names = [spec.name for spec in toolset.specs]
            assert names[len(BASIC) :] == ["a_b", "a-b", "___", "x" * 64]
            assert len(set(names)) == len(names)
            assert read(toolset, "a_b", "{}") == MCPAction("a b", {})
            assert isinstance(read(toolset, "bash", '{"command": "ls"}'), CmdRunAction)


@given(
    st.sampled_from([*BASIC, "nothing", ""]),
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda part: (
            st.lists(part) | st.dictionaries(st.sampled_from(["command", "path", "code", "timeout", "x"]), part)
        ),
    ).map(lambda value: msgspec.json.encode(value).decode()),
)
def test_whatever_a_model_writes_is_an_action_or_an_error_that_can_be_stored(name: str, arguments: str) -> None:
    [event] = Toolset().read_reply(Reply(tool_calls=(ToolCall("1", name, arguments),)))
    assert encode_event(event)
    if name not in BASIC:
        assert isinstance(event.body, ErrorObservation)


def test_an_error_says_what_was_wrong_with_the_arguments() -> None:
    assert "truncated" in read(Toolset(), "bash", "{").content
    assert "`$.timeout`" in read(Toolset(), "bash", '{"command": "ls", "timeout": -1}').content
    assert "Object missing required field `command`" in read(Toolset(), "bash", "").content
