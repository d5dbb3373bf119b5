"""Serves a page in which the languages run in the browser itself: `python examples/browser/serve.py [LANG...]`.

The first start fetches the languages and takes a while; name some to fetch only those.
"""

import argparse
import tempfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio

from cloche.sandbox.assets import Progress
from cloche.sandbox.site import HEADERS, TYPES, Site, build_site

HERE = Path(__file__).parent


class Handler(BaseHTTPRequestHandler):
    """Files of the site, and the page itself."""

    protocol_version = "HTTP/1.1"

    def __init__(self, site: Site, *args: object) -> None:
        self._site = site
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = self._find(self.path.partition("?")[0])
        if path is None:
            return self.send_error(404)
        data = path.read_bytes()
        self.send_response(200)
        kind = TYPES.get(path.suffix, "application/octet-stream")
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        return None

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _find(self, address: str) -> Path | None:
        own = {"/": "index.html", "/page.js": "page.js", "/page.css": "page.css"}
        return HERE / own[address] if address in own else self._site.find(address)


def tell(progress: Progress) -> None:
    print(f"\r{progress.step}: {progress.done} of {progress.total}   ", end="", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("languages", nargs="*", metavar="LANG")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = anyio.run(build_site, Path(folder, "engine"), arguments.languages, tell)
        server = ThreadingHTTPServer(("127.0.0.1", arguments.port), partial(Handler, site))
        print(f"\nopen http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
