"""Opens connections: a name is resolved once, every address is checked, and only these addresses are used."""

import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence

import anyio
from anyio import to_thread
from anyio.abc import ByteStream, SocketStream
from anyio.streams.tls import TLSStream

from cloche.sandbox.network.addresses import ADDRESSES_TRIED, Address, parse_address
from cloche.sandbox.network.deadlines import limit_time
from cloche.sandbox.network.network_limits import NetworkLimits
from cloche.sandbox.network.policy import LOCALHOST, Policy
from cloche.sandbox.network.refusals import ConnectFailed, NameNotFound, PrivateAddress, TLSFailed
from cloche.sandbox.network.trusted_authorities import load_authorities
from cloche.sandbox.network.urls import UrlTarget

Resolver = Callable[[str], Awaitable[Sequence[str]]]
"""Returns the addresses of a name; raises OSError if there are none."""


async def resolve_host(name: str) -> Sequence[str]:
    """Ask the host's own resolver."""
    answers = await anyio.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in answers]


class Dialer:
    """Connects to targets that the policy allows."""

    def __init__(self, policy: Policy, limits: NetworkLimits, resolver: Resolver = resolve_host) -> None:
        self._policy = policy
        self._limits = limits
        self._resolver = resolver
        self._context: ssl.SSLContext | None = None

    async def connect(self, target: UrlTarget, within: float | None = None) -> tuple[SocketStream, ByteStream]:
        """The socket and the stream on top of it, which is TLS for https."""
        self._policy.check_target(target)
        seconds = min(self._limits.connect, within or self._limits.connect)
        with limit_time(seconds, f"{target.host} could not be connected to"):
            raw = await self._connect(target, await self._addresses(target))
            if not target.secure:
                return raw, raw
            try:
                return raw, await self._encrypt(raw, target.host)
            except BaseException:
                await close_stream(raw)
                raise

    async def find(self, target: UrlTarget) -> None:
        """Raise unless the name leads to addresses that the policy allows."""
        with limit_time(self._limits.connect, f"{target.host} could not be looked up"):
            await self._addresses(target)

    async def _addresses(self, target: UrlTarget) -> list[Address]:
        if target.address is not None:
            return [target.address]
        found = ["127.0.0.1", "::1"] if target.host == LOCALHOST else await self._look_up(target.host)
        addresses: list[Address] = []
        for text in dict.fromkeys(found):
            address = parse_address(text)
            if address is None:
                raise PrivateAddress(f"{target.host} leads to {text!r}, which is no address of the internet")
            self._policy.check_address(target, address)
            addresses.append(address)
        return addresses[:ADDRESSES_TRIED]

    async def _look_up(self, name: str) -> Sequence[str]:
        try:
            found = await self._resolver(name)
        except (OSError, UnicodeError) as error:
            raise NameNotFound(f"the host {name} is not known: {error}") from None
        if not found:
            raise NameNotFound(f"the host {name} has no address")
        return found

    async def _connect(self, target: UrlTarget, addresses: Sequence[Address]) -> SocketStream:
        problem: OSError | None = None
        for address in addresses:
            with anyio.move_on_after(self._limits.connect / len(addresses)):
                try:
                    return await anyio.connect_tcp(str(address), target.port)
                except OSError as error:
                    problem = error
        raise ConnectFailed(f"nobody answers at {target.host} port {target.port}: {_describe_error(problem)}")

    async def _encrypt(self, raw: SocketStream, host: str) -> ByteStream:
        if self._context is None:
            self._context = await to_thread.run_sync(load_authorities)
        try:
            return await TLSStream.wrap(raw, server_side=False, hostname=host, ssl_context=self._context)
        except ssl.SSLCertVerificationError as error:
            raise TLSFailed(f"the certificate of {host} is not trusted: {error.verify_message}") from None
        except (ssl.SSLError, OSError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
            raise TLSFailed(f"no TLS connection to {host}: {str(error) or 'it hung up'}") from None


def _describe_error(problem: BaseException | None) -> str:
    """The message of the system, without what anyio adds."""
    while problem is not None and problem.__cause__ is not None:
        problem = problem.__cause__
    number = problem.errno if isinstance(problem, OSError) else None
    return os.strerror(number) if number else "no answer"


async def close_stream(raw: SocketStream) -> None:
    """Close a socket without waiting for the other side."""
    with anyio.CancelScope(shield=True):
        await raw.aclose()
