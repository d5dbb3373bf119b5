"""The network of one sandbox, according to its options; without allow_net, the broker is not even imported."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cloche.errors import ConfigError
from cloche.sandbox.network.network_limits import NetworkLimits
from cloche.sandbox.network.policy import Policy
from cloche.sandbox.network.refusals import NotAllowed
from cloche.sandbox.network.request import read_place, read_request
from cloche.sandbox.network.request_log import NetworkRequest, OnRequest, RequestLog
from cloche.sandbox.network.secret_headers import Secret, SecretHeaders
from cloche.sandbox.network.urls import UrlTarget, bracket_host
from cloche.sandbox.process.host_requests import Answerer

if TYPE_CHECKING:
    from cloche.sandbox.network.broker import GuestQuestion, NetworkBroker


def explain_no_network(target: UrlTarget) -> str:
    """The message of a sandbox without network, which says how to open it."""
    entry = f"{bracket_host(target.host)}:{target.port}"
    return (
        f"this sandbox has no network, so {entry} cannot be reached: "
        f'open it with allow_net=["{entry}"] (SDK) or --allow-net {entry} (CLI)'
    )


class SandboxNetwork:
    """Answers the requests `fetch` and `reach`."""

    def __init__(
        self,
        allow_net: Sequence[str] = (),
        secrets: Mapping[str, Secret] | None = None,
        limits: NetworkLimits | None = None,
        on_request: OnRequest | None = None,
    ) -> None:
        if not isinstance(limits, NetworkLimits | None):  # pyright: ignore[reportUnnecessaryIsInstance] - untyped callers
            raise ConfigError(f"network_limits={limits!r} is not a NetworkLimits, as in NetworkLimits(total=60)")
        self._policy = Policy(allow_net)
        self._secrets = SecretHeaders(secrets, self._policy)
        self._limits = limits or NetworkLimits()
        self._records = RequestLog(on_request)
        self._broker: NetworkBroker | None = None

    @property
    def answerers(self) -> dict[str, Answerer]:
        """By the kind of request."""
        return {"fetch": self.fetch, "reach": self.reach}

    @property
    def requests(self) -> list[NetworkRequest]:
        """The latest requests, including refused ones."""
        return self._records.all

    async def fetch(self, ask: "GuestQuestion") -> None:
        """Make a request."""
        if self._policy.empty:
            request = read_request(ask.content)
            with self._records.noting(request.method, request.target.shown):
                raise NotAllowed(explain_no_network(request.target))
        await self._open().fetch(ask)

    async def reach(self, ask: "GuestQuestion") -> None:
        """Check whether a connection is allowed, before the HTTP request is known."""
        target = read_place(ask.content)
        with self._records.noting_refusal("CONNECT", target.shown):
            if self._policy.empty:
                raise NotAllowed(explain_no_network(target))
            await self._open().reach(target)

    def _open(self) -> "NetworkBroker":
        if self._broker is None:
            from cloche.sandbox.network.broker import NetworkBroker  # noqa: PLC0415 - few sandboxes need it

            self._broker = NetworkBroker(self._policy, self._secrets, limits=self._limits, records=self._records)
        return self._broker

    async def close(self) -> None:
        if self._broker is not None:
            await self._broker.close()
