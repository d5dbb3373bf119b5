"""The tools, by the official client, over both transports and both generations of the protocol."""

import base64
import json
from collections.abc import AsyncGenerator
from typing import Any, cast

import anyio
import jsonschema
import mcp_types
import pytest
from mcp import Client, MCPError

from cloche.limits import MCP_PROGRESS
from cloche.mcp.tools.execute_action import NO_MORE
from tests.mcp.peers import Peer, http_client, stdio_server

PATIENCE = 60
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


PEERS = [
    *("stdio legacy", "http 2026-07-28"),
    # What is between these is the library's own: both transports and both protocols are above.
    *(pytest.param(each, marks=pytest.mark.slow) for each in ("stdio 2026-07-28", "http legacy")),
]


@pytest.fixture(scope="module", params=PEERS, autouse=True)
async def client(request: pytest.FixtureRequest, server: Peer) -> AsyncGenerator[Client]:
    """A client with a sandbox of its own."""
    transport, mode = request.param.split()
    if transport == "stdio":
        connected = Client(stdio_server("--aliases"), mode=mode)
    else:
        connected = http_client(server, mode=mode, session_id=f"tools-{mode}")
    async with connected as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> mcp_types.CallToolResult:
    with anyio.fail_after(PATIENCE):
        return await client.call_tool(tool, arguments)


async def good(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a call gives, which must not be an error."""
    result = await call(client, tool, **arguments)
    assert not result.is_error, result.content
    structure: object = result.structured_content
    assert isinstance(structure, dict)
    return cast("dict[str, Any]", structure)


def text_of(result: mcp_types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, mcp_types.TextContent))


pytestmark = pytest.mark.timeout(120)

ADDRESSES = (
    "file:///etc/leaf-1.0-py3-none-any.whl",
    "http://127.0.0.1:9/leaf-1.0-py3-none-any.whl",
    "leaf @ file:///etc/leaf-1.0-py3-none-any.whl",
    "leaf @ http://127.0.0.1:9/leaf-1.0-py3-none-any.whl",
)


async def test_python_gives_value_and_output_and_keeps_its_variables(client: Client) -> None:
    first = await good(client, "run_python", code="x = 41\nprint('hello')")
    assert first.keys() == {"ok", "language", "stdout", "exit_code", "state", "duration_ms"}
    assert (first["stdout"], first["ok"], first["state"]) == ("hello\n", True, "kept")
    result = await call(client, "run_python", code="x + 1")
    assert text_of(result) == "42"


async def test_bash_keeps_its_folder_and_reports_its_exit_code(client: Client) -> None:
    await good(client, "run_bash", command="mkdir -p /tmp/deep; cd /tmp/deep")
    assert (await good(client, "run_bash", command="pwd; cat", stdin="typed"))["stdout"] == "/tmp/deep\ntyped"
    failed = await call(client, "run_bash", command="echo no >&2; (exit 3)")
    assert not failed.is_error
    assert failed.structured_content is not None
    assert failed.structured_content["exit_code"] == 3
    assert text_of(failed) == "no\n[exit code 3]"


async def test_other_languages_run_and_one_that_does_not_exist_is_named(client: Client) -> None:
    assert (await good(client, "run_code", language="javascript", code="[3,1,2].sort()[0]"))["value"] == "1"
    refused = await call(client, "run_code", language="klingon", code="1")
    assert refused.is_error
    assert "klingon" in text_of(refused)


@pytest.mark.parametrize("alias", ["js", "node", "JavaScript", "mjs"])
async def test_a_language_goes_by_its_usual_names(client: Client, alias: str) -> None:
    assert (await good(client, "run_code", language=alias, code="6 * 7"))["language"] == "javascript"


async def test_languages_are_listed_with_their_usual_names(client: Client) -> None:
    schemas = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
    listed = schemas["run_code"]["language"]["enum"]
    assert listed[:3] == ["python", "bash", "javascript"]
    assert listed[11:] == ["py", "sh", "js", "node", "ts", "rb", "pl", "scm"]
    assert schemas["reset"]["language"]["enum"] == listed
    assert {*listed} - {*schemas["install_packages"]["language"]["enum"]} == {"bash", "scheme", "sql", "sh", "scm"}
    assert schemas["run_python"]["timeout"]["default"] == 120


async def test_an_error_has_its_type_and_line(client: Client) -> None:
    result = await call(client, "run_python", code="a = 1\n1/0")
    assert not result.is_error
    assert result.structured_content is not None
    error = result.structured_content["error"]
    assert (error["type"], error["line"]) == ("ZeroDivisionError", 2)
    assert "ZeroDivisionError: division by zero" in text_of(result)


async def test_a_timeout_keeps_the_variables(client: Client) -> None:
    await good(client, "run_python", code="kept = 7")
    stopped = await call(client, "run_python", code="print('begun')\nwhile True: pass", timeout=1)
    assert not stopped.is_error
    assert text_of(stopped).startswith("begun")
    assert "stopped after 1 seconds" in text_of(stopped)
    assert (await good(client, "run_python", code="kept"))["value"] == "7"


async def test_output_comes_as_progress_while_the_code_runs(client: Client) -> None:
    seen: list[str] = []
    first = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message or "")
        first.set()

    answered = anyio.Event()

    async def run() -> None:
        code = "import os, time\nprint('begun')\nwhile not os.path.exists('go'): time.sleep(0.05)\nprint('end')"
        await client.call_tool("run_python", {"code": code, "timeout": 30}, progress_callback=hear)
        answered.set()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await first.wait()
            assert not answered.is_set()
            await client.call_tool("write_file", {"path": "go", "content": ""})
    assert "".join(seen) == "begun\nend\n"


async def test_a_call_that_is_cancelled_stops_the_code_and_keeps_the_state(client: Client) -> None:
    await good(client, "run_python", code="state = 'kept'")
    begun = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            code = "import time\nprint('begun')\ntime.sleep(300)"
            tasks.start_soon(client.call_tool, "run_python", {"code": code, "timeout": 300}, None, hear)
            await begun.wait()
            tasks.cancel_scope.cancel()
        assert (await good(client, "run_python", code="state"))["value"] == "'kept'"


async def test_interrupt_ends_the_code_that_runs(client: Client) -> None:
    begun = anyio.Event()
    ended: list[mcp_types.CallToolResult] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async def run() -> None:
        code = "print('begun')\nwhile True: pass"
        ended.append(await client.call_tool("run_python", {"code": code, "timeout": 300}, progress_callback=hear))

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await begun.wait()
            assert (await good(client, "interrupt"))["interrupted"]
    assert "KeyboardInterrupt" in text_of(ended[0])
    assert (await good(client, "run_python", code="1"))["state"] == "kept"
    assert not (await good(client, "interrupt"))["interrupted"]


async def test_an_error_without_a_traceback_is_reported(client: Client) -> None:
    stopped = await call(client, "run_code", language="javascript", code="while (true) {}", timeout=1)
    assert stopped.structured_content is not None
    error = stopped.structured_content["error"]
    assert "traceback" not in error
    assert f"{error['type']}: {error['message']}" in text_of(stopped)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", None])
async def test_reset_does_not_wait_for_what_runs(client: Client, language: str | None) -> None:
    begun = anyio.Event()
    ended: list[mcp_types.CallToolResult] = []
    code = "import time\nopen('r.txt', 'w').close()\nprint('begun')\ntime.sleep(300)"
    asked = {"code": code, "timeout": 300, "session": "reset"}

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async def run() -> None:
        ended.append(await client.call_tool("run_python", asked, progress_callback=hear))

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await begun.wait()
            await good(client, "reset", language=language, session="reset")
    assert not (ended[0].structured_content or {})["ok"]
    assert ("files included" in text_of(ended[0])) == (language is None)
    files = (await good(client, "list_files", session="reset"))["files"]
    assert bool(files) == (language is not None)
    await good(client, "reset", session="reset")


async def test_a_picture_is_an_image(client: Client) -> None:
    code = f"import base64\nfrom IPython.display import Image, display\ndisplay(Image(base64.b64decode('{PIXEL}')))"
    result = await call(client, "run_python", code=code)
    images = [block for block in result.content if isinstance(block, mcp_types.ImageContent)]
    assert [(image.mime_type, base64.b64decode(image.data)[:4]) for image in images] == [("image/png", b"\x89PNG")]
    assert len(result.content) == 1


@pytest.mark.parametrize(
    ("last", "value"),
    [
        ("Image(png)", None),
        ("display(Image(png)); object()", None),
        ("display(Image(png)); [object()]", None),
        ("display(Image(png)); 1 < 2", "True"),
    ],
)
async def test_a_picture_comes_first_and_what_only_names_it_is_left_out(
    client: Client, last: str, value: str | None
) -> None:
    code = (
        f"import base64\nfrom IPython.display import Image, display\npng = base64.b64decode('{PIXEL}')\nprint('here')\n"
    )
    shown = await call(client, "run_python", code=code + last)
    assert [block.type for block in shown.content] == ["image", "text"]
    assert text_of(shown) == ("here" if value is None else f"here\n{value}")
    assert shown.structured_content is not None
    assert shown.structured_content.get("value") == value


async def test_what_only_claims_to_be_a_picture_is_not_given_as_one(client: Client) -> None:
    await good(client, "write_file", path="fake.png", content="no picture")
    read = await call(client, "read_file", path="fake.png")
    assert [block.type for block in read.content] == ["text"]
    for data in ("bm8gcGljdHVyZQ==", "no base64!"):
        code = f"from IPython.display import display\ndisplay({{'image/png': {data!r}}}, raw=True)"
        shown = await call(client, "run_python", code=code)
        assert [block.type for block in shown.content] == ["text"]
        assert "no such picture" in text_of(shown)
    large = "import base64\ndisplay({'image/png': base64.b64encode(bytes(2_000_000)).decode()}, raw=True)"
    assert "make it smaller" in text_of(await call(client, "run_python", code=large))


async def test_a_table_is_text_and_rows(client: Client) -> None:
    code = (
        "class Frame:\n"
        "    def __repr__(self): return 'a b'\n"
        "    def _repr_html_(self):\n"
        "        return '<table><tr><th></th><th>a</th></tr><tr><th>0</th><td>1 &lt; 2</td></tr></table>'\n"
        "Frame()"
    )
    result = await call(client, "run_python", code=code)
    assert text_of(result) == "a b"
    assert result.structured_content is not None
    assert result.structured_content["tables"] == [{"columns": ["", "a"], "rows": [["0", "1 < 2"]]}]


async def test_very_much_output_is_cut_in_the_middle(client: Client) -> None:
    result = await good(client, "run_python", code="print('a' * 5_000_000 + 'end')")
    assert result["truncated"]
    assert len(result["stdout"]) < 200_000
    assert result["stdout"].endswith("end\n")
    assert "left out" in result["stdout"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("run_python", {}, "`code` is missing"),
        ("run_python", {"code": 1}, "`code`"),
        ("run_python", {"code": "1", "tiemout": 1}, "`tiemout` is not known"),
        ("run_python", {"code": "1", "timeout": -1}, "`timeout`"),
        ("write_file", {"path": "x", "content": "?", "encoding": "base64"}, "not base64"),
        ("read_file", {"path": "missing.txt"}, "missing.txt"),
        ("read_file", {"path": "/etc/shadow"}, "/etc/shadow"),
        ("edit_file", {"path": "none.txt", "old_str": "a", "new_str": "b"}, "none.txt"),
        ("edit_file", {"path": "none.txt"}, "Parameter `old_str` is required"),
        ("run_python", {"code": "#" * 5_000_000}, "write it to a file of the sandbox"),
        ("execute_action", {"event": {"action": "run", "args": {}}}, "command"),
        ("execute_action", {"event": {"nothing": 1}}, "no key `action`"),
        ("install_packages", {"packages": []}, "`packages`"),
        *(("install_packages", {"packages": [address]}, "not by address") for address in ADDRESSES),
        ("python_execute", {"code": "1", "timeout": 1e9}, "python_execute: `timeout` "),
    ],
)
async def test_what_is_wrong_is_an_error_that_names_it(
    client: Client, tool: str, arguments: dict[str, Any], said: str
) -> None:
    result = await call(client, tool, **arguments)
    assert result.is_error
    assert said in text_of(result)


async def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol(client: Client) -> None:
    with pytest.raises(MCPError, match="Unknown tool"):
        await call(client, "run_fortran", code="1")


async def test_files_are_written_edited_read_and_listed(client: Client) -> None:
    await good(client, "write_file", path="d/a b.txt", content="one\ntwo\nthree\n")
    edited = await good(client, "edit_file", path="d/a b.txt", old_str="two", new_str="2")
    assert "-two\n+2\n" in edited["diff"]
    assert (await good(client, "read_file", path="d/a b.txt"))["text"] == "one\n2\nthree\n"
    assert (await good(client, "read_file", path="d/a b.txt", first_line=2, last_line=2))["text"] == "2\n"
    twice = await call(client, "edit_file", path="d/a b.txt", old_str="e", new_str="E")
    assert twice.is_error
    assert not text_of(twice).startswith("ERROR")
    listed = await good(client, "list_files", path="d")
    assert [(file["path"], file["kind"], file["size"]) for file in listed["files"]] == [
        ("/workspace/d/a b.txt", "file", 12)
    ]
    await good(client, "write_file", path="p.png", content=PIXEL, encoding="base64")
    picture = await call(client, "read_file", path="p.png")
    assert [block.mime_type for block in picture.content if isinstance(block, mcp_types.ImageContent)] == ["image/png"]


async def test_files_are_resources(client: Client) -> None:
    await good(client, "write_file", path="r/ü x.txt", content="inside")
    await good(client, "run_bash", command="printf '\\xff\\x00' > /workspace/r/b.bin")
    listed = [
        each
        for each in (await client.list_resources(cache_mode="bypass")).resources
        if each.uri.startswith("workspace://r/")
    ]
    assert [(each.uri, each.name, each.size) for each in listed] == [
        ("workspace://r/b.bin", "r/b.bin", 2),
        ("workspace://r/%C3%BC%20x.txt", "r/ü x.txt", 6),
    ]
    text = (await client.read_resource(listed[1].uri, cache_mode="bypass")).contents[0]
    assert isinstance(text, mcp_types.TextResourceContents)
    assert text.text == "inside"
    blob = (await client.read_resource(listed[0].uri, cache_mode="bypass")).contents[0]
    assert isinstance(blob, mcp_types.BlobResourceContents)
    assert base64.b64decode(blob.blob) == b"\xff\x00"
    for uri in ("workspace://missing", "workspace://../../etc/shadow", "file:///etc/passwd"):
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource(uri)
    for uri in ("workspace://r", "workspace://a%00b"):
        with pytest.raises(MCPError, match="cannot be read"):
            await client.read_resource(uri)
    templates = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["workspace://{+path}"]


async def test_lines_are_counted_as_the_shell_counts_them(client: Client) -> None:
    await good(client, "write_file", path="lines.txt", content="a\fb\u2028c\rd\ne\n")
    assert (await good(client, "read_file", path="lines.txt", first_line=2))["text"] == "e\n"
    beyond = await call(client, "read_file", path="lines.txt", first_line=9)
    assert beyond.is_error
    assert "only 2 lines" in text_of(beyond)
    assert "before" in text_of(await call(client, "read_file", path="lines.txt", first_line=2, last_line=1))
    await good(client, "write_file", path="empty.txt", content="")
    assert (await good(client, "read_file", path="empty.txt", first_line=1, last_line=5))["text"] == ""


async def test_a_file_whose_name_has_no_type_is_judged_by_its_content(client: Client) -> None:
    await good(client, "run_bash", command="printf '\\xff\\x00' > /workspace/noname; echo a > /workspace/plain")
    blob = (await client.read_resource("workspace://noname", cache_mode="bypass")).contents[0]
    text = (await client.read_resource("workspace://plain", cache_mode="bypass")).contents[0]
    assert (blob.mime_type, text.mime_type) == ("application/octet-stream", "text/plain")
    assert "application/octet-stream" in text_of(await call(client, "read_file", path="noname"))


async def test_what_is_shown_without_a_plain_text_is_given_as_its_source(client: Client) -> None:
    code = "from IPython.display import HTML, Markdown, display\ndisplay(Markdown('# title'), HTML('<b>bold</b>'))"
    shown = await call(client, "run_python", code=code)
    assert text_of(shown) == "# title\n<b>bold</b>"
    assert (shown.structured_content or {})["displayed"] == ["# title", "<b>bold</b>"]


@pytest.mark.parametrize("client", ["http 2026-07-28"], indirect=True)
@pytest.mark.slow
async def test_very_many_files_are_listed_in_part(client: Client) -> None:
    code = (
        "import os\nfor i in range(21):\n    os.makedirs(f'many/{i}')\n"
        "    for j in range(100): open(f'many/{i}/{j}', 'w').close()"
    )
    await good(client, "run_python", code=code)
    listed = await good(client, "list_files", path="many", recursive=True)
    assert listed["truncated"]
    assert len(listed["files"]) == 2000
    page = await client.list_resources(cache_mode="bypass")
    assert len(page.resources) == 200
    assert len((await client.list_resources(cursor=page.next_cursor, cache_mode="bypass")).resources) == 200
    await good(client, "run_bash", command="rm -r /workspace/many")


async def test_an_action_is_executed_once_and_answered_by_an_observation(client: Client) -> None:
    event = {"action": "run", "args": {"command": "echo line >> /workspace/once.txt; cat /workspace/once.txt"}}
    first = await good(client, "execute_action", event={**event, "cloche": {"key": "k1"}})
    again = await good(client, "execute_action", event={**event, "cloche": {"key": "k1"}})
    assert first["observation"] == "run"
    assert first["content"] == again["content"] == "line\n"
    by_id = [await good(client, "execute_action", event={**event, "id": 9}) for _ in range(2)]
    assert [each["content"] for each in by_id] == ["line\nline\n"] * 2
    assert [each["cause"] for each in by_id] == [9, 9]


@pytest.mark.slow
async def test_an_action_that_waits_for_a_tool_stops_it_not_at_its_own_time_limit(client: Client) -> None:
    gave: dict[str, Any] = {}

    async def run(tool: str, **arguments: Any) -> None:
        gave[tool] = await good(client, tool, session="waits", **arguments)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: run("run_bash", command="touch begun; sleep 2; echo whole; rm begun"))
        with anyio.fail_after(PATIENCE):
            while not (await good(client, "list_files", session="waits"))["files"]:  # noqa: ASYNC110 - no event
                await anyio.sleep(0.05)
        event = {"action": "run", "args": {"command": "echo next"}, "timeout": 0.5}
        tasks.start_soon(lambda: run("execute_action", event=event))
    assert gave["run_bash"]["stdout"] == "whole\n"
    assert gave["execute_action"]["content"] == "next\n"


async def test_an_action_for_a_sandbox_that_is_gone_is_not_executed(client: Client) -> None:
    event = {"action": "run", "args": {"command": "touch /workspace/no"}, "cloche": {"key": "g", "runtime": "another"}}
    answer = await good(client, "execute_action", event=event, session="gone")
    assert answer["observation"] == "error"
    assert "NOT executed" in answer["content"]
    assert (await good(client, "list_files", session="gone"))["files"] == []


async def test_a_session_that_is_named_is_a_sandbox_of_its_own(client: Client) -> None:
    await good(client, "run_python", code="mine = 1")
    other = await call(client, "run_python", code="mine", session="gone")
    assert "NameError" in text_of(other)


async def test_reset_gives_a_fresh_interpreter_or_a_fresh_sandbox(client: Client) -> None:
    await good(client, "run_python", code="x = 1; open('f.txt', 'w').close()", session="gone")
    await good(client, "reset", language="python", session="gone")
    assert "NameError" in text_of(await call(client, "run_python", code="x", session="gone"))
    assert [file["path"] for file in (await good(client, "list_files", session="gone"))["files"]] == [
        "/workspace/f.txt"
    ]
    await good(client, "reset", session="gone")
    assert (await good(client, "list_files", session="gone"))["files"] == []


async def test_the_names_of_earlier_servers_work(client: Client) -> None:
    assert (await good(client, "python_execute", code="6 * 7", timeout=20000))["value"] == "42"
    named = await good(client, "run_python_code", python_code="n + 1", global_variables={"n": 1})
    assert named["value"] == "2"
    for name in ("execute_bash", "pyodide_execute_bash"):
        assert (await good(client, name, command="echo hi"))["stdout"] == "hi\n"
    await good(client, "write_file", path="p.png", content=PIXEL, encoding="base64")
    assert "/workspace" in text_of(await call(client, "python_get_dirs"))
    listed = await call(client, "pyodide_list-mounted-directory", mountName="workspace")
    assert "/workspace/p.png" in text_of(listed)
    assert "`mountName`" in text_of(await call(client, "pyodide_list-mounted-directory", mountName="../x"))
    image = await call(client, "pyodide_read-image", mountName="workspace", imagePath="p.png")
    assert [block.type for block in image.content] == ["image", "text"]
    assert "requirement" in text_of(await call(client, "pyodide_install-packages", package="--no"))


@pytest.mark.parametrize("editor", ["str_replace_editor", "pyodide_str_replace_editor"])
async def test_the_editor_of_earlier_servers_works(client: Client, editor: str) -> None:
    path = f"/workspace/{editor}.txt"
    await good(client, editor, command="create", path=path, file_text="a\nb\n")
    assert "1\ta" in text_of(await call(client, editor, command="view", path=path))
    part = text_of(await call(client, editor, command="view", path=path, view_range=[2, -1]))
    assert "2\tb" in part
    assert "1\ta" not in part
    assert (await call(client, editor, command="view", path=path, view_range=[9, 9])).is_error
    assert (await good(client, editor, command="str_replace", path=path, old_str="b", new_str="c"))["diff"]
    assert (await call(client, editor, command="create", path=path, file_text="")).is_error


async def test_every_tool_and_argument_is_described(client: Client, request: pytest.FixtureRequest) -> None:
    remote = "http" in request.node.callspec.id
    tools = (await client.list_tools()).tools
    names = [
        "run_python",
        "run_bash",
        "run_code",
        "install_packages",
        *(["interrupt"] if remote else []),
        "reset",
        "read_file",
        "write_file",
        "edit_file",
        "list_files",
        *(["execute_action"] if remote else []),
    ]
    assert [tool.name for tool in tools][: len(names)] == names
    assert not remote or list(tools[0].input_schema["properties"]) == ["code", "timeout", "session"]
    for tool in tools[: len(names)]:
        given = tool.input_schema["properties"]
        assert tool.title
        assert tool.description
        assert "{" not in tool.description
        assert tool.output_schema
        assert [name for name, each in given.items() if not each.get("description")] == []
        assert ("session" in given) == remote
        assert "null" not in str(given)


async def test_hints_say_what_a_tool_can_do(client: Client) -> None:
    hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    given = {name: hint for name, hint in hints.items() if hint is not None}
    assert given.keys() == hints.keys()
    assert [name for name, hint in given.items() if hint.read_only_hint][:2] == ["read_file", "list_files"]
    assert [name for name, hint in given.items() if hint.open_world_hint][:1] == ["install_packages"]
    assert not given["run_python"].open_world_hint


async def test_every_answer_is_as_its_schema_says(client: Client) -> None:
    schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("run_python", {"code": "1/0"}),
        ("run_python", {"code": "print(1)\n2"}),
        ("run_bash", {"command": "exit 3"}),
        ("run_code", {"language": "sql", "code": "select 1 as a"}),
        ("write_file", {"path": "s.txt", "content": "a"}),
        ("read_file", {"path": "s.txt"}),
        ("edit_file", {"path": "s.txt", "old_str": "a", "new_str": "b"}),
        ("list_files", {}),
        ("interrupt", {}),
        ("execute_action", {"event": {"action": "run", "args": {"command": "true"}}}),
        ("reset", {"language": "python"}),
    ]
    for tool, arguments in calls:
        result = await call(client, tool, **arguments)
        if tool in schemas:
            jsonschema.validate(result.structured_content, cast("dict[str, Any]", schemas[tool]))
        assert not result.is_error


@pytest.mark.slow
async def test_live_output_that_is_too_long_ends_with_a_note(client: Client) -> None:
    heard: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    # A piece at a time, so that none is left out for coming too fast.
    command = "for i in {1..12}; do printf '%0100000d' 7; sleep 0.2; done"
    event = {"action": "run", "args": {"command": command, "blocking": True}, "timeout": PATIENCE}
    with anyio.fail_after(PATIENCE):
        await client.call_tool("execute_action", {"event": event}, progress_callback=hear)
    pieces = [json.loads(message) for message in heard]
    assert {piece["stream"] for piece in pieces} == {"stdout"}
    text = "".join(piece["text"] for piece in pieces)
    assert len(text) <= MCP_PROGRESS + len(NO_MORE)
    assert text.endswith(NO_MORE)
