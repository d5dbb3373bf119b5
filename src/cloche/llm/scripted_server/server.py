"""A small HTTP server that answers like a model's, from a script; on this machine only."""

import select
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import msgspec
from anyio import CancelScope, to_thread

from cloche.llm.faults import NOT_JSON
from cloche.llm.scripted_server.anthropic_wire import AnthropicWire
from cloche.llm.scripted_server.openai_wire import OpenAIWire
from cloche.llm.scripted_server.turns import ReceivedRequest, Script, ServerTurn, Turn, as_turn
from cloche.llm.scripted_server.wire import Wire

GLANCE = 0.02
"""Seconds between two looks at whether a client is still there."""


class ScriptedServer:
    """Serves the APIs of OpenAI and Anthropic at a free port of this machine, in threads of its own.

    Use it in `with` or `async with`. The turns of the script are answered one after the other, whichever client asks; a
    script may also be a function of the request. `received` has all requests.
    """

    def __init__(self, script: Script = (), *, key: str | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[ReceivedRequest] = []
        self.key = key
        """The key that requests must have, if any."""
        self.asked = threading.Event()
        """Set by the first request."""
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._answer = script if callable(script) else None
        self._turns: Iterator[Turn] = iter(()) if callable(script) else iter(script)
        self._http = _Server(self, tls)
        self._scheme = "https" if tls else "http"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(GLANCE,), name="scripted model")

    @property
    def origin(self) -> str:
        """Its address, for Anthropic's API."""
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}"

    @property
    def base_url(self) -> str:
        """Its address for OpenAI's API."""
        return f"{self.origin}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await to_thread.run_sync(self.__enter__)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        with CancelScope(shield=True):
            await to_thread.run_sync(self.close)

    def close(self) -> None:
        """Stop serving and end all connections."""
        if not self.closing.is_set():
            self.closing.set()
            self._http.shutdown()
            self._http.end_connections()
            self._http.server_close()
            self._thread.join()

    def note_request(self, request: ReceivedRequest) -> None:
        """Keep a request for the test."""
        self.received.append(request)
        self.asked.set()

    def next_turn(self, request: ReceivedRequest) -> ServerTurn:
        """What a request is answered."""
        with self._lock:
            if self._answer is not None:
                return as_turn(self._answer(request))
            for turn in self._turns:
                return as_turn(turn)
        return ServerTurn(status=400, error="The script of this server has no more turns.")


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def __init__(self, owner: ScriptedServer, tls: ssl.SSLContext | None) -> None:
        self.owner = owner
        self._tls = tls
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.daemon_threads = False

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self._tls is not None:
            try:
                request = self._tls.wrap_socket(request, server_side=True)
            except OSError:
                return
        self._open.add(request)
        try:
            super().finish_request(request, client_address)
        except ConnectionError:
            # The client has left.
            pass
        finally:
            self._open.discard(request)
            request.close()

    def end_connections(self) -> None:
        for each in list(self._open):
            _shut(each)


class _Exchange(BaseHTTPRequestHandler):
    """The requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def _owner(self) -> ScriptedServer:
        assert isinstance(self.server, _Server)
        return self.server.owner

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        """The list of models, which clients ask for."""
        model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "cloche", "type": "model"}
        self._send_document(200, {"object": "list", "data": [model], "has_more": False}, {})

    def do_POST(self) -> None:
        """An answer of the script."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        request = ReceivedRequest(
            path=self.path,
            headers=_lower(self.headers),
            body=_decode(body),
            client_port=self.client_address[1],
            gone=threading.Event(),
        )
        wire = AnthropicWire() if "/messages" in self.path else OpenAIWire()
        owner = self._owner
        owner.note_request(request)
        if not self.path.partition("?")[0].endswith(("/chat/completions", "/messages")):
            turn = ServerTurn(status=404, error=f"There is nothing at {self.path}.")
        elif owner.key is not None and not wire.has_key(dict(request.headers), owner.key):
            turn = ServerTurn(status=401, error="The key is not valid.", kind="authentication_error")
        else:
            turn = owner.next_turn(request)
        try:
            self._answer(turn, wire, request)
        except OSError:
            request.gone.set()
            self.close_connection = True

    def _answer(self, turn: ServerTurn, wire: Wire, request: ReceivedRequest) -> None:
        if turn.fault is not None and turn.fault_at < 0:
            self._misbehave(turn, wire, request)
            return
        if turn.status != 200:
            self._send_document(turn.status, wire.write_error(turn) if turn.body is None else turn.body, turn.headers)
            return
        model = str(request.body.get("model") or "")
        if turn.streams and request.body.get("stream") and turn.body is None:
            pieces, kind = wire.write_stream(turn, model), "text/event-stream"
        else:
            document = msgspec.json.encode(wire.write_document(turn, model)) if turn.body is None else turn.body
            half = len(document) // 2
            pieces, kind = iter((document[:half], document[half:])), "application/json"
        self._send_head({"content-type": kind, "transfer-encoding": "chunked", **turn.headers})
        for number, piece in enumerate(pieces):
            if turn.fault is not None and number == turn.fault_at:
                self._misbehave(turn, wire, request)
                return
            self._owner.closing.wait(turn.pause)
            if piece:
                self._send_piece(piece)
        self._send_piece(b"")

    def _misbehave(self, turn: ServerTurn, wire: Wire, request: ReceivedRequest) -> None:
        self.close_connection = True
        match turn.fault:
            case "cut":
                self._send_piece(b"")
            case "garbage":
                self._send_piece(b'data: {"choices": [{"delta"\n\n')
                self._send_piece(b"")
            case "error":
                self._send_piece(wire.write_error_event(turn))
                self._send_piece(b"")
            case "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            case "pings" | "endless" | "hang":
                text = {"pings": wire.ping, "endless": wire.write_text("more and more " * 20)}.get(turn.fault, b"")
                self._continue_until_gone(text, request, GLANCE if turn.fault == "pings" else 0.0)
            case _:
                pass

    def _continue_until_gone(self, piece: bytes, request: ReceivedRequest, pause: float) -> None:
        closing = self._owner.closing
        while not closing.is_set() and not self._is_gone(0.0 if piece else GLANCE):
            if piece:
                self._send_piece(piece)
                closing.wait(pause)
        if not closing.is_set():
            request.gone.set()

    def _is_gone(self, wait: float) -> bool:
        """Whether the client has closed the connection: then its end can be read."""
        return bool(select.select([self.connection], [], [], wait)[0])

    def _send_document(self, status: int, document: object, headers: dict[str, str]) -> None:
        data = document if isinstance(document, bytes) else msgspec.json.encode(document)
        given = {"content-type": "application/json", "content-length": str(len(data)), **headers}
        self._send_head(given, status)
        self.wfile.write(data)

    def _send_head(self, headers: dict[str, str], status: int = 200) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_piece(self, piece: bytes) -> None:
        """Send a piece of a body without a length; an empty one is its end."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))


def _shut(connection: socket.socket) -> None:
    # It may be closed already.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _lower(headers: Any) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in headers.items()}


def _decode(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except NOT_JSON:
        return {}
