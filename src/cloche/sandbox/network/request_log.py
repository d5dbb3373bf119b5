"""Records every request."""

import logging
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager

import anyio
import msgspec

from cloche.limits import NET_LOG
from cloche.sandbox.network.refusals import RequestRefused

log = logging.getLogger(__name__)


class NetworkRequest(msgspec.Struct):
    """One request that a sandbox made or tried to make; redirects have their own records."""

    method: str
    url: str
    """Without its query values, which may be secret."""
    started: float
    """Seconds since 1970."""
    status: int | None = None
    sent: int = 0
    """Bytes of the request that were sent."""
    received: int = 0
    """Bytes of the answer's body that were received."""
    duration: float = 0.0
    refused: str | None = None
    """The type of the refusal, such as "NotAllowed"; None if it succeeded."""
    reason: str | None = None
    """The refusal in words."""


OnRequest = Callable[[NetworkRequest], None]


def _strip_controls(text: str) -> str:
    """The text without control characters, which could forge a line of a log or control a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)


class RequestLog:
    """The latest requests of one sandbox."""

    def __init__(self, on_request: OnRequest | None = None) -> None:
        self._records: deque[NetworkRequest] = deque(maxlen=NET_LOG)
        self._on_request = on_request

    @property
    def all(self) -> list[NetworkRequest]:
        return list(self._records)

    @contextmanager
    def noting(self, method: str, url: str) -> Generator[NetworkRequest]:
        """A record for the request in this block; stored at the end of the block, even after an error."""
        record = NetworkRequest(_strip_controls(method[:40]), _strip_controls(url), time.time())
        began = time.monotonic()
        try:
            yield record
        except RequestRefused as error:
            record.refused, record.reason = type(error).__name__, str(error)
            raise
        except anyio.get_cancelled_exc_class():
            record.refused, record.reason = "Cancelled", "the code that made it was stopped, or closed it"
            raise
        finally:
            record.duration = time.monotonic() - began
            self._add(record)

    @contextmanager
    def noting_refusal(self, method: str, url: str) -> Generator[None]:
        """Record the request only if it is refused."""
        try:
            yield
        except RequestRefused:
            with self.noting(method, url):
                raise

    def _add(self, record: NetworkRequest) -> None:
        self._records.append(record)
        result = record.status if record.refused is None else f"{record.refused} ({record.reason})"
        figures = (record.sent, record.received, record.duration)
        log.info("%s %s: %s, %d bytes out, %d bytes in, %.3f s", record.method, record.url, result, *figures)
        if self._on_request is not None:
            try:
                self._on_request(record)
            except Exception:  # a wrong callback must not fail the request
                log.exception("the on_request callback failed")
