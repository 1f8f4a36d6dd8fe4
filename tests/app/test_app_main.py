"""The server: refuses every address but loopback, wherever it is started from; answers with its headers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

ROOT = Path(__file__).resolve().parents[2]


def start(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app" / "main.py"), "--server.headless", "true"]
    return subprocess.run(
        [*command, "--server.port", "0", *options],
        cwd=folder,
        env={**os.environ, "CSRO_STORE": str(folder / "s.sqlite"), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (("--server.address", "0.0.0.0"), {}),
        ((), {"STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}),
        (("--server.address", ""), {}),
    ],
)
def test_it_refuses_to_be_served_to_others_from_any_folder(tmp_path, options, environment):
    result = start(tmp_path, *options, **environment)
    assert result.returncode != 0
    assert "CSRO serves this machine only" in result.stderr
    assert "Traceback" not in result.stderr


def test_it_refuses_to_be_driven_by_other_web_pages(tmp_path):
    result = start(tmp_path, "--server.enableCORS", "false", "--server.enableXsrfProtection", "false")
    assert result.returncode != 0
    assert "server.enableCORS" in result.stderr


@pytest.fixture
def guard(monkeypatch):
    monkeypatch.setattr("streamlit.get_option", lambda name: "127.0.0.1" if name == "server.address" else True)
    from app.main import Guard  # the module refuses at import, so it can only be imported under the option above

    async def page(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"page"})

    return Guard(page)


def test_every_answer_carries_the_security_headers(guard):
    answer = TestClient(guard, base_url="http://127.0.0.1").get("/")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-eval'" not in policy.replace("wasm-unsafe-eval'", "")
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("url", ["http://192.168.1.5", "http://rebound.example"])
def test_a_foreign_interface_or_host_gets_nothing(guard, url):
    assert TestClient(guard, base_url=url).get("/").status_code == 403


def test_a_foreign_host_header_on_loopback_gets_nothing(guard):
    answer = TestClient(guard, base_url="http://127.0.0.1").get("/", headers={"host": "rebound.example"})
    assert answer.status_code == 403
