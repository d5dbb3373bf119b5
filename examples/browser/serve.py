"""Serves a page in which the languages run in the browser itself: `python examples/browser/serve.py [LANG...]`.

The first start fetches the languages and takes a while; name some to fetch only those.
"""

import argparse
import sys
import tempfile
from email.utils import formatdate
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio

from cloche.errors import ClocheError
from cloche.sandbox.cache.assets import DownloadProgress
from cloche.sandbox.embedding.site import HEADERS, TYPES, BrowserSite, build_site
from cloche.sandbox.languages import check_language

HERE = Path(__file__).parent
OWN = ("page.js", "page.css", "examples.js", "files.js", "output.js")


class Handler(BaseHTTPRequestHandler):
    """Files of the site, and the page itself."""

    protocol_version = "HTTP/1.1"

    def __init__(self, site: BrowserSite, *args: object) -> None:
        self._site = site
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = self._find(self.path.partition("?")[0])
        if path is None:
            return self.send_error(404)
        changed = formatdate(path.stat().st_mtime, usegmt=True)
        known = self.headers.get("If-Modified-Since") == changed
        data = b"" if known else path.read_bytes()
        self.send_response(304 if known else 200)
        kind = TYPES.get(path.suffix, "application/octet-stream")
        told = {"Content-Type": kind, "Content-Length": str(len(data))} if not known else {}
        # Asked for again each time, sent again only when it has changed.
        for name, value in {**HEADERS, **told, "Last-Modified": changed, "Cache-Control": "no-cache"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        return None

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _find(self, address: str) -> Path | None:
        own = {"/": "index.html", **{f"/{name}": name for name in OWN}}
        return HERE / own[address] if address in own else self._site.find(address)


def tell(progress: DownloadProgress) -> None:
    print(f"\r\x1b[K{progress.step}: {progress.done} of {progress.total}", end="", file=sys.stderr, flush=True)


def serve(port: int, wanted: list[str]) -> None:
    """Until Ctrl-C."""
    names = [check_language(name).name for name in wanted]
    # The port first: what is fetched for nothing takes minutes.
    with (
        ThreadingHTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        site = anyio.run(build_site, Path(folder, "engine"), names, tell)
        server.RequestHandlerClass = partial(Handler, site)
        print(f"\nopen http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)", flush=True)
        server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="0 takes any that is free")
    parser.add_argument("languages", nargs="*", metavar="LANG")
    arguments = parser.parse_args()
    try:
        serve(arguments.port, arguments.languages)
    except ClocheError as error:
        sys.exit(f"{error}")
    except OSError as error:
        sys.exit(f"Could not serve on port {arguments.port}: {error.strerror}. Name another with --port.")
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
