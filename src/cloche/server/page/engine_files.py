"""The engine for Play: its files for everybody, and what of them is fetched or built when it is first asked for."""

import functools
import gzip
import logging
from types import TracebackType
from typing import Self

import anyio
import msgspec
from anyio import to_thread
from anyio.abc import TaskGroup
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from cloche.errors import ClocheError
from cloche.sandbox.cache import assets, packs, snapshots
from cloche.sandbox.cache.downloads import DownloadProgress
from cloche.sandbox.embedding import site
from cloche.sandbox.languages import languages
from cloche.sandbox.process.warm_up import warm_up
from cloche.server.page import POLICY

log = logging.getLogger(__name__)

ENGINE = "engine"
SHORT = 2_000_000
"""Bytes up to which a file is compressed for those who can read that."""
KEEP = "public, max-age=31536000, immutable"


class EngineFiles:
    """Serves the engine; what is missing is prepared in the background. Use it as an async context manager."""

    def __init__(self) -> None:
        self._tasks: TaskGroup | None = None
        self._preparing: dict[str, site.LanguageFiles] = {}
        self._turn = anyio.Lock()

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        if tasks is not None:
            tasks.cancel_scope.cancel()
            await tasks.__aexit__(None, None, None)

    def make_routes(self) -> list[Route]:
        """Where the files are, and where a page asks for a language."""
        return [
            Route(f"/{ENGINE}/site.json", self._answer_site),
            Route(f"/{ENGINE}/ready/{{language}}", self._answer_ready),
            Route(f"/{ENGINE}/{{key}}/{{path:path}}", self._answer_file),
        ]

    async def _answer_site(self, _request: Request) -> Response:
        try:
            return _answer_json(await to_thread.run_sync(_make_index))
        except ClocheError as error:
            return PlainTextResponse(f"{error}\n", 404)

    async def _answer_ready(self, request: Request) -> Response:
        name = request.path_params["language"]
        if name not in languages():
            return PlainTextResponse(f"there is no language {name}\n", 404)
        known = self._preparing.get(name)
        if known is None and await to_thread.run_sync(_is_ready, name):
            return _answer_json(await to_thread.run_sync(_describe, name))
        if known is None and self._tasks is not None:
            known = self._preparing[name] = site.LanguageFiles(step=languages()[name].title)
            self._tasks.start_soon(self._prepare, name)
        elif known is not None and known.error:
            # Told once; who asks again has it tried again.
            del self._preparing[name]
        return _answer_json(known or site.LanguageFiles())

    async def _prepare(self, name: str) -> None:
        def report(progress: DownloadProgress) -> None:
            self._tell(name, step=progress.step, done=progress.done, total=progress.total)

        try:
            async with self._turn:
                await assets.fetch_assets(report)
                self._tell(name, step="Python's memory", done=0, total=0)
                await snapshots.build_prepared(warm_up)
                if languages()[name].pack:
                    await packs.ensure_pack(name, report)
            del self._preparing[name]
        except (ClocheError, OSError) as error:
            log.warning("%s could not be prepared for Play: %s", name, error)
            self._tell(name, error=str(error))

    def _tell(self, name: str, **changes: object) -> None:
        self._preparing[name] = replace(self._preparing[name], **changes)

    async def _answer_file(self, request: Request) -> Response:
        found = await to_thread.run_sync(_read_file, request.path_params["key"], request.path_params["path"])
        if found is None:
            return PlainTextResponse(f"there is no {request.url.path}\n", 404, {"cache-control": "no-cache"})
        kind = site.TYPES.get(found.path.suffix, "application/octet-stream")
        headers = {"cache-control": KEEP, "vary": "accept-encoding", "content-security-policy": POLICY}
        data = found.data
        if data is None:
            return FileResponse(found.path, headers=headers, media_type=kind)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            data = await to_thread.run_sync(_pack, data)
        return Response(data, headers=headers, media_type=kind)


def _make_index() -> site.SiteIndex:
    site.check_bundle()
    return site.SiteIndex(f"{ENGINE}/{site.site_key()}/", [*languages()])


def _describe(language: str) -> site.LanguageFiles:
    return site.known_site().describe(language)


def _read_file(key: str, path: str) -> site.SiteFile | None:
    """A file of the engine, with its contents unless it is large."""
    found = site.known_site().find(path) if key == site.site_key() else None
    if found is None or found.data is not None or found.path.stat().st_size > SHORT:
        return found
    return site.SiteFile(found.path, found.path.read_bytes())


@functools.lru_cache(maxsize=500)
def _pack(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _is_ready(name: str) -> bool:
    return assets.assets_ready() and snapshots.find_prepared() is not None and packs.pack_ready(name)


def _answer_json(value: msgspec.Struct) -> Response:
    headers = {"cache-control": "no-cache"}
    return Response(msgspec.json.encode(value), headers=headers, media_type="application/json")
