"""The page: what a browser is given. It holds no data, so that everybody may read it; `make page` builds it."""

import gzip
from functools import lru_cache
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

BUILT = Path(__file__).parent / "built"
INDEX = "index.html"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self'; img-src 'self' data: blob:; media-src data: blob:; connect-src 'self'; frame-src 'self'; "
    "base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
)
"""The page runs its own scripts and no others, and speaks to its own server only.

Languages in the page are WebAssembly. The editor and the terminal make styles while they run.
"""
FRAME = "frame.html"
FRAME_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data: blob:; media-src data: blob:; connect-src 'none'; frame-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""HTML that code shows runs its own scripts, without an origin, a network or a way to the page around it."""
ADDRESSES = ("/", "/login", "/s/{sid}", "/play", "/settings", "/settings/{section}")
"""What the page itself takes apart."""
EMBED = "embed.html"
EMBED_HEADERS = {
    "content-security-policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
    "cross-origin-resource-policy": "cross-origin",
    "document-isolation-policy": "isolate-and-require-corp",
}
"""Pages of others may show this one. It is isolated even where they are not, in browsers that can do that."""
HASHED = "page"
"""The folder of files whose names have a hash: what is there never changes."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
PACKED = frozenset({".html", ".js", ".css", ".svg", ".json", ".wasm"})
"""Files that are sent compressed to those who can read that."""
MISSING = "The page is not built. In a checkout of Cloche, run: make page\n"


def make_routes() -> list[Route]:
    """The page at its addresses, and its files."""
    return [
        *(Route(each, _answer_page) for each in ADDRESSES),
        *(Route(each, _answer_frame) for each in ("/frame", f"/{FRAME}")),
        Route("/embed", _answer_embed),
        Route("/icon.svg", _answer_file),
        Route("/sw.js", _answer_file),
        Route(f"/{HASHED}/{{name}}", _answer_file),
    ]


async def _answer_page(request: Request) -> Response:
    return await _answer(request, BUILT / INDEX)


async def _answer_frame(request: Request) -> Response:
    return await _answer(request, BUILT / FRAME, FRAME_POLICY)


async def _answer_embed(request: Request) -> Response:
    answer = await _answer(request, BUILT / EMBED)
    if answer.status_code == 200:
        answer.headers.update(EMBED_HEADERS)
    return answer


async def _answer_file(request: Request) -> Response:
    # One name below one folder: no path leads out of it.
    parts = request.url.path.strip("/").split("/")
    return await _answer(request, BUILT.joinpath(*parts))


async def _answer(request: Request, file: Path, policy: str = POLICY) -> Response:
    packed = file.suffix in PACKED and "gzip" in request.headers.get("accept-encoding", "")
    try:
        data = await to_thread.run_sync(_read, file, packed)
    except OSError:
        return PlainTextResponse(MISSING if file.suffix == ".html" else f"there is no {request.url.path}\n", 404)
    keep = "public, max-age=31536000, immutable" if file.parent.name == HASHED else "no-cache"
    headers = {"cache-control": keep, "vary": "accept-encoding", "content-security-policy": policy}
    if packed:
        headers["content-encoding"] = "gzip"
    return Response(data, headers=headers, media_type=TYPES.get(file.suffix, "application/octet-stream"))


def _read(file: Path, packed: bool) -> bytes:
    """A file as it is sent."""
    return _pack(file, file.stat().st_mtime_ns) if packed else file.read_bytes()


@lru_cache(maxsize=200)
def _pack(file: Path, _: int) -> bytes:
    """A file compressed; kept until it changes."""
    return gzip.compress(file.read_bytes(), 6, mtime=0)
