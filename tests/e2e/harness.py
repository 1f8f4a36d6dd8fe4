"""A real server on loopback and a real Chromium for the browser tests; everything that leaves loopback is an error."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from csro_core.store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
IN_CI = os.environ.get("CI", "").lower() == "true"
START_SECONDS = 120.0
PATIENCE = 120_000
"""Milliseconds that anything in the browser may take on a slow machine; waits end as soon as it is there."""

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
]
_LOCAL = re.compile(r"^(https?|wss?)://(127\.0\.0\.1|localhost)(:\d+)?(/|$)|^(data|blob|about):")
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """Returns the path of a Chromium of the system, or None."""
    return next((found for name in _CHROMIUM if (found := shutil.which(name))), None)


@dataclass
class Server:
    """A running dashboard."""

    url: str
    log: Path
    store: Path
    process: subprocess.Popen


LOST_TAB = re.compile(
    r"Exception in ASGI application\n(?:(?!Exception in ASGI application).)*?"
    r"WebSocketDisconnected: Cannot call \"send\" once a close message has been sent\.\n",
    re.DOTALL,
)


def without_lost_tabs(said: str) -> str:
    """Returns a server's log without what Streamlit says when a tab goes away while it closes the connection.

    It then closes a socket that is closed already (starlette_websocket.py, `_websocket_endpoint`); of our code only
    the middleware that passes the connection on is in that traceback.
    """
    return LOST_TAB.sub("", said)


@contextlib.contextmanager
def server(store: Path, port: int = 0) -> Iterator[Server]:
    """Starts the dashboard from a foreign folder, on any free port where none is given; ends it afterwards."""
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="csro-e2e-"))
    log = folder / "server.log"
    command = [
        sys.executable, "-m", "streamlit", "run", str(ROOT / "app" / "main.py"),
        "--server.port", str(port), "--server.headless", "true",
    ]  # fmt: skip
    environment = {**os.environ, "CSRO_STORE": str(store)}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait_healthy(f"http://127.0.0.1:{port}/_stcore/health", process, log)
        yield Server(f"http://127.0.0.1:{port}", log, store, process)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        said = without_lost_tabs(log.read_text(errors="replace"))
        shutil.rmtree(folder, ignore_errors=True)
        if "Traceback" in said:
            print(said[-6000:])  # pytest shows it with the failed test
    assert "Traceback" not in said, "the server has raised an exception, see the output"


def _wait_healthy(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=1) as answer:
            if answer.read() == b"ok":
                return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError(f"the dashboard did not start:\n{log.read_text(errors='replace')}")


def run_id(running: Server, name: str) -> str:
    """Returns the id of the run with this name."""
    return open_store(running.store, create=False).run(name).id


@dataclass
class Watched:
    """A page, and everything that went wrong on it.

    Attributes:
        page: Playwright's.
        problems: what went wrong, one line each.
        may_lose_server: True while a test takes the server away: only requests off loopback are a problem then.
    """

    page: "Page"
    problems: list[str] = field(default_factory=list)
    may_lose_server: bool = False

    def check(self) -> None:
        """Fails on any page error, console error, or request that left loopback."""
        assert not self.problems, "\n".join(self.problems)


def watch(page) -> Watched:
    """Collects what must not happen on a page."""
    watched = Watched(page)
    page.on("pageerror", lambda error: _page_error(watched, str(error)))
    page.on("console", lambda message: _console(watched, message))
    page.on("request", lambda request: _request(watched, request.url))
    page.on("websocket", lambda websocket: _request(watched, websocket.url))
    return watched


# Streamlit's own index.html has one inline script, which the content security policy refuses to no visible effect.
_INLINE_SCRIPT = "Executing inline script violates the following Content Security Policy directive"

# Opened at the address of a page, Streamlit's own script looks for its server below that address first.
_PROBE = re.compile(r"/(policies|metagame|matches|compare|benchmark|calls|runs)/_stcore/(health|host-config)$")


def _page_error(watched: Watched, text: str) -> None:
    if not watched.may_lose_server:
        watched.problems.append(f"page error: {text}")


def _console(watched: Watched, message) -> None:
    expected = _INLINE_SCRIPT in message.text or _PROBE.search(message.location.get("url", ""))
    if message.type == "error" and not expected and not watched.may_lose_server:
        watched.problems.append(f"console error: {message.text} ({message.location.get('url', '')})")


def _request(watched: Watched, url: str) -> None:
    if not _LOCAL.match(url):
        watched.problems.append(f"request off loopback: {url}")


# What the page has asked of the script and has not had answered. Between a click and the server's word that the script
# runs, the page still says that nothing runs; so the messages themselves are read: of the browser `rerun_script` (field
# 11 of BackMsg; not the beats of a fragment, field 6 in it), of the server `new_session` (4) and `script_finished` (6,
# whose value 2 says that it was broken off for a newer run) of ForwardMsg. Streamlit, proto/streamlit/proto.
_ASKED = """(() => {
  const fields = bytes => {
    const found = new Map()
    let at = 0
    const varint = () => {
      let value = 0, shift = 1
      for (;;) {
        const byte = bytes[at++]
        value += (byte & 127) * shift
        if (byte < 128) return value
        shift *= 128
      }
    }
    while (at < bytes.length) {
      const tag = varint(), field = tag >>> 3
      if ((tag & 7) === 0) found.set(field, varint())
      else if ((tag & 7) === 2) {
        const size = varint()
        found.set(field, bytes.subarray(at, at + size))
        at += size
      } else break
    }
    return found
  }
  window.asked = { open: false, begun: true, since: 0 }
  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (data) {
    const rerun = ArrayBuffer.isView(data) && fields(data).get(11)
    if (rerun && !fields(rerun).has(6)) Object.assign(window.asked, { open: true, begun: false })
    return send.call(this, data)
  }
  const Socket = window.WebSocket
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given)
      this.addEventListener('message', ({ data }) => {
        if (!(data instanceof ArrayBuffer)) return
        const said = fields(new Uint8Array(data))
        if (said.has(4)) window.asked.begun = true
        if (said.has(6) && said.get(6) !== 2 && window.asked.begun) {
          Object.assign(window.asked, { open: false, since: performance.now() })
        }
      })
      this.addEventListener('close', () => Object.assign(window.asked, { open: false }))
    }
  }
})()"""

_SETTLED = """() => {
  const app = document.querySelector('[data-testid="stApp"]')
  return !window.asked.open && performance.now() - window.asked.since > 50
    && app?.getAttribute('data-test-script-state') === 'notRunning'
    && app.getAttribute('data-test-connection-state') === 'CONNECTED'
    && !document.querySelector('[data-stale="true"]')
}"""
"""A page draws what it was told some milliseconds later (it collects for 10 ms)."""


def settle(page, timeout: float = PATIENCE) -> None:
    """Waits until the script has run for everything that the page asked for and its answer is drawn."""
    # Before its first run the script counts as not running: what every run draws must be there.
    page.wait_for_selector(".st-key-new_run_button, [data-testid='stException']", state="attached", timeout=timeout)
    page.wait_for_function(_SETTLED, timeout=timeout)
    exceptions = page.locator("[data-testid='stException']").all_inner_texts()
    assert not exceptions, exceptions


@contextlib.contextmanager
def launched() -> Iterator["Browser"]:
    """Starts the system's Chromium."""
    from playwright.sync_api import sync_playwright  # missing where only the core is tested; conftest.py says so

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def new_page(browser: "Browser", dark: bool = False, size: tuple[int, int] = (1280, 900)) -> Watched:
    """Opens a page with a profile of its own."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        accept_downloads=True,
    )
    context.set_default_timeout(PATIENCE)
    context.add_init_script(_ASKED)
    return watch(context.new_page())
