"""pyodide.http for the guest: pyfetch, open_url and pyxhr through the host, without JavaScript."""

from __future__ import annotations

import base64
import builtins
import json
import shutil
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any

from cloche_guest.net.bodies import Fetch


class HttpStatusError(OSError):
    """The status of a response is an error."""

    def __init__(self, status: int, status_text: str, url: str) -> None:
        self.status, self.status_text, self.url = status, status_text, url
        side = "Client Error" if status < 500 else "Server Error"
        super().__init__(f"{status} {side}: {status_text} for url: {url}")

    def __reduce__(self) -> Any:
        return self.__class__, (self.status, self.status_text, self.url)


class BodyUsedError(OSError):
    """The body was read before."""

    def __init__(self, *_args: Any) -> None:
        super().__init__("Response body is already used")


class AbortError(OSError):
    """The request was aborted."""

    def __init__(self, reason: Any = None) -> None:
        super().__init__(str(reason or "The operation was aborted"))


class XHRError(OSError):
    """A request by pyxhr failed."""


class XHRNetworkError(XHRError):
    """A request by pyxhr got no answer."""


class Buffer(bytes):
    """The bytes of a body, with the names that a JavaScript buffer has for them."""

    def to_bytes(self) -> bytes:
        return bytes(self)

    def to_memoryview(self) -> builtins.memoryview:
        return memoryview(self)

    to_py = to_memoryview

    def to_string(self, encoding: str | None = None) -> str:
        return self.decode(encoding or "utf-8")

    def to_file(self, file: Any) -> None:
        file.write(self)


class _Response:
    """What all responses have in common."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    @property
    def headers(self) -> dict[str, str]:
        return dict(self._fetch.headers)

    @property
    def url(self) -> str:
        return str(self._fetch.head["url"])

    def raise_for_status(self) -> None:
        status = int(self._fetch.head["status"])
        if 400 <= status < 600:
            raise HttpStatusError(status, self._fetch.head["reason"], self.url)


class FetchResponse(_Response):
    """The result of pyfetch()."""

    def __init__(self, fetch: Fetch) -> None:
        super().__init__(fetch)
        self._used = False
        self._aborted: AbortError | None = None

    type = "basic"

    @property
    def status(self) -> int:
        return int(self._fetch.head["status"])

    @property
    def status_text(self) -> str:
        return str(self._fetch.head["reason"])

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def redirected(self) -> bool:
        return bool(self._fetch.head.get("redirected"))

    @property
    def body_used(self) -> bool:
        return self._used

    def clone(self) -> FetchResponse:
        if self._used:
            raise BodyUsedError
        return FetchResponse(self._fetch)

    def abort(self, reason: Any = None) -> None:
        self._aborted = AbortError(reason)
        self._fetch.close()

    async def bytes(self) -> builtins.bytes:
        if self._aborted is not None:
            raise self._aborted
        if self._used:
            raise BodyUsedError
        self._used = True
        return await self._fetch.content_async()

    async def buffer(self) -> Buffer:
        return Buffer(await self.bytes())

    async def memoryview(self) -> builtins.memoryview:
        return builtins.memoryview(await self.bytes())

    async def text(self) -> str:
        return (await self.bytes()).decode("utf-8", "replace")

    async def string(self) -> str:
        return await self.text()

    async def json(self, **options: Any) -> Any:
        return json.loads(await self.text(), **options)

    async def unpack_archive(self, *, extract_dir: str | None = None, format: str | None = None) -> None:
        name = self.url.partition("?")[0].rpartition("/")[2] or "archive"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(await self.bytes())
            shutil.unpack_archive(path, extract_dir, _format(format))

    async def _into_file(self, file: Any) -> None:
        data = await self.bytes()
        getattr(file, "buffer", file).write(data)

    async def _create_file(self, path: str) -> None:
        with Path(path).open("xb") as file:  # noqa: ASYNC230 - it takes no time
            await self._into_file(file)


def _format(name: str | None) -> str | None:
    known = {form for form, _, _ in shutil.get_unpack_formats()}
    if name is None or name in known:
        return name
    for form, endings, _ in shutil.get_unpack_formats():
        if f".{name.lstrip('.')}" in endings:
            return form
    return {"wheel": "zip", "whl": "zip"}.get(name.lstrip("."), name)


async def pyfetch(request: str, /, *, signal: Any = None, fetcher: Any = None, **kwargs: Any) -> FetchResponse:
    """Fetch a URL; the options are those of JavaScript's fetch: method, headers, body, redirect."""
    if not isinstance(request, str):
        raise TypeError("pyfetch() takes the URL as text in this sandbox")
    redirect = kwargs.get("redirect", "follow")
    headers = kwargs.get("headers") or {}
    fetch = Fetch(
        request, kwargs.get("method", "GET"), dict(headers), kwargs.get("body"), follow=redirect == "follow"
    )  # fmt: skip
    try:
        await fetch.wait_async()
    except BaseException:
        fetch.close()
        raise
    if redirect == "error" and 300 <= fetch.head["status"] < 400:
        raise OSError(f"{request} redirects to {fetch.headers.get('location')}")
    return FetchResponse(fetch)


def open_url(url: str) -> StringIO:
    """Fetch a URL and return its text as a file."""
    return StringIO(Fetch(url, "GET", {}, None).wait().content().decode("utf-8", "replace"))


class XHRResponse(_Response):
    """The result of pyxhr."""

    def __init__(self, fetch: Fetch) -> None:
        super().__init__(fetch)
        self.status_code = int(fetch.head["status"])
        self.content: bytes = fetch.content()

    @property
    def ok(self) -> bool:
        return 200 <= self.status_code < 400

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")

    def json(self, **options: Any) -> Any:
        return json.loads(self.text, **options)


def _request(method: str, url: str, **options: Any) -> XHRResponse:
    headers = dict(options.get("headers") or {})
    if params := options.get("params"):
        from urllib.parse import urlencode

        url = f"{url}{'&' if '?' in url else '?'}{urlencode(params)}"
    if auth := options.get("auth"):
        headers["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
    body = options.get("data")
    if (value := options.get("json")) is not None:
        body = json.dumps(value)
        headers["Content-Type"] = "application/json"
    return XHRResponse(Fetch(url, method, headers, body).wait())


def xhr_names() -> dict[str, Any]:
    """The names in pyodide.http.pyxhr."""
    names: dict[str, Any] = {each.__name__: each for each in (XHRError, XHRNetworkError, XHRResponse)}
    for method in ("delete", "get", "head", "options", "patch", "post", "put"):
        names[method] = _verb(method)
    return names


def _verb(method: str) -> Any:
    def send(url: str, **kwargs: Any) -> XHRResponse:
        return _request(method.upper(), url, **kwargs)

    send.__name__ = send.__qualname__ = method
    return send


def http_names() -> dict[str, Any]:
    """The names in pyodide.http."""
    shown = (AbortError, BodyUsedError, FetchResponse, HttpStatusError, open_url, pyfetch)
    return {each.__name__: each for each in shown}
