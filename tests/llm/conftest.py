"""What the tests of models share: both APIs, and a model at a scripted server."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, Protocol

import anyio
import pytest

from cloche.config import LLMConfig
from cloche.llm import LLM, Message, Retry, open_llm
from cloche.llm.scripted_server import ScriptedServer
from cloche.llm.scripted_server.turns import Script

WAIT = 10
"""Seconds that a test with a server may take."""

HELLO = [Message("system", "Be brief."), Message("user", "Hello?")]


@asynccontextmanager
async def serving(script: Script, **options: Any) -> AsyncGenerator[ScriptedServer]:
    """A scripted server; the test has to be done with it in time."""
    with anyio.fail_after(WAIT):
        async with ScriptedServer(script, **options) as server:
            yield server


class Connect(Protocol):
    """Opens the model of a scripted server."""

    api: Literal["openai", "anthropic"]

    def __call__(
        self, server: ScriptedServer, *, on_retry: Callable[[Retry], None] | None = None, **options: Any
    ) -> LLM: ...


class _Connect:
    def __init__(self, api: Literal["openai", "anthropic"]) -> None:
        self.api: Literal["openai", "anthropic"] = api

    def __call__(
        self, server: ScriptedServer, *, on_retry: Callable[[Retry], None] | None = None, **options: Any
    ) -> LLM:
        base = server.base_url if self.api == "openai" else server.origin
        given: dict[str, Any] = {"model": "a-model", "base_url": base, "api": self.api, "num_retries": 0, **options}
        return open_llm(LLMConfig(**given), on_retry=on_retry)


@pytest.fixture(params=["openai", "anthropic"])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Opens a model with either API."""
    return _Connect(request.param)


@pytest.fixture
def connect_openai() -> Connect:
    """Opens a model with the API of OpenAI."""
    return _Connect("openai")


@pytest.fixture
def connect_anthropic() -> Connect:
    """Opens a model with the API of Anthropic."""
    return _Connect("anthropic")
