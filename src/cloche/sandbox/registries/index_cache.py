"""Downloads metadata and files of registries, with limits on time and size, and caches the metadata."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import ConfigError, PackageDamaged, PackageError, PackagesUnreachable
from cloche.limits import MB
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.cache.checksummed_file import SUFFIX, read_checksummed, write_checksummed
from cloche.sandbox.cache.downloads import DownloadProgress, Report
from cloche.sandbox.cache.fetch_tools import hide_secrets
from cloche.sandbox.cache.usage import hold_in_use, touch_used
from cloche.sandbox.registries import http_client
from cloche.sandbox.registries.http_client import FetchedBytes, PageAbsent, RegistryUnreached

FRESH = 3600.0
"""Seconds for which the same request to a registry is not repeated."""

ANSWER_LIMIT = 96 * MB
"""The most bytes of one reply about packages."""

AT_ONCE = 8
"""How many files are fetched at once."""

DOWN = 60.0
"""Seconds for which a server that did not respond is not asked again, if an old reply is available."""

_down: dict[str, float] = {}


class CheckContent(NamedTuple):
    """A hash that a file must have."""

    algorithm: str
    digest: str
    """In hexadecimal."""


class _Head(msgspec.Struct, frozen=True):
    address: str
    when: float
    etag: str = ""


class IndexCache:
    """The connection to one registry during one installation."""

    def __init__(self, stage: Path, report: Report, advice: str) -> None:
        self._stage = stage
        self._report = report
        self._advice = advice
        self._limiter = anyio.CapacityLimiter(AT_ONCE)
        self._got: dict[str, Path] = {}
        self._done = 0
        self._total = 0
        self.warnings: list[str] = []
        """Warnings for the user."""
        self.headers: Callable[[str], dict[str, str]] = lambda _: {}
        """Headers for an address: credentials of the user."""
        self.certificates: str | None = None
        """A file of certificate authorities to trust besides the system's."""

    async def ask(self, address: str, *, accept: str = "*/*") -> bytes | None:
        """The registry's reply for an address, requested at most once an hour; None if there is nothing."""
        path = _answer_path(address, accept)
        known = await to_thread.run_sync(_load_answer, path)
        if known and 0 <= time.time() - known[0].when < FRESH:
            return known[1]
        if known and time.monotonic() - _down.get(_address_host(address), -DOWN) < DOWN:
            return known[1]
        try:
            fetched = await self._fetch(address, accept, known[0].etag if known else "")
        except PageAbsent:
            return None
        except RegistryUnreached as error:
            _down[_address_host(address)] = time.monotonic()
            if known:
                # Use an older reply.
                return known[1]
            raise self._unreachable(address, error) from None
        body = known[1] if known and fetched.unchanged else fetched.body
        await to_thread.run_sync(_save_answer, path, _Head(address, time.time(), fetched.etag), body)
        return body

    async def fetch(self, address: str, checks: tuple[CheckContent, ...], *, base: str) -> Path:
        """Fetch an archive once and return the file, which has these hashes; `base` is the registry that named it."""
        if address in self._got:
            return self._got[address]
        http_client.check_address(address, base)
        target = self._stage / f"{hashlib.sha256(address.encode()).hexdigest()[:32]}.archive"
        self._total += 1
        try:
            async with self._limiter:
                options = http_client.RequestOptions(self.headers(address), self.certificates, base)
                job = partial(http_client.download_address, address, target, options)
                digests = await to_thread.run_sync(job, abandon_on_cancel=True)
        except (PageAbsent, RegistryUnreached) as error:
            raise self._unreachable(address, error) from None
        for check in checks:
            if digests.get(check.algorithm) != check.digest:
                raise PackageDamaged(
                    f"What {hide_secrets(address)} sent does not have the {check.algorithm} that its registry names "
                    f"(expected {check.digest[:16]}..., got {digests.get(check.algorithm, '')[:16]}...). It was "
                    "refused; try again, or use another registry."
                )
        self._got[address] = target
        self._done += 1
        self._report(DownloadProgress("packages", self._done, self._total))
        return target

    async def _fetch(self, address: str, accept: str, etag: str) -> FetchedBytes:
        extra = {"If-None-Match": etag} if etag else {}
        options = http_client.RequestOptions(
            {"Accept": accept, **self.headers(address), **extra}, certificates=self.certificates
        )
        async with self._limiter:
            job = partial(http_client.read_address, address, ANSWER_LIMIT, options)
            return await to_thread.run_sync(job, abandon_on_cancel=True)

    def _unreachable(self, address: str, error: Exception) -> PackagesUnreachable:
        return PackagesUnreachable(f"Could not get {hide_secrets(address)}: {error}. {self._advice}")


async def run_together(names: Iterable[str], ask: Callable[[str], Awaitable[object]]) -> None:
    """Request several at once, ahead of time; a failure is raised when its data is needed."""

    async def one(name: str) -> None:
        with suppress(PackageError, ConfigError):
            await ask(name)

    async with anyio.create_task_group() as tasks:
        for name in names:
            tasks.start_soon(one, name)


def _address_host(address: str) -> str:
    return urlsplit(address).netloc


def _answer_path(address: str, accept: str) -> Path:
    key = hashlib.sha256(f"{address} {accept}".encode()).hexdigest()[:32]
    return cache_dir() / "packages" / "answers" / f"{key}{SUFFIX}"


def _load_answer(path: Path) -> tuple[_Head, bytes] | None:
    hold_in_use(path.parent.parent)
    try:
        head, _, body = read_checksummed(path).partition(b"\n")
        known = msgspec.json.decode(head, type=_Head)
    except (OSError, msgspec.MsgspecError):
        return None
    touch_used(path)
    return known, body


def _save_answer(path: Path, head: _Head, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_checksummed(path, msgspec.json.encode(head) + b"\n" + body)
