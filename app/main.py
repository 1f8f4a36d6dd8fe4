"""The dashboard's server: `streamlit run app/main.py`. Adds security headers; serves this machine only.

The page starts programs that a model wrote. Whoever reaches it can run Python here, so it refuses to be served on
any address but loopback, whatever configuration it was started with.
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

import pandas  # noqa: F401 (Streamlit loads it late; a chart drawn meanwhile by another thread would find half of it)
import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FOLDER = Path(__file__).resolve().parent
# `streamlit run` puts this folder on the path, not the one that holds the packages.
if str(FOLDER.parent) not in sys.path:
    sys.path.insert(0, str(FOLDER.parent))

LOOPBACK = ("127.0.0.1", "localhost", "::1")

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; "
        b"style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
        b"connect-src 'self' ws://127.0.0.1:* ws://localhost:*; frame-ancestors 'none'; object-src 'none'; "
        b"base-uri 'self'; form-action 'self'",
    ),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


def refusal() -> str:
    """Returns why this configuration must not be served, "" where it may."""
    address = st.get_option("server.address")
    if address not in LOOPBACK:
        return (
            f"CSRO serves this machine only: server.address must be one of {', '.join(LOOPBACK)}, got {address!r}. "
            "Leave the option out; for another machine use an SSH tunnel."
        )
    if not st.get_option("server.enableCORS") or not st.get_option("server.enableXsrfProtection"):
        return "CSRO needs server.enableCORS and server.enableXsrfProtection: without them any web page could drive it."
    return ""


_SPELT = ("127.0.0.1", "localhost", "[::1]")


def _authority(url: str) -> tuple[str | None, int | None]:
    """Returns host and port of an address, None for what it lacks or what is none."""
    try:
        parts = urlsplit(url)
        return parts.hostname, parts.port
    except ValueError:
        return None, None


class Guard:
    """ASGI middleware: adds the headers, and answers nobody who came over another interface than loopback."""

    def __init__(self, app: ASGIApp) -> None:
        """Wraps the application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        # A second lock, for ASGI servers that do not ask Streamlit's configuration for their address.
        if scope["type"] in {"http", "websocket"} and not (self._is_local(scope) and self._is_own_page(scope)):
            await self._refuse(scope, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)

    @staticmethod
    def _is_local(scope: Scope) -> bool:
        address = (scope.get("server") or ("127.0.0.1", 0))[0]
        named = dict(scope["headers"]).get(b"host", b"localhost").decode("latin-1")
        # A foreign name in Host is DNS rebinding: somebody's web page that resolves to this machine.
        return address in LOOPBACK and _authority(f"//{named}")[0] in LOOPBACK

    @staticmethod
    def _is_own_page(scope: Scope) -> bool:
        """Returns whether the page that asks is this server's: the port of its origin is the one it has reached.

        A page that is opened has no origin, nor has a picture; a WebSocket of a browser always has one.
        """
        headers = scope["headers"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if not origins:
            return bool(scope["type"] == "http")
        if len(origins) != 1 or len(hosts) != 1:
            return False
        scheme = "https" if scope.get("scheme") in {"https", "wss"} else "http"
        name, port = _authority(origins[0])
        usual = 443 if scheme == "https" else 80
        # Compared as a whole: an origin has no path, no user and no other spelling.
        spelt = {f"{scheme}://{host}:{port}" for host in _SPELT} | {f"{scheme}://{host}" for host in _SPELT}
        return origins[0] in spelt and name in LOOPBACK and (port or usual) == (_authority(f"//{hosts[0]}")[1] or usual)

    @staticmethod
    async def _refuse(scope: Scope, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b"CSRO serves this machine only.\n"})


problem = refusal()
if problem:
    sys.exit(problem)

app = st.App(str(FOLDER / "shell.py"), middleware=[Middleware(Guard)])

if __name__ == "__main__":
    app.run()
