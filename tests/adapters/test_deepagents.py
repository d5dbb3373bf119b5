"""A sandbox for Deep Agents."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends.protocol import BackendProtocol, FileDownloadResponse, FileUploadResponse

from cloche import Sandbox, SandboxUnavailable
from cloche.adapters.deepagents import ClocheSandbox
from tests.adapters.chat_model import TASK, Call, make_model, read_answers
from tests.adapters.page import run_example


def make_agent(backend: BackendProtocol, *calls: Call) -> Any:
    return create_deep_agent(make_model(*([call] for call in calls)), backend=backend)


CALLS: list[Call] = [
    ("write_file", {"file_path": "/workspace/src/a.py", "content": "print(6 * 8)\n"}),
    ("edit_file", {"file_path": "/workspace/src/a.py", "old_string": "8", "new_string": "7"}),
    ("read_file", {"file_path": "/workspace/src/a.py"}),
    ("ls", {"path": "/workspace"}),
    ("glob", {"pattern": "**/*.py", "path": "/workspace"}),
    ("grep", {"pattern": "print", "path": "/workspace"}),
    ("execute", {"command": "cd src && python3 a.py; echo oops >&2; exit 3"}),
    ("execute", {"command": "pwd"}),
    ("execute", {"command": "seq 100000"}),
    ("execute", {"command": "tail -n 1 /tmp/deepagents/large_tool_results/8-0"}),
]


@pytest.fixture(scope="module")
def backend() -> Iterator[ClocheSandbox]:
    with ClocheSandbox() as backend:
        yield backend


def check(found: list[str]) -> None:
    written, edited, text, listed, matched, line, failed, folder, long, whole = found
    assert "/workspace/src/a.py" in written
    assert "/workspace/src/a.py" in edited
    assert "print(6 * 7)" in text
    assert "/workspace/src" in listed
    assert "src/a.py" in matched
    assert "/workspace/src/a.py" in line
    assert "42\noops\n" in failed
    assert "exit code 3" in failed
    assert "/workspace\n" in folder
    assert "lines truncated" in long
    assert "/tmp/deepagents/large_tool_results/8-0" in long
    assert len(long) < 20_000
    assert "100000\n" in whole


def test_an_agent_gets_to_its_answer(backend: ClocheSandbox) -> None:
    check(read_answers(make_agent(backend.backend, *CALLS).invoke(TASK)))


def test_an_async_agent_gets_to_its_answer() -> None:
    async def main() -> None:
        async with Sandbox() as box:
            check(read_answers(await make_agent(ClocheSandbox(box).backend, *CALLS).ainvoke(TASK)))

    asyncio.run(main())


def test_without_a_place_for_it_long_output_is_cut(backend: ClocheSandbox) -> None:
    (shown,) = read_answers(make_agent(backend, ("execute", {"command": "seq 100000; exit 3"})).invoke(TASK))
    assert "characters left out" in shown
    assert "exit code 3]\n[Output was truncated" in shown


def test_files_go_in_and_come_out(backend: ClocheSandbox) -> None:
    given = [("/workspace/b.bin", b"\0\xff"), ("b.bin", b""), ("/etc/passwd", b""), ("/workspace", b"")]
    assert backend.upload_files(given) == [
        FileUploadResponse("/workspace/b.bin"),
        FileUploadResponse("b.bin", "invalid_path"),
        FileUploadResponse("/etc/passwd", "permission_denied"),
        FileUploadResponse("/workspace", "is_directory"),
    ]
    assert backend.download_files(["/workspace/b.bin", "/workspace/none", "/workspace", "/workspace/b.bin/x"]) == [
        FileDownloadResponse("/workspace/b.bin", b"\0\xff"),
        FileDownloadResponse("/workspace/none", error="file_not_found"),
        FileDownloadResponse("/workspace", error="is_directory"),
        FileDownloadResponse("/workspace/b.bin/x", error="invalid_path"),
    ]


def test_a_command_that_takes_too_long_is_stopped(backend: ClocheSandbox) -> None:
    done = backend.execute("echo begun; sleep 60", timeout=3)
    assert done.exit_code != 0
    assert done.output.startswith("begun\n\n[The command was stopped after ")
    assert backend.execute("echo on").output == "on\n"


def test_cancelling_stops_a_command(backend: ClocheSandbox) -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await backend.aexecute("sleep 60", timeout=0)
        async with asyncio.timeout(5):
            assert (await backend.aexecute("echo on")).output == "on\n"

    asyncio.run(main())


def test_a_command_that_is_too_long_is_answered(backend: ClocheSandbox) -> None:
    done = backend.execute("#" + "x" * 5_000_000)
    assert (done.exit_code, "over the limit" in done.output) == (126, True)


def test_a_closed_sandbox_says_so() -> None:
    backend = ClocheSandbox()
    assert backend.execute("echo here").output == "here\n"
    backend.close()
    with pytest.raises(SandboxUnavailable, match="this adapter is closed"):
        backend.execute("echo here")


def test_the_page_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("deepagents", make_model([("execute", {"command": "date"})]))
    assert capsys.readouterr().out == "done\n"
