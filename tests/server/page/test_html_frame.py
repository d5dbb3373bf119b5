"""HTML that code shows has no way out of its frame, and cannot hold up the page."""

import json
import shutil
import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Frame, Page, expect

from cloche.server.page import BUILT, FRAME
from tests.server.page.conftest import NewSession, OpenPage, run_python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ATTEMPTS = """
const ways = {};
const tell = () => {
  const list = Object.entries(ways).map(([way, what]) => way + ": " + what).join("\\n");
  document.getElementById("told").textContent = list;
};
const attempt = async (way, work) => {
  ways[way] = "pending";
  try {
    await work();
    ways[way] = "REACHED";
  } catch (error) {
    ways[way] = "refused";
  }
  tell();
};
const address = "http://127.0.0.1:PORT/";
const loads = (element) => new Promise((done, fail) => {
  element.onload = done;
  element.onerror = () => fail(new Error("refused"));
  document.body.append(element);
});
const never = (message) => { throw new Error(message); };
attempt("fetch", () => fetch(address + "fetch", { mode: "no-cors" }));
attempt("fetch of the server", () => fetch("/api/sessions"));
attempt("XMLHttpRequest", () => new Promise((done, fail) => {
  const request = new XMLHttpRequest();
  request.open("GET", address + "xhr");
  request.onload = done;
  request.onerror = fail;
  request.send();
}));
attempt("beacon", () => navigator.sendBeacon(address + "beacon") || never("no beacon"));
attempt("WebSocket", () => new Promise((done, fail) => {
  const socket = new WebSocket(address.replace("http", "ws"));
  socket.onopen = done;
  socket.onerror = fail;
}));
attempt("EventSource", () => new Promise((done, fail) => {
  const source = new EventSource(address + "events");
  source.onopen = done;
  source.onerror = fail;
}));
attempt("WebRTC", async () => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:PORT" }] });
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
  await new Promise((done) => setTimeout(done, 1000));
});
attempt("image", () => loads(Object.assign(new Image(), { src: address + "image" })));
attempt("script", () => loads(Object.assign(document.createElement("script"), { src: address + "script.js" })));
attempt("own script", () => loads(Object.assign(document.createElement("script"), { src: "/icon.svg" })));
attempt("style", () =>
  loads(Object.assign(document.createElement("link"), { rel: "stylesheet", href: address + "style" })));
attempt("worker", () => new Promise((done, fail) => {
  const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
  worker.onmessage = done;
  worker.onerror = fail;
}));
attempt("form", () => new Promise((done, fail) => {
  const form = Object.assign(document.createElement("form"), { method: "POST", action: address + "form" });
  document.body.append(form);
  form.submit();
  setTimeout(fail, 500);
}));
attempt("window.open", () => window.open(address + "popup") ?? never("no window"));
attempt("alert", () => {
  const began = Date.now();
  confirm("?");
  if (Date.now() - began < 200) throw new Error("no dialog");
});
attempt("top.location", () => { top.location = address + "top"; });
attempt("parent.location", () => { parent.location = address + "parent"; });
attempt("parent.document", () => parent.document.title);
attempt("top.document", () => top.document.cookie);
attempt("document.cookie", () => document.cookie);
attempt("localStorage", () => localStorage.getItem("cloche.theme"));
attempt("sessionStorage", () => sessionStorage.getItem("x"));
attempt("indexedDB", () => new Promise((done, fail) => {
  const request = indexedDB.open("x");
  request.onsuccess = done;
  request.onerror = fail;
}));
attempt("caches", () => caches.open("x"));
attempt("service worker", () => navigator.serviceWorker.register("/sw.js"));
const link = Object.assign(document.createElement("a"), { href: address + "link", target: "_top" });
document.body.append(link);
link.click();
const inner = Object.assign(document.createElement("iframe"), { src: address + "iframe" });
document.body.append(inner);
"""


HOST = """<!doctype html><body><script>
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts";
frame.src = "frame.html";
addEventListener("message", ({ source, data }) => {
  const theme = { dark: false, color: "black", font: "serif" };
  if (source === frame.contentWindow && data.ready) source.postMessage({ show: HTML, theme }, "*");
});
document.body.append(frame);
</script>"""
"""What the page does, in short."""


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Listener:
    """A server of another origin, which writes down what reaches it."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        """A browser may connect before the policy is asked, without a word: that is no request."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._packets.bind(("127.0.0.1", self.port))
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._serve, self._hear)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop listening."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._packets.sendto(b"", ("127.0.0.1", self.port))
        for thread in self._threads:
            thread.join(5)
        self._packets.close()

    def _hear(self) -> None:
        while packet := self._packets.recv(1000):
            self.requests.append(packet)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                with client:
                    client.settimeout(0.5)
                    with suppress(OSError):
                        if data := client.recv(1000):
                            self.requests.append(data)


@pytest.fixture
def listener() -> Iterator[Listener]:
    """It must stay empty."""
    listening = Listener()
    yield listening
    listening.close()


async def show_html(open_page: OpenPage, new_session: NewSession, html: str) -> Page:
    """The tab of outputs, with this HTML in it."""
    sid = await new_session(run_python(f"from IPython.display import HTML\nHTML({html!r})"))
    page = await open_page(f"/s/{sid}")
    # The card in the stream has a frame too, which is not what is looked at here.
    await page.get_by_role("combobox", name="Kind of events").select_option("messages")
    await page.get_by_role("tab", name="Outputs").click()
    return page


async def find_inside(page: Page) -> Frame:
    """The frame in the frame: the document of the user."""
    await page.locator("iframe").first.wait_for()
    for _ in range(100):
        for frame in page.frames:
            if frame.parent_frame is not None and frame.parent_frame != page.main_frame:
                return frame
        await page.wait_for_timeout(50)
    raise AssertionError("the frame did not load")


async def expect_refusals(inside: Frame) -> None:
    """All ways out are closed."""
    told = inside.locator("#told")
    await expect(told).to_contain_text("service worker")
    await expect(told).not_to_contain_text("pending", timeout=10_000)
    ways = dict(line.split(": ") for line in (await told.inner_text()).splitlines())
    # These say nothing of what they did: that the listener is not called and the page stays tells.
    silent = {"beacon", "form", "WebRTC"}
    assert {way for way, what in ways.items() if what != "refused"} <= silent, ways
    assert len(ways) == 25


@contextmanager
def serve_folder(folder: Path) -> Generator[str]:
    """A plain web host."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join(5)


async def test_html_runs_and_has_the_height_of_its_content(open_page: OpenPage, new_session: NewSession) -> None:
    html = "<p id=a style='height: 200px; margin: 0'>before</p><script>a.textContent = 'script ran'</script>"
    page = await show_html(open_page, new_session, html)
    inside = await find_inside(page)
    await expect(inside.get_by_text("script ran")).to_be_visible()
    frame = page.locator("section[aria-label=Workspace] iframe")
    await expect(frame).to_have_css("height", "200px")
    assert await frame.get_attribute("sandbox") == "allow-scripts"
    await inside.evaluate("document.getElementById('a').style.height = '9000px'")
    await expect(frame).to_have_css("height", "640px")
    assert await inside.evaluate("document.documentElement.dataset.theme") == "light"
    await page.get_by_role("button", name="Switch between light and dark").click()
    await inside.wait_for_function("document.documentElement.dataset.theme === 'dark'")


async def test_html_reaches_nothing(
    open_page: OpenPage, new_session: NewSession, listener: Listener, page_errors: list[str]
) -> None:
    script = ATTEMPTS.replace("PORT", str(listener.port))
    page = await show_html(open_page, new_session, f"<pre id=told></pre><script>{script}</script>")
    await expect_refusals(await find_inside(page))
    await page.wait_for_timeout(500)
    assert listener.requests == []
    assert "/s/" in page.url
    assert len(page.context.pages) == 1
    page_errors.clear()
    await expect(page.get_by_role("tab", name="Outputs")).to_be_visible()


async def test_html_that_leads_its_own_frame_elsewhere_gets_nowhere(
    open_page: OpenPage, new_session: NewSession, listener: Listener, page_errors: list[str]
) -> None:
    address = f"http://127.0.0.1:{listener.port}/?secret"
    html = f"<p>here</p><script>setTimeout(() => {{ location = '{address}' }}, 300)</script>"
    page = await show_html(open_page, new_session, html)
    await find_inside(page)
    await page.wait_for_timeout(1500)
    assert listener.requests == []
    page_errors.clear()


async def test_html_that_floods_the_page_with_messages_is_stopped(open_page: OpenPage, new_session: NewSession) -> None:
    flood = "for (let at = 0; at < 500; at++) top.postMessage({ height: at }, '*')"
    html = f"<script>setInterval(() => {{ {flood} }}, 5)</script>"
    page = await show_html(open_page, new_session, html)
    await expect(page.get_by_text("it sent too many messages")).to_be_visible()
    await expect(page.locator("section[aria-label=Workspace] iframe")).to_have_count(0)
    await page.get_by_role("tab", name="Files").click()


async def test_html_with_an_endless_loop_leaves_the_page_usable(open_page: OpenPage, new_session: NewSession) -> None:
    html = "<script>setTimeout(() => { while (true) {} }, 500)</script>"
    page = await show_html(open_page, new_session, html)
    outputs = page.get_by_role("tabpanel", name="Outputs")
    await expect(outputs.get_by_text("does not respond")).to_be_visible(timeout=20_000)
    await page.get_by_role("button", name="Stop it").click()
    await expect(page.get_by_text("This HTML was stopped.")).to_be_visible()
    await expect(page.locator("section[aria-label=Workspace] iframe")).to_have_count(0)


async def test_the_frame_is_closed_also_at_a_host_that_sends_no_policy(
    chromium: Browser, listener: Listener, tmp_path: Path
) -> None:
    shutil.copy(BUILT / FRAME, tmp_path)
    html = f"<pre id=told></pre><script>{ATTEMPTS.replace('PORT', str(listener.port))}</script>"
    # The end of a script would end this one too.
    (tmp_path / "index.html").write_text(HOST.replace("HTML", json.dumps(html).replace("</", "<\\/")))
    with serve_folder(tmp_path) as address:
        page = await chromium.new_page()
        await page.goto(address)
        await expect_refusals(await find_inside(page))
        await page.wait_for_timeout(500)
        assert listener.requests == []
        assert page.url == address
        await page.close()
