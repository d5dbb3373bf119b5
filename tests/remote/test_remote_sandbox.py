"""A sandbox at a server does what an embedded one does."""

import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest

import cloche
from cloche.errors import ConfigError, ServerUnauthorized, ServerUnavailable
from cloche.options import OPTIONS
from cloche.sandbox.results.result import Result, Text
from tests.remote.conftest import Connect
from tests.sandbox.packages.wheel_index import make_wheel
from tests.server.conftest import OWNER, RunningServer

PATIENCE = 60
pytestmark = pytest.mark.timeout(90)


def _double(prompt: str) -> str:
    return prompt * 2


def _end(_: str) -> None:
    return None


PICTURE = "from IPython.display import HTML, display\ndisplay(HTML('<b>hi</b>'))\nimport json\n{'a': [1, 2.5, None]}"
PROGRAMS: dict[str, Callable[[Any], Awaitable[object]]] = {
    "a value": lambda box: box.run("print('out'); import sys; print('err', file=sys.stderr); 6 * 7"),
    "displays and data": lambda box: box.run(PICTURE),
    "an error": lambda box: box.run("def f():\n    1 / 0\nf()"),
    "bash": lambda box: box.bash("echo out; echo err >&2; cd /tmp; exit 3"),
    "ruby": lambda box: box.run("puts ARGV.inspect; [3, 1, 2].sort", language="ruby", args=["a b", "ü"]),
    "a time limit": lambda box: box.run("while True: pass", timeout=0.5),
    "stdin as text": lambda box: box.bash("tr a-z A-Z", stdin="hällo\n"),
    "stdin as bytes": lambda box: box.bash("od -c", stdin=b"\xff\x00\n"),
    "input": lambda box: box.run("print([input('a? '), input('b? ')])", on_input=_double),
    "the end of the input": lambda box: box.run("input()", on_input=_end),
    "a lost interpreter": lambda box: box.run("sum(range(10**12))", timeout=0.3),
    "much output": lambda box: box.run("for i in range(40000): print('line', i, 'of many')"),
    "signs": lambda box: box.run("print('\\x00\\x1b[1m \\ud83d', '😀')"),
    "completion": lambda box: box.complete("import o; o.pa"),
    "completion in bash": lambda box: box.complete("ech", language="bash"),
    "completeness": lambda box: box.is_complete("if True:"),
    "inspection": lambda box: box.inspect("len"),
    "inspection of nothing": lambda box: box.inspect("nothing_here"),
    "no such language": lambda box: box.run("1", language="klingon"),
    "a wrong time limit": lambda box: box.run("1", timeout=-1),
    "too much code": lambda box: box.run("#" * (5 << 20)),
    "code that is no text": lambda box: box.run(b"1"),
    "no file": lambda box: box.read("missing.txt"),
    "a folder": lambda box: box.read("/tmp"),
    "outside": lambda box: box.read("/etc/shadow"),
    "too large": lambda box: box.read("/workspace/hello.txt", limit=2),
    "a file as a folder": lambda box: box.files("/workspace/hello.txt"),
    "removing nothing": lambda box: box.remove("nothing"),
    "removing a full folder": lambda box: box.remove("full"),
    "removing the workspace": lambda box: box.remove("/workspace", recursive=True),
    "what is there": lambda box: _names(box),
    "an unknown package": lambda box: box.install("no/such/package"),
    "unloading": lambda box: box.unload("ruby"),
    "a reset": lambda box: _reset(box),
    "a variable of the environment": lambda box: _set_env(box),
    "a wrong variable": lambda box: box.set_env({"a=b": "c"}),
    "a check": lambda box: box.run("1/0", check=True),
    "a check of bash": lambda box: box.bash("echo no >&2; exit 4", check=True),
}
UNEQUAL = ("duration", "notice")
"""Fields of a Result that are not the same twice."""


async def _names(box: Any) -> object:
    return [(file.path, file.kind, file.size, file.mode) for file in await box.files("/workspace", recursive=True)]


async def _reset(box: Any) -> object:
    await box.run("x = 1")
    await box.reset()
    return await box.run("x")


async def _set_env(box: Any) -> object:
    await box.set_env({"NAME": "Ada 'x' $HOME"})
    return (await box.run("import os; os.environ['NAME']")).value, (await box.bash('echo "$NAME"')).stdout


async def outcome(box: Any, act: Callable[[Any], Awaitable[object]]) -> object:
    """What a program gives, or the error that it raises, without what differs from one time to the next."""
    try:
        value = await act(box)
    except Exception as error:  # noqa: BLE001 - compared
        result = getattr(error, "result", None)
        known = (error.errno, error.filename) if isinstance(error, OSError) else ()
        return type(error), str(error), known, _plain(result)
    return _plain(value)


def _plain(value: object) -> object:
    if not isinstance(value, Result):
        return value
    plain = msgspec.to_builtins(value)
    return {name: each for name, each in plain.items() if name not in UNEQUAL}


async def test_every_method_gives_the_same_here_and_at_a_server(connect: Connect) -> None:
    with anyio.fail_after(PATIENCE):
        async with cloche.Sandbox() as near, connect() as far:
            for box in (near, far):
                await box.write("hello.txt", "hello")
                await box.mkdir("full/of")
            for name, act in PROGRAMS.items():
                assert await outcome(far, act) == await outcome(near, act), name


def test_it_has_the_methods_of_a_sandbox() -> None:
    for name, verb in inspect.getmembers(cloche.Sandbox):
        if name.startswith("_"):
            continue
        same = getattr(cloche.RemoteSandbox, name)
        if inspect.isfunction(verb):
            assert inspect.signature(same) == inspect.signature(verb), name
            assert inspect.isasyncgenfunction(same) == inspect.isasyncgenfunction(verb), name
        else:
            assert isinstance(same, property), name


def test_options_that_a_client_may_choose_are_marked() -> None:
    assert {name for name, option in OPTIONS.items() if option.remote} == {
        *("languages", "env", "memory_mb", "timeout", "output_limit", "allow_net", "packages", "auto_install")
    }
    names = {name for name in OPTIONS if f"`{name}`" in (cloche.connect.__doc__ or "")}
    assert names == {name for name, option in OPTIONS.items() if option.remote}


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if not option.remote])
def test_other_options_are_refused_before_anything_is_sent(name: str) -> None:
    wrong: Any = {name: "none" if name == "confinement" else not OPTIONS[name].default or "x"}
    with pytest.raises(ConfigError, match=f"{name}= is not possible at a server, where its owner decides"):
        cloche.connect("http://127.0.0.1:9", "t", **wrong)
    cloche.connect("http://127.0.0.1:9", "t", **{name: OPTIONS[name].default})


def test_what_is_no_option_is_named() -> None:
    with pytest.raises(TypeError, match="no option 'memory'"):
        cloche.connect("http://127.0.0.1:9", memory=3)  # pyright: ignore[reportCallIssue] - wrong on purpose


async def test_options_reach_the_sandbox(connect: Connect) -> None:
    with anyio.fail_after(PATIENCE):
        async with connect(env={"NAME": "Ada"}, memory_mb=128, output_limit=1000, timeout=0.5) as box:
            assert box.info.memory_limit_mb == 128
            assert (await box.run("import os; os.environ['NAME']")).value == "'Ada'"
            assert (await box.run("print('x' * 5000)")).truncated
            assert (await box.run("while True: pass")).timed_out


async def test_what_the_server_does_not_give_is_refused_and_leaves_nothing(
    connect: Connect, server: RunningServer
) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"memory_mb": 4096}, "memory_mb=4096"),
        ({"allow_net": ["pypi.org"]}, "reach nothing"),
    ]
    for options, said in wrong:
        with pytest.raises(ConfigError, match=said):
            async with connect(**options):
                pass
    async with server.client() as api:
        answer = await api.post("/api/sessions", json={"sandbox": {"mounts": ["/etc"], "confinement": "none"}})
        assert answer.status_code == 422
        assert "mounts" in answer.json()["detail"] or "confinement" in answer.json()["detail"]


async def test_output_is_streamed_as_it_comes_and_whole(box: cloche.RemoteSandbox) -> None:
    code = "import time\nprint('first', flush=True)\ntime.sleep(2)\nfor i in range(100000): print('line', i)\n'last'"
    heard: list[str] = []
    ended: list[Result] = []
    with anyio.fail_after(PATIENCE):
        async for event in box.stream(code, timeout=30):
            if isinstance(event, Text):
                assert event.text == "first\n" or heard
                heard.append(event.text)
            elif isinstance(event, Result):
                ended.append(event)
    assert "".join(heard) == "first\n" + "".join(f"line {i}\n" for i in range(100_000))
    assert [each.value for each in ended] == ["'last'"]


async def test_files_of_any_size_go_there_and_back(
    box: cloche.RemoteSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(range(256)) * 12_000
    with anyio.fail_after(PATIENCE):
        for size in (0, 1, 512 * 1024, 512 * 1024 + 1, len(data)):
            await box.write("data.bin", data[:size])
            assert await box.read("data.bin") == data[:size]
        source = anyio.Path(tmp_path / "in" / "sub")
        await source.mkdir(parents=True)
        await (source / "x.bin").write_bytes(data)
        await (source / "run.sh").write_text("echo ran")
        await (source / "run.sh").chmod(0o755)
        told: list[int] = []
        await box.upload(tmp_path / "in", "got", progress=told.append)
        assert told[-1] == len(data) + 8
        assert (await box.bash("cd got/sub && ./run.sh && wc -c < x.bin")).stdout.split() == ["ran", str(len(data))]
        await box.upload(tmp_path / "in" / "sub" / "run.sh", "got")
        assert (await box.read("got/run.sh")) == b"echo ran"
        await box.download("got", tmp_path / "out", progress=told.append)
        assert await anyio.Path(tmp_path / "out" / "sub" / "x.bin").read_bytes() == data
        await box.download("got/run.sh", tmp_path / "out")
        await box.download("got/run.sh", tmp_path / "other.sh")
        assert await anyio.Path(tmp_path / "other.sh").read_text() == "echo ran"
        with pytest.raises(FileNotFoundError):
            await box.upload(tmp_path / "nowhere", "x")
        with pytest.raises(FileNotFoundError, match="nowhere"):
            await box.download("nowhere", tmp_path / "x")


async def test_more_than_the_server_takes_is_refused(box: cloche.RemoteSandbox) -> None:
    with anyio.fail_after(PATIENCE):
        with pytest.raises(ServerUnavailable, match=r"more than .* bytes.*upload_mb"):
            await box.write("big", bytes(9 << 20))
        assert await box.files() == []


async def test_changes_are_shown_since_the_start_and_since_a_mark(connect: Connect) -> None:
    with anyio.fail_after(PATIENCE):
        async with connect() as box, connect() as other:
            await box.write("a.txt", "one\n")
            assert "+one" in (await box.diff()).patch
            mark = await box.mark()
            await box.bash("echo two >> a.txt")
            changed = await box.diff(mark)
            assert "+two" in changed.patch
            assert [(each.path, each.status) for each in changed.files] == [("a.txt", "changed")]
            for wrong in (await other.mark(), cloche.Mark("/workspace", {}, complete=True)):
                with pytest.raises(ConfigError, match="another sandbox"):
                    await box.diff(wrong)


async def test_what_is_saved_at_a_server_goes_on_here(box: cloche.RemoteSandbox, tmp_path: Path) -> None:
    with anyio.fail_after(PATIENCE):
        await box.run("x = 41")
        await box.write("a.txt", "kept")
        saved = await box.save(tmp_path / "saved.bin")
        async with cloche.Sandbox(from_=saved) as here:
            assert (await here.run("x + 1")).value == "42"
            assert await here.read("a.txt") == b"kept"
    assert [path.name for path in tmp_path.iterdir()] == ["saved.bin"]


async def test_an_interrupt_stops_what_runs_and_nothing_else(box: cloche.RemoteSandbox) -> None:
    results: list[Result] = []

    async def run() -> None:
        async for event in box.stream("print('on', flush=True)\nwhile True: pass", timeout=None):
            if isinstance(event, Text):
                begun.set()
            elif isinstance(event, Result):
                results.append(event)

    begun = anyio.Event()
    with anyio.fail_after(PATIENCE):
        assert not await box.interrupt()
        await box.run("x = 1")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await begun.wait()
            assert await box.interrupt()
        assert results[0].error is not None
        assert (results[0].error.type, results[0].state) == ("KeyboardInterrupt", "kept")
        assert (await box.run("x")).value == "1"


async def test_calls_are_made_in_order(box: cloche.RemoteSandbox) -> None:
    with anyio.fail_after(PATIENCE):
        await box.run("seen = []")
        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(box.run, f"seen.append({number})")
        assert (await box.run("seen")).value == str([*range(10)])


async def test_a_call_that_nobody_waits_for_is_stopped(box: cloche.RemoteSandbox) -> None:
    with anyio.fail_after(PATIENCE):
        with anyio.move_on_after(1):
            await box.run("n = 0\nwhile True: n += 1", timeout=None)
        assert (await box.run("n > 0")).value == "True"
        async for event in box.stream("print('on', flush=True)\nwhile True: pass", timeout=None):
            if isinstance(event, Text):
                break
        assert (await box.run("1 + 1")).value == "2"


async def test_questions_are_answered_by_any_function(box: cloche.RemoteSandbox) -> None:
    asked: list[tuple[str, bool]] = []

    async def answer(prompt: str, *, password: bool) -> str:
        await anyio.lowlevel.checkpoint()
        asked.append((prompt, password))
        return "sesame"

    def fail(_: str) -> str:
        raise LookupError("nobody is there")

    async def never(_: str) -> str:
        await anyio.sleep_forever()
        raise AssertionError

    with anyio.fail_after(PATIENCE):
        code = "import getpass; [input('name? '), getpass.getpass('word? ')]"
        assert (await box.run(code, on_input=answer)).value == "['sesame', 'sesame']"
        assert asked == [("name? ", False), ("word? ", True)]
        with pytest.raises(LookupError, match="nobody"):
            await box.run("input()", on_input=fail)
        with anyio.move_on_after(1):
            await box.run("input()", on_input=never, timeout=None)
        assert (await box.run("'next'")).value == "'next'"


async def test_packages_are_known_after_the_call_that_installs_them(box: cloche.RemoteSandbox, tmp_path: Path) -> None:
    with anyio.fail_after(PATIENCE):
        assert box.packages == []
        (added,) = await box.install(make_wheel(tmp_path, "mine", files={"mine.py": b"x = 1"}))
        assert box.packages == [added]
        assert not added.blob.is_absolute()
        assert (await box.run(f"import {added.imports[0]}")).ok
        with pytest.raises(ConfigError, match="no wheel"):
            await box.install(Path("requirements.txt"))
        for wrong in ("https://example.com/x-1-py3-none-any.whl", "/etc/x-1-py3-none-any.whl"):
            with pytest.raises((cloche.PackageError, ConfigError)):
                await box.install(wrong)


async def test_two_clients_share_a_session_which_stays_until_its_owner_leaves(connect: Connect) -> None:
    with anyio.fail_after(PATIENCE):
        async with connect(title="shared") as box:
            await box.run("x = 1")
            async with connect(session=box.session) as other:
                assert (await other.run("x")).value == "1"
                await other.run("x = 2")
            assert (await box.run("x")).value == "2"
            with pytest.raises(ConfigError, match="session= names one that exists"):
                connect(session=box.session, memory_mb=128)
        with pytest.raises(ServerUnavailable, match="there is no session"):
            async with connect(session=box.session):
                pass
        with pytest.raises(ServerUnavailable, match="closed"):
            await box.run("1")


async def test_what_is_kept_is_there_afterwards(connect: Connect, server: RunningServer) -> None:
    with anyio.fail_after(PATIENCE):
        async with connect(keep=True, title="kept") as box:
            await box.run("print('on record')")
            await box.write("a.txt", "hi")
            await box.set_env({"KEY": "value-of-it"})
        async with server.client() as api:
            view = (await api.get(f"/api/sessions/{box.session}")).json()
            assert (view["title"], view["state"]) == ("kept", "stored")
            events = (await api.get(f"/api/sessions/{box.session}/events")).json()["events"]
            pairs = [(each.get("action"), each.get("observation"), each.get("content")) for each in events]
            assert ("run_code", None, None) in pairs
            assert (None, "run_code", "on record\n") in pairs
            calls = [each["args"] for each in events if each.get("action") == "sandbox_call"]
            assert [(each["verb"], each["arguments"]) for each in calls] == [
                ("write", {"path": "a.txt", "bytes": 2}),
                ("set_env", {"names": ["KEY"]}),
            ]
            assert "value-of-it" not in str(events)
            answered = {each["cause"] for each in events if "cause" in each}
            assert {each["id"] for each in events if "action" in each} <= answered | {0}
        async with connect(session=box.session) as again:
            assert await again.read("a.txt") == b"hi"


async def test_a_sandbox_that_was_stopped_is_reported_once_and_its_files_are_kept(
    connect: Connect, server: RunningServer
) -> None:
    with anyio.fail_after(PATIENCE):
        async with connect() as box:
            await box.run("x = 1")
            await box.write("a.txt", "kept")
            await server.app.manager.stop(box.session)
            with pytest.raises(ServerUnavailable, match=r"is gone, with its variables.* The call was NOT made"):
                await box.run("open('made', 'w')")
            assert [file.path for file in await box.files()] == ["/workspace/a.txt"]
            assert (await box.run("x")).error is not None


async def test_tokens_decide_what_may_be_done(connect: Connect, server: RunningServer) -> None:
    reader = await server.add_user("reader", "read")
    ada = await server.add_user("ada")
    with anyio.fail_after(PATIENCE):
        for token, said in (
            ("wrong", "does not accept the token"),
            (None, "does not accept"),
            (reader, "may only read"),
        ):
            with pytest.raises(ServerUnauthorized, match=said):
                async with connect(token):
                    pass
        async with connect() as box:
            with pytest.raises(ServerUnavailable, match="there is no session"):
                async with connect(ada, session=box.session):
                    pass
        async with connect(ada) as own, connect(OWNER, session=own.session) as seen:
            await own.run("x = 1")
            assert (await seen.run("x")).value == "1"


async def test_an_unreachable_server_is_reported_soon() -> None:
    with anyio.fail_after(PATIENCE):
        with pytest.raises(ServerUnavailable, match=r"http://127\.0\.0\.1:9 could not be reached .*cloche serve"):
            async with cloche.connect("http://127.0.0.1:9", "t"):
                pass


async def test_it_is_used_after_it_is_opened(connect: Connect) -> None:
    box = connect()
    with pytest.raises(ServerUnavailable, match="async with"):
        await box.run("1")
    with pytest.raises(ServerUnavailable):
        _ = box.info
    await box.close()
    await box.close()


async def test_scripts_have_it_with_blocking_methods(server: RunningServer) -> None:
    def script() -> tuple[str | None, list[str], bytes]:
        with cloche.connect_sync(server.url, OWNER, timeout=20) as box:
            value = box.run("6 * 7").value
            texts = [event.text for event in box.stream("print(1)") if isinstance(event, Text)]
            box.write("a", b"b")
            return value, texts, box.read("a")

    with anyio.fail_after(PATIENCE):
        assert await anyio.to_thread.run_sync(script) == ("42", ["1\n"], b"b")
