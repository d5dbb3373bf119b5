"""Attempts to get out of a sandbox: each fails, and the interpreter goes on."""

import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import deno
import pytest
from anyio import to_thread

from cloche import Mount, Sandbox
from cloche.sandbox.cache.assets import ENGINE
from cloche.sandbox.confinement.confine import LayerName
from cloche.sandbox.confinement.probe import Layer, survey_host, try_layer
from tests.engine.languages.python.escape_attempts import ESCAPES
from tests.sandbox.conftest import OpenBox, clean

SECRET = "TheSecretOfTheHost"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")


async def alive(box: Sandbox) -> None:
    """The interpreter and the shell still answer."""
    result = await box.run("1 + 1", check=True)
    assert (result.value, result.state) == ("2", "kept")
    assert (await box.bash("echo $((1 + 1))", check=True)).stdout == "2\n"


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that no sandbox was given, in no folder whose name a guest knows."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = Path(folder, "outside", "secret")
        path.parent.mkdir()
        path.write_text(SECRET)
        yield path


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server on the host; the test fails if anyone calls."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.fixture(scope="module", params=["bubblewrap", "landlock"])
async def layered(request: pytest.FixtureRequest, prepared: object) -> AsyncGenerator[Sandbox]:
    """A sandbox in each layer that holds on this machine."""
    name: LayerName = request.param
    layer = await to_thread.run_sync(lambda: try_layer(name, survey_host(), deno.find_deno_bin()))
    if not layer.holds:
        pytest.skip(f"{name} does not hold: {layer.detail}")

    async def chosen(confinement: str) -> Layer:
        return layer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cloche.sandbox.sandbox.choose_layer", chosen)
        patch.setenv("CLOCHE_TEST_MARKER", SECRET)
        async with Sandbox(confinement="require") as box:
            assert f"{name}:" in next(held.detail for held in box.info.layers if held.name == "system")
            yield box


@pytest.fixture
async def confined(layered: Sandbox) -> AsyncGenerator[Sandbox]:
    """The same, with its folders empty again after the test, and the process it began with."""
    engine = getattr(layered, "_process")  # noqa: B009 - that nothing killed it is part of what is promised
    yield layered
    assert getattr(layered, "_process") is engine  # noqa: B009 - as above
    await clean(layered)


@pytest.fixture(scope="module")
async def cell(shared_box: Sandbox) -> AsyncGenerator[Sandbox]:
    """A sandbox that one attempt after the other leaves its names in, gone before the tests of other modules."""
    yield shared_box
    await clean(shared_box, "python")


@pytest.mark.parametrize("name", ESCAPES)
async def test_no_way_leads_out_of_the_interpreter(cell: Sandbox, name: str) -> None:
    result = await cell.run(ESCAPES[name], timeout=10)
    assert "LEAK" not in result.stdout + result.stderr + (result.value or "")
    assert not result.timed_out
    assert result.state == "kept", result.error
    assert (await cell.run("1 + 1", check=True)).value == "2"


async def test_a_sandbox_works_in_each_layer(confined: Sandbox) -> None:
    await confined.run("open('f', 'w').write('x')", check=True)
    assert (await confined.bash("cat f; python3 -c 'print(1)'", check=True)).stdout == "x1\n"
    result = await confined.run("while True: pass", timeout=0.3)
    assert (result.timed_out, result.state) == (True, "kept")
    await alive(confined)


CALLS = (
    "import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)\nprint('LEAK')",
    "import urllib.request\nprint('LEAK', urllib.request.urlopen('http://127.0.0.1:{port}/', timeout=2))",
    "import pyodide.http\nprint('LEAK', await pyodide.http.pyfetch('http://127.0.0.1:{port}/'))",
    "import pyodide.http\nprint('LEAK', pyodide.http.open_url('http://127.0.0.1:{port}/'))",
    "import http.client\nhttp.client.HTTPConnection('127.0.0.1', {port}, timeout=2).request('GET', '/')\nprint('LEAK')",
    "import asyncio\nprint('LEAK', await asyncio.open_connection('127.0.0.1', {port}))",
    "import socket\ns = socket.socket(type=socket.SOCK_DGRAM)\nprint('LEAK', s.sendto(b'x', ('127.0.0.1', {port})))",
    "from js import fetch\nprint('LEAK', await fetch('http://127.0.0.1:{port}/'))",
    "from js import WebSocket\nprint('LEAK', WebSocket.new('ws://127.0.0.1:{port}/'))",
)


async def test_python_has_no_network(confined: Sandbox, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    for code in CALLS:
        result = await confined.run(code.format(port=port), timeout=8)
        assert "LEAK" not in result.stdout, code
        assert result.error is not None, code
        assert not result.timed_out, code
    await alive(confined)


COMMANDS = (
    "exec 3<>/dev/tcp/127.0.0.1/{port} && echo LEAK",
    "echo hi > /dev/tcp/127.0.0.1/{port} && echo LEAK",
    "cat < /dev/udp/127.0.0.1/{port} && echo LEAK",
    "curl -s http://127.0.0.1:{port}/ && echo LEAK",
    "wget -q http://127.0.0.1:{port}/ && echo LEAK",
    "nc 127.0.0.1 {port} < /dev/null && echo LEAK",
)


async def test_bash_has_no_network(confined: Sandbox, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    for command in COMMANDS:
        result = await confined.bash(command.format(port=port), timeout=8)
        assert "LEAK" not in result.stdout, command
        assert not result.timed_out, command
        assert result.exit_code != 0, command
    await alive(confined)


LOOKS = (
    "import os\nprint(dict(os.environ))",
    "import os\nprint(os.getenv('CLOCHE_TEST_MARKER'), os.path.expandvars('$CLOCHE_TEST_MARKER'))",
    "print(open('/proc/self/environ').read())",
    "print(open('/proc/1/environ').read())",
    "import subprocess\nprint(subprocess.run('env; export -p; set', shell=True, capture_output=True).stdout)",
    "import posix\nprint(posix.environ)",
    "from js import Deno\nprint(Deno.env.toObject())",
    "from js import process\nprint(process.env)",
)


async def test_the_environment_of_the_host_is_not_visible(confined: Sandbox) -> None:
    for code in LOOKS:
        result = await confined.run(code)
        assert SECRET not in repr(result), code
        assert str(ENGINE) not in result.stdout, code
    await alive(confined)


async def test_bash_sees_nothing_of_the_hosts_environment(confined: Sandbox) -> None:
    result = await confined.bash(
        "env; export -p; set; cat /proc/self/environ /proc/1/environ; echo $CLOCHE_TEST_MARKER"
    )
    assert SECRET not in repr(result)
    assert "PATH=" in result.stdout


PATHS = (
    "{secret}",
    "/workspace/../../../../../../../../{secret}",
    "/workspace/link/../../../..{secret}",
    "/proc/self/root{secret}",
    "/proc/1/root{secret}",
    "/proc/self/cwd/../..{secret}",
    "/proc/self/fd/0",
    "/dev/fd/0/..{secret}",
    "/mnt/../..{secret}",
    "/tmp/../{secret}",
    "//{secret}",
)


async def test_paths_lead_to_nothing_outside(confined: Sandbox, secret: Path) -> None:
    for path in PATHS:
        wanted = path.format(secret=secret)
        for act in (
            "open(path).read()",
            "open(path, 'w').write('x')",
            "os.stat(path)",
            "os.listdir(os.path.dirname(path))",
        ):
            result = await confined.run(f"import os\npath = {wanted!r}\nprint('LEAK', {act})")
            assert SECRET not in repr(result), wanted
            assert "secret" not in result.stdout, wanted
        result = await confined.bash(f"cat '{wanted}'; cp '{wanted}' copy && cat copy; echo x > '{wanted}'")
        assert SECRET not in repr(result), wanted
        with pytest.raises(OSError, match=r"outside|No such file"):
            await confined.read(wanted)
        assert secret.read_text() == SECRET
    await alive(confined)


async def test_links_that_the_guest_plants_lead_the_guest_nowhere(confined: Sandbox, secret: Path) -> None:
    code = f"""
os.symlink({str(secret)!r}, 'link')
os.symlink({str(secret.parent)!r}, 'folder')
for act in (lambda: open('link').read(), lambda: open('folder/secret').read(), lambda: os.listdir('folder'),
            lambda: open('link', 'w').write('x'), lambda: open('folder/new', 'w').write('x'),
            lambda: os.chmod('link', 0)):
    try: print('LEAK', act())
    except OSError as error: print(type(error).__name__)
"""
    result = await confined.run(code, check=True)
    assert "LEAK" not in result.stdout
    result = await confined.bash(
        "cat link folder/secret; ls folder/; echo x > link; touch folder/new; cp link c; tar cf t link"
    )
    assert SECRET not in repr(result)
    assert [path.name for path in secret.parent.iterdir()] == ["secret"]
    assert secret.read_text() == SECRET
    await alive(confined)


async def test_links_that_the_guest_plants_do_not_lead_the_host_astray(
    confined: Sandbox, secret: Path, tmp_path: Path
) -> None:
    plant = f"ln -s {secret} link; ln -s {secret.parent} folder; ln -s / root; mkdir sub; ln -s ../link sub/up"
    assert (await confined.bash(f"{plant}; ls -A")).stdout.split() == ["folder", "link", "root", "sub"]
    for path in ("link", "folder/secret", f"root{secret}", "sub/up", "sub/../link"):
        with pytest.raises(OSError, match="outside"):
            await confined.read(path)
        with pytest.raises(OSError, match="outside"):
            await confined.write(path, b"overwritten")
        with pytest.raises(OSError, match="outside"):
            await confined.download(path, tmp_path / "got")
    for path in ("folder", "root", "root/etc"):
        with pytest.raises(OSError, match="outside"):
            await confined.files(path)
        with pytest.raises(OSError, match="outside"):
            await confined.upload(secret, f"{path}/new")
        with pytest.raises(OSError, match="outside"):
            await confined.mkdir(f"{path}/new")
        with pytest.raises(OSError, match="outside"):
            await confined.remove(f"{path}/secret")
    listed = {info.path: info.kind for info in await confined.files(recursive=True)}
    assert listed["/workspace/folder"] == "link"
    assert not any("secret" in path for path in listed)
    await confined.download("/workspace", tmp_path / "all")
    assert SECRET not in "".join(path.read_text() for path in (tmp_path / "all").rglob("*") if path.is_file())
    assert secret.read_text() == SECRET
    assert [path.name for path in secret.parent.iterdir()] == ["secret"]


async def test_links_that_a_mount_brings_lead_nowhere(open_box: OpenBox, secret: Path) -> None:
    mounted = secret.parent.parent / "mounted"
    mounted.mkdir()
    (mounted / "link").symlink_to(secret)
    (mounted / "folder").symlink_to(secret.parent)
    (mounted / "relative").symlink_to("../outside/secret")
    (mounted / "inner").write_text("fine")
    (mounted / "good").symlink_to("inner")
    box = await open_box(mounts=[Mount(mounted, "/mnt/m")])
    for path in ("link", "folder/secret", "relative"):
        result = await box.run(f"print(open('/mnt/m/{path}').read())")
        assert result.error is not None
        assert SECRET not in repr(result)
        assert SECRET not in repr(await box.bash(f"cat /mnt/m/{path}; cp -L /mnt/m/{path} /tmp/c; cat /tmp/c"))
        await box.bash(f"echo x > /mnt/m/{path}")
        with pytest.raises(OSError, match="outside"):
            await box.read(f"/mnt/m/{path}")
        with pytest.raises(OSError, match="outside"):
            await box.write(f"/mnt/m/{path}", b"x")
    assert (await box.run("open('/mnt/m/good').read()", check=True)).value == "'fine'"
    assert secret.read_text() == SECRET
    assert [path.name for path in secret.parent.iterdir()] == ["secret"]
    await alive(box)


async def test_other_sandboxes_and_the_control_channel_are_out_of_reach(confined: Sandbox, open_box: OpenBox) -> None:
    other = await open_box()
    await other.write("private", SECRET)
    workspace = Path(next(folder.host for folder in other.info.folders if folder.target == "/workspace"))
    own = Path(next(folder.host for folder in confined.info.folders if folder.target == "/workspace"))
    look = f"""
import os, socket
print(os.listdir('/tmp'))
for path in {[str(workspace), str(workspace.parent), str(own.parent / "c"), str(own.parent.parent)]!r}:
    try: print('LEAK', os.listdir(path))
    except OSError: pass
try: print('LEAK', open({str(workspace / "private")!r}).read())
except OSError: pass
try:
    s = socket.socket(socket.AF_UNIX)
    s.connect({str(own.parent / "c" / "s")!r})
    print('LEAK')
except (OSError, AttributeError): pass
"""
    result = await confined.run(look, check=True)
    assert result.stdout == "[]\n"
    result = await confined.bash(f"ls {workspace}; ls {own.parent}; cat {workspace}/private; ls -R /tmp /proc")
    assert SECRET not in repr(result)
    assert not (own.parent / "c" / "s").exists()
    with pytest.raises(OSError, match=r"outside|No such file"):
        await confined.read(str(workspace / "private"))
    await alive(confined)


async def test_nothing_of_the_host_shows_in_well_known_places(confined: Sandbox) -> None:
    for path in ("/etc/passwd", "/etc/hostname", "/proc/version", "/proc/cpuinfo", "/proc/self/mountinfo"):
        known = Path(path).read_text() if Path(path).exists() else ""
        for result in (await confined.run(f"print(open('{path}').read())"), await confined.bash(f"cat {path}")):
            lines = [line for line in known.splitlines() if len(line) > 12]
            assert not any(line in result.stdout for line in lines), path
            assert socket.gethostname() not in result.stdout, path
    for path in ("/root", "/usr/lib", "/sys/class/net", "/var"):
        known = {each.name for each in Path(path).iterdir()} if Path(path).exists() else set[str]()
        result = await confined.run(f"import os\nprint(os.listdir('{path}'))")
        assert len([name for name in known if f"'{name}'" in result.stdout]) < 3, path


async def test_raw_files_cannot_be_made(box: Sandbox) -> None:
    for code in (
        "os.mknod('dev', 0o60600, 0)",
        "os.mkfifo('pipe')",
        "os.link('/etc/passwd', 'hard')",
        "os.chroot('/')",
        "os.mount",
    ):
        result = await box.run(f"import os\n{code}")
        assert result.error is not None, code
    await alive(box)
