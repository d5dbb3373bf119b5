"""Let code call one service and no other, with a key that it never sees."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import cloche

KEY = "k-3141592653"


class Service(BaseHTTPRequestHandler):
    """Answers those who know the key."""

    def do_GET(self) -> None:
        known = self.headers["X-Key"] == KEY
        self.send_response(200 if known else 401)
        self.end_headers()
        self.wfile.write(b'{"temperature": 21.5}' if known else b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""


CODE = """
import json, os, urllib.request
reply = urllib.request.urlopen("http://{host}/weather")
print(json.load(reply)["temperature"], "degrees; keys I know of:", [name for name in os.environ if "KEY" in name])
"""

with HTTPServer(("127.0.0.1", 0), Service) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_port}"
    with cloche.SyncSandbox(allow_net=[host], secrets={"127.0.0.1": f"X-Key: {KEY}"}) as box:
        print(box.run(CODE.format(host=host), check=True).stdout, end="")
        refused = box.run("urllib.request.urlopen('http://127.0.0.1:9/')")
        print("another port:", refused.error.type if refused.error else "reached")
    server.shutdown()
