"""The page: what a browser is given. It holds no data, so that everybody may read it."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

FOLDER = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page runs its own scripts and no others, and speaks to its own server only."""
FILES = {"page.js": "text/javascript", "page.css": "text/css"}


def make_routes() -> list[Route]:
    """The page at `/` and at `/s/ID`, and its files."""
    return [
        Route("/", _answer_page),
        Route("/s/{sid}", _answer_page),
        *(Route(f"/assets/{name}", _make_answer(name, kind)) for name, kind in FILES.items()),
    ]


async def _answer_page(_: Request) -> Response:
    return FileResponse(FOLDER / "index.html", media_type="text/html", headers={"content-security-policy": POLICY})


def _make_answer(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        return FileResponse(FOLDER / name, media_type=kind, headers={"cache-control": "no-cache"})

    return answer
