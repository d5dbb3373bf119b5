"""Questions that the host cannot answer in time: an index and a server that take a connection and say nothing."""

import socket
from collections.abc import Iterator

import pytest

from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.timeout(120)

PYTHON = [
    "%pip install nobody",
    "!pip install nobody",
    "import micropip; await micropip.install('nobody')",
    "import nobody_has_this",
    "import urllib.request; urllib.request.urlopen('http://{place}/')",
]
BASH = ["pip install nobody", "git clone http://{place}/r.git", "curl http://{place}/", "wget -q http://{place}/"]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where nobody answers; it is the only index too."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(100)
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        monkeypatch.setenv("PIP_INDEX_URL", f"http://{place}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        yield place


@pytest.mark.slow
async def test_a_time_limit_ends_every_wait_for_the_host_and_costs_no_variables(open_box: OpenBox, place: str) -> None:
    box = await open_box(allow_net=[place], auto_install=True)
    await box.run("x = 5\nimport urllib.request, micropip", check=True)
    for language, code in [*(("python", each) for each in PYTHON), *(("bash", each) for each in BASH)]:
        result = await box.run(code.format(place=place), language=language, timeout=1)
        assert (code, result.timed_out, result.state) == (code, True, "kept")
        assert result.duration < 3
    assert (await box.run("x")).value == "5"
    assert (await box.bash("ls")).stdout == ""


@pytest.mark.slow
async def test_timeout_and_kill_of_the_shell_end_what_waits_for_the_host(open_box: OpenBox, place: str) -> None:
    box = await open_box(allow_net=[place])
    for command in BASH:
        result = await box.bash(f"timeout 0.5 {command.format(place=place)} >/dev/null; echo $?", timeout=10)
        assert (command, result.stdout, result.duration < 5) == (command, "124\n", True)
        result = await box.bash(f"{command.format(place=place)} >/dev/null 2>&1 & kill %1; wait; echo over", timeout=10)
        assert (command, result.stdout, result.duration < 5) == (command, "over\n", True)
