"""Answers the request "fetch": makes a guest's HTTP request if the policy allows it."""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Protocol

import anyio

from cloche.limits import NET_REDIRECTS
from cloche.sandbox.network.deadlines import limit_time
from cloche.sandbox.network.dialer import Dialer, Resolver, resolve_host
from cloche.sandbox.network.exchange import ExchangePool, HttpAnswer
from cloche.sandbox.network.network_limits import NetworkLimits
from cloche.sandbox.network.policy import Policy
from cloche.sandbox.network.refusals import RequestRefused, TooManyRedirects
from cloche.sandbox.network.request import GuestRequest, Headers, pass_on_headers, read_request, redirect_request
from cloche.sandbox.network.request_body import RequestBody
from cloche.sandbox.network.request_log import RequestLog
from cloche.sandbox.network.secret_headers import HeaderMask, SecretHeaders
from cloche.sandbox.network.urls import UrlTarget

REDIRECTS = {301, 302, 303, 307, 308}
DRAINED = 64 << 10
"""Bytes of a redirect's body that are read to keep the connection."""


class GuestQuestion(Protocol):
    """The part of a HostRequest that the broker uses."""

    content: dict[str, Any]

    def body(self) -> AsyncGenerator[bytes]: ...
    def respond(self, data: Any) -> None: ...
    async def send(self, data: bytes) -> None: ...


class NetworkBroker:
    """The network of one sandbox."""

    def __init__(
        self,
        policy: Policy,
        secrets: SecretHeaders,
        *,
        limits: NetworkLimits,
        records: RequestLog,
        resolver: Resolver = resolve_host,
    ) -> None:
        self._policy = policy
        self._secrets = secrets
        self._limits = limits
        self._records = records
        self._dialer = Dialer(policy, limits, resolver)
        self._exchanges = ExchangePool(self._dialer, limits)
        # First come, first served.
        self._turn = anyio.Semaphore(limits.at_once)

    async def fetch(self, ask: GuestQuestion) -> None:
        """Make the HTTP request and pass on the response."""
        async with aclosing(ask.body()) as pieces:
            try:
                request = read_request(ask.content)
                body = RequestBody(pieces, self._limits.request_bytes, request.length)
            except RequestRefused:
                with self._records.noting(str(ask.content.get("method", "GET")), _shorten_url(ask.content.get("url"))):
                    raise
            async with self._turn:
                with limit_time(self._limits.total, f"the request to {request.target.host} was not finished"):
                    await self._follow(request, body, ask)

    async def reach(self, target: UrlTarget) -> None:
        """Raise unless the target is allowed and its name has an address."""
        self._policy.check_target(target)
        await self._dialer.find(target)

    async def close(self) -> None:
        """Close the idle connections; running requests end by themselves."""
        await self._exchanges.close()

    async def _follow(self, request: GuestRequest, body: RequestBody, ask: GuestQuestion) -> None:
        for _ in range(NET_REDIRECTS + 1):
            onward = await self._hop(request, body, ask)
            if onward is None:
                return
            request = onward
        raise TooManyRedirects(f"more than {NET_REDIRECTS} redirects, the last to {request.target.shown}")

    async def _hop(self, request: GuestRequest, body: RequestBody, ask: GuestQuestion) -> GuestRequest | None:
        """Make one request; returns the next one if the response is a redirect to follow."""
        onward: list[GuestRequest] = []
        secret = self._secrets.headers(request.target)
        mask = HeaderMask(secret)
        # The secret can only be found in text that is not compressed.
        added = [*secret, ("Accept-Encoding", "identity")] if mask else secret

        async def use(answer: HttpAnswer) -> None:
            location = answer.header("location") if request.follow and answer.status in REDIRECTS else None
            if location is not None:
                onward.append(redirect_request(request, answer.status, mask.text(location)))
                await _drain_body(answer)
                return
            ask.respond(_describe_answer(request, answer, mask))
            while block := await answer.block():
                note.received += len(block)
                await ask.send(mask.feed(block) if mask else block)
            if mask:
                await ask.send(mask.rest())

        with self._records.noting(request.method, request.target.shown) as note:
            self._policy.check_target(request.target)
            try:
                await self._exchanges.carry(request, added, body, note, use)
            except RequestRefused as error:
                # The message may quote the server.
                raise type(error)(mask.text(str(error))) from None
        return onward[0] if onward else None


def _shorten_url(url: object) -> str:
    """A URL that could not be parsed, without its query and credentials."""
    return re.sub(r"//[^/?#]*@", "//...@", str(url)[:500].partition("?")[0])


async def _drain_body(answer: HttpAnswer) -> None:
    left = DRAINED
    while left > 0 and (block := await answer.block()):
        left -= len(block)


def _describe_answer(request: GuestRequest, answer: HttpAnswer, mask: HeaderMask) -> Mapping[str, object]:
    headers: Headers = [(mask.text(name), mask.text(value)) for name, value in pass_on_headers(answer.headers)]
    return {
        "status": answer.status,
        "reason": mask.text(answer.reason),
        "url": request.target.url,
        "headers": headers,
        "redirected": request.redirected,
    }
