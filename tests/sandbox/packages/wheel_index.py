"""Wheels, an index and a distribution for the tests, all made here and served on loopback."""

import hashlib
import json
import threading
import zipfile
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from tests.guest_python import TAG, VERSION

PLATFORM = "pyemscripten_2026_0_wasm32"
NATIVE = f"{TAG}-{TAG}-{PLATFORM}"
OTHER = f"{TAG}-{TAG}-manylinux_2_17_x86_64"
"""Another system's tag."""
WASM = b"\0asm\1\0\0\0"


def make_wheel(
    folder: Path,
    name: str,
    version: str = "1.0",
    *,
    files: Mapping[str, str | bytes] | None = None,
    requires: Sequence[str] = (),
    tag: str = "py3-none-any",
    inner_tag: str | None = None,
    inner_name: str | None = None,
    python: str | None = None,
) -> Path:
    """Write a wheel whose inside may say something else than its name."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {inner_name or name}", f"Version: {version}", f"Summary: About {name}"]
    lines += [f"Requires-Python: {python}"] if python else []
    lines += [f"Requires-Dist: {each}" for each in requires]
    everything: dict[str, str | bytes] = {
        **(files if files is not None else {f"{name.replace('-', '_')}/__init__.py": f"version = {version!r}\n"}),
        f"{info}/METADATA": "\n".join(lines) + "\n\nA long description.\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {inner_tag or tag}\n",
    }
    path = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in everything.items():
            archive.writestr(entry, data)
        archive.writestr(f"{info}/RECORD", "".join(f"{each},,\n" for each in [*everything, f"{info}/RECORD"]))
    return path


def add_entry(path: Path, name: str, data: bytes = b"", mode: int = 0o100644) -> Path:
    """Put one more entry, however strange, into a zip file."""
    with zipfile.ZipFile(path, "a") as archive:
        entry = zipfile.ZipInfo(name)
        entry.filename = name
        entry.external_attr = mode << 16
        archive.writestr(entry, data)
    return path


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class WheelIndex:
    """An index of packages: /simple/NAME/ lists the files of a folder, /files/FILE gives them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.asked: list[str] = []
        self.hashes: dict[str, str] = {}
        """Hashes that the index names instead of the right ones; an empty one is left out."""
        self.pythons: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        """Where else a path leads."""
        self.pages: dict[str, str] = {}
        """What the index says of a project instead."""
        self.arrived = threading.Event()
        self.open = threading.Event()
        """While this is not set, nobody gets an answer."""
        self.open.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Be gone; may be called twice."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join(5)
        self._server.server_close()

    def page(self, project: str) -> bytes | None:
        if project in self.pages:
            return self.pages[project].encode()
        files = [path for path in sorted(self.folder.iterdir()) if _project(path.name) == project]
        return "\n".join(self._link(path) for path in files).encode() if files else None

    def _link(self, path: Path) -> str:
        digest = self.hashes.get(path.name, sha256(path))
        python = f' data-requires-python="{self.pythons[path.name]}"' if path.name in self.pythons else ""
        fragment = f"#sha256={digest}" if digest else ""
        return f'<a href="/files/{path.name}{fragment}"{python}>{path.name}</a>'

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                self._answer(False)

            def do_GET(self) -> None:
                index.asked.append(self.path)
                index.arrived.set()
                index.open.wait(10)
                self._answer(True)

            def _answer(self, whole: bool) -> None:
                kind, _, name = self.path.strip("/").partition("/")
                if target := index.redirects.get(self.path):
                    self.send_response(302)
                    self.send_header("Location", target)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                data = index.page(name) if kind == "simple" else _read(index.folder / name)
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Type", "text/html" if kind == "simple" else "application/octet-stream")
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                if whole:
                    self.wfile.write(data or b"")

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def _project(file: str) -> str:
    return file.partition("-")[0].replace("_", "-").replace(".", "-").lower()


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def write_lock(path: Path, packages: Mapping[Path, Mapping[str, object]]) -> None:
    """A lock file for these wheels and archives; what stands beside one goes into its entry."""
    entries: dict[str, object] = {}
    for file, extra in packages.items():
        name, version = file.name.split("-")[:2]
        entry = {
            "name": name.replace("_", "-"),
            "version": version.removesuffix(".zip"),
            "file_name": file.name,
            "sha256": sha256(file),
            "depends": [],
            "imports": [name],
            "package_type": "package",
            **extra,
        }
        entries[str(entry["name"])] = entry
    info = {"abi_version": "2026_0", "arch": "wasm32", "platform": "emscripten_5_0_3", "python": f"{VERSION}.2"}
    path.write_text(json.dumps({"info": info, "packages": entries}))
