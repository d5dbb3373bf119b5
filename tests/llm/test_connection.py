"""Connections: proxies, certificates, and where a key goes."""

import logging
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import trustme

from cloche.config import LLMConfig, Secret
from cloche.errors import ConfigError, LLMError, LLMUnauthorized, LLMUnavailable
from cloche.llm import ask, open_llm
from cloche.llm.scripted_server import ScriptedServer, ServerTurn
from tests.llm.conftest import HELLO, WAIT, Connect, serving

KEY = "sk-0123456789abcdef"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def make_tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.tempfile() as path:
        context.load_cert_chain(path)
    return context


async def test_the_key_is_sent_in_the_way_of_the_api(connect: Connect) -> None:
    async with serving(["ok"] * 2, key=KEY) as server:
        async with connect(server, api_key=Secret(KEY)) as llm:
            assert (await ask(llm, HELLO)).text == "ok"
        async with connect(server, api_key=Secret("wrong-key")) as llm:
            with pytest.raises(LLMUnauthorized, match="The key is not valid"):
                await ask(llm, HELLO)


async def test_no_redirect_is_followed(connect: Connect) -> None:
    async with serving(["stolen"]) as other:
        moved = ServerTurn(status=307, headers={"location": f"{other.base_url}/chat/completions"})
        async with ScriptedServer([moved]) as server, connect(server, api_key=Secret(KEY)) as llm:
            with pytest.raises(LLMError, match="a key goes to no other server"):
                await ask(llm, HELLO)
        assert other.received == []


async def test_a_key_is_in_no_log_and_no_error(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    turns = [ServerTurn(status=401, error=f"the key {KEY} is wrong, and so is topsecret"), ServerTurn(fault="reset")]
    async with serving(turns) as server:
        base = (server.base_url if connect.api == "openai" else server.origin).replace("//", "//joe:pa55word@")
        for _ in turns:
            options: dict[str, Any] = {
                "base_url": f"{base}?key=topsecret",
                "headers": {"x-team": Secret("t3am-secret")},
            }
            async with connect(server, api_key=Secret(KEY), **options) as llm:
                with pytest.raises(LLMError) as found:
                    await ask(llm, HELLO)
            shown = f"{found.value} {found.value!r} {found.value.__cause__!r} {llm!r} {vars(llm)} {caplog.text}"
            assert [each for each in (KEY, "pa55word", "topsecret", "t3am-secret") if each in shown] == []
    assert server.received[0].path.endswith("?key=topsecret")
    assert "127.0.0.1" in caplog.text


async def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(["from behind the proxy"] * 2) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        async with open_llm(LLMConfig(model="m", base_url="http://model.invalid/v1?key=topsecret")) as llm:
            assert (await ask(llm, HELLO)).text == "from behind the proxy"
        assert proxy.received[0].path == "http://model.invalid/v1/chat/completions?key=topsecret"
        monkeypatch.setenv("NO_PROXY", "model.invalid")
        async with open_llm(LLMConfig(model="m", base_url="http://model.invalid/v1", num_retries=0)) as llm:
            with pytest.raises(LLMUnavailable, match=r"could not be reached.*\[llm\] base_url"):
                await ask(llm, HELLO)
        assert len(proxy.received) == 1


async def test_a_server_of_this_machine_is_asked_without_a_proxy(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving(["direct"]) as server, connect(server) as llm:
        assert (await ask(llm, HELLO)).text == "direct"


@pytest.mark.parametrize("proxy", ["socks5://joe:pa55word@h:1", "gopher://joe:pa55word@h", "http://joe:pa55word@h:x"])
async def test_a_proxy_that_cannot_be_used_is_explained(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with anyio.fail_after(WAIT), pytest.raises(ConfigError, match=r"the proxy of .* cannot be used") as found:
        async with open_llm(LLMConfig(model="m", base_url="http://model.invalid/v1", num_retries=0)) as llm:
            await ask(llm, HELLO)
    assert "pa55word" not in str(found.value)


async def test_certificates_that_cannot_be_read_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with anyio.fail_after(WAIT), pytest.raises(ConfigError, match="SSL_CERT_FILE or SSL_CERT_DIR cannot be read"):
        async with open_llm(LLMConfig(model="m", base_url="http://localhost:9/v1")) as llm:
            await ask(llm, HELLO)


def test_a_model_can_be_opened_before_there_is_an_event_loop() -> None:
    assert open_llm(LLMConfig(model="m", base_url="http://localhost:9/v1")).model == "m"


@contextmanager
def refusing_proxy() -> Generator[str]:
    """A proxy that wants a password."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 407 Password Wanted\r\ncontent-length: 0\r\n\r\n")

        thread = threading.Thread(target=refuse)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(WAIT)


async def test_a_proxy_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing_proxy() as proxy, anyio.fail_after(WAIT):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        async with open_llm(LLMConfig(model="m", base_url="https://model.invalid/v1", api_key=Secret(KEY))) as llm:
            with pytest.raises(LLMUnavailable, match=r"the proxy said: 407.*HTTPS_PROXY"):
                await ask(llm, HELLO)


async def test_certificates_of_the_environment_are_trusted(
    connect: Connect, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(["ok"], tls=make_tls(authority)) as server:
        authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        async with connect(server, num_retries=3) as llm:
            with pytest.raises(LLMUnavailable, match=r"certificate that is not trusted.*Set SSL_CERT_FILE") as found:
                await ask(llm, HELLO)
        assert not found.value.passing
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        async with connect(server) as llm:
            assert (await ask(llm, HELLO)).text == "ok"


async def test_a_server_that_is_not_there_is_named(connect: Connect) -> None:
    async with serving([]) as server:
        pass
    with anyio.fail_after(WAIT):
        async with connect(server, num_retries=1) as llm:
            with pytest.raises(LLMUnavailable, match=r"could not be reached.*Check that it runs.*2 attempts"):
                await ask(llm, HELLO)


def _find_nothing(name: str) -> None:
    assert name == "httpx2"


async def test_a_missing_library_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.llm.connection.find_spec", _find_nothing)
    with pytest.raises(ConfigError, match=r"pip install 'cloche\[agent\]'"):
        open_llm(LLMConfig(model="m", base_url="http://localhost:1/v1"))


def test_importing_models_imports_no_http_library() -> None:
    code = "import sys, cloche.llm; print([name for name in ('httpx2', 'httpcore2') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=15, check=True)
    assert done.stdout == "[]\n"
