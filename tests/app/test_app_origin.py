"""Who may talk to the server: its own page only, whatever else runs on this machine."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]
STREAM = "/_stcore/stream"
WAIT_SECONDS = 60.0


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """The port of a server that really runs."""
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    process = subprocess.Popen(
        [
            sys.executable, "-m", "streamlit", "run", str(ROOT / "app" / "main.py"), "--server.headless", "true",
            "--server.port", str(number), "--server.address", "127.0.0.1", "--browser.gatherUsageStats", "false",
        ],
        cwd=folder, env={**os.environ, "CSRO_STORE": str(folder / "s.sqlite")},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        end = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                urlopen(f"http://127.0.0.1:{number}/_stcore/health", timeout=5).close()
                break
            except OSError:
                if time.monotonic() > end or process.poll() is not None:
                    raise
                time.sleep(0.1)
        yield number
    finally:
        process.kill()
        process.wait()


def handshake(port: int, origins: list[str], host: str = "") -> int:
    """Returns the status that a WebSocket handshake with these origins is answered with."""
    lines = [
        f"GET {STREAM} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        *(f"Origin: {origin}" for origin in origins),
    ]  # fmt: skip
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS) as channel:
        channel.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(channel.recv(64).split()[1])


FOREIGN = (
    "http://127.0.0.1:{other}", "http://localhost:{other}", "http://0.0.0.0:{port}", "http://0.0.0.0:{other}", "null",
    "", "https://127.0.0.1:{port}", "https://localhost:{port}", "http://evil.example:{port}", "http://evil.example",
    "http://localhost", "http://127.0.0.1.evil.example:{port}", "http://localhost:{port}@evil.example",
    "http://127.0.0.2:{port}", "http://localhost:{port}/", "http://x@localhost:{port}", "file://", "http://[::1",
    "http://localhost:99999999", "HTTP://LOCALHOST:{port}/x",
)  # fmt: skip


def test_a_websocket_takes_the_pages_own_origin_only(port):
    for origin in ("http://127.0.0.1:{port}", "http://localhost:{port}"):
        assert handshake(port, [origin.format(port=port)]) == 101, origin
    for origin in FOREIGN:
        assert handshake(port, [origin.format(port=port, other=port + 1)]) == 403, origin
    assert handshake(port, []) == 403
    own = f"http://localhost:{port}"
    assert handshake(port, [own, "http://evil.example"]) in {400, 403}
    assert handshake(port, ["http://evil.example"], host=f"evil.example:{port}") == 403
    assert handshake(port, [own], host=f"0.0.0.0:{port}") == 403


def status(port: int, path: str, **headers: str) -> int:
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS) as channel:
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        channel.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(channel.recv(64).split()[1])


def test_so_does_every_other_address(port):
    for path in ("/", "/_stcore/health", "/_stcore/host-config", "/no/such/file"):
        assert status(port, path, Origin=f"http://127.0.0.1:{port + 1}") == 403, path
        assert status(port, path, Origin="null") == 403, path
    assert status(port, "/") == 200  # whoever opens the page has no origin
    assert status(port, "/", Origin=f"http://localhost:{port}") == 200


def test_a_tunnel_to_another_port_has_one_origin_of_its_own(port):
    """The browser at the other end says so in both headers; a page on this machine cannot choose its Host."""
    assert handshake(port, ["http://localhost:9000"], host="localhost:9000") == 101
