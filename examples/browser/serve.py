"""Serves a page of one's own in which Python and Lua run in the browser: `python examples/browser/serve.py`.

Play, which `cloche serve` has at /play, does much more; this shows how a page of yours uses the engine.
"""

import argparse
import sys
from email.utils import formatdate
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio

from cloche.errors import ClocheError
from cloche.sandbox.cache.assets import DownloadProgress
from cloche.sandbox.embedding.site import HEADERS, TYPES, BrowserSite, SiteFile, build_site

HERE = Path(__file__).parent
OWN = ("page.js", "page.css")
ENGINE = "/engine/"
"""Where the page finds the engine."""
LANGUAGES = ("python", "lua")


class Handler(BaseHTTPRequestHandler):
    """Files of the site, and the page itself."""

    protocol_version = "HTTP/1.1"

    def __init__(self, site: BrowserSite, *args: object) -> None:
        self._site = site
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        found = self._find(self.path.partition("?")[0])
        if found is None:
            return self.send_error(404)
        changed = formatdate(found.path.stat().st_mtime, usegmt=True)
        known = self.headers.get("If-Modified-Since") == changed
        data = b"" if known else found.read()
        self.send_response(304 if known else 200)
        kind = TYPES.get(found.path.suffix, "application/octet-stream")
        told = {"Content-Type": kind, "Content-Length": str(len(data))} if not known else {}
        # Asked for again each time, sent again only when it has changed.
        for name, value in {**HEADERS, **told, "Last-Modified": changed, "Cache-Control": "no-cache"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        return None

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _find(self, address: str) -> SiteFile | None:
        own = {"/": "index.html", **{f"/{name}": name for name in OWN}}
        if address in own:
            return SiteFile(HERE / own[address])
        return self._site.find(address.removeprefix(ENGINE)) if address.startswith(ENGINE) else None


def tell(progress: DownloadProgress) -> None:
    print(f"\r\x1b[K{progress.step}: {progress.done} of {progress.total}", end="", file=sys.stderr, flush=True)


def serve(port: int) -> None:
    """Until Ctrl-C."""
    # The port first: what is fetched for nothing takes minutes.
    with ThreadingHTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler) as server:
        site = anyio.run(build_site, LANGUAGES, tell)
        server.RequestHandlerClass = partial(Handler, site)
        print(f"\nopen http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)", flush=True)
        server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="0 takes any that is free")
    arguments = parser.parse_args()
    try:
        serve(arguments.port)
    except ClocheError as error:
        sys.exit(f"{error}")
    except OSError as error:
        sys.exit(f"Could not serve on port {arguments.port}: {error.strerror}. Name another with --port.")
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
