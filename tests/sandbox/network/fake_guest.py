"""The guest's end of a question, for tests that need no engine."""

from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

import anyio

from cloche.sandbox.network.broker import NetworkBroker
from cloche.sandbox.network.dialer import resolve_host
from cloche.sandbox.network.network_limits import NetworkLimits
from cloche.sandbox.network.policy import Policy
from cloche.sandbox.network.request_log import NetworkRequest, RequestLog
from cloche.sandbox.network.secret_headers import Secret, SecretHeaders


class Asked:
    """One question: what is sent with it, and what came back."""

    def __init__(self, pieces: tuple[bytes, ...] = (), **question: Any) -> None:
        self.content: dict[str, Any] = {"kind": "fetch", **question}
        self.data: dict[str, Any] = {}
        self.received = b""
        self.answered = anyio.Event()
        self.some = anyio.Event()
        self._pieces = pieces

    async def body(self) -> AsyncGenerator[bytes]:
        for piece in self._pieces:
            yield piece

    def respond(self, data: Any) -> None:
        self.data = data
        self.answered.set()

    async def send(self, data: bytes) -> None:
        self.received += data
        self.some.set()

    @property
    def headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.data["headers"]}


class Guest:
    """Asks a broker of its own."""

    def __init__(
        self,
        allow_net: list[str],
        secrets: Mapping[str, Secret] | None = None,
        *,
        resolver: Callable[[str], Any] = resolve_host,
        **limits: Any,
    ) -> None:
        self.records = RequestLog()
        policy = Policy(allow_net)
        chosen = NetworkLimits(**{"total": 8, **limits})
        self.broker = NetworkBroker(
            policy, SecretHeaders(secrets, policy), limits=chosen, records=self.records, resolver=resolver
        )

    async def fetch(self, url: str, *pieces: bytes, **question: Any) -> Asked:
        asked = Asked(pieces, url=url, **question)
        with anyio.fail_after(10):
            await self.broker.fetch(asked)
        return asked

    @property
    def last(self) -> NetworkRequest:
        return self.records.all[-1]
