"""The server of a local model, with a stand-in for llama.cpp: what it is told, and what becomes of its failures."""

import socket
import sys
from types import SimpleNamespace

import pytest

from csro_core.errors import UsageError
from csro_core.models import local_server
from csro_core.models.local_server import LocalServer, check_port, import_server, serving, usual_threads


class FakeServer:
    alive = 0

    def __init__(self, settings):
        if "broken" in settings.model.path:
            raise RuntimeError("Failed to init server")
        FakeServer.alive += 1
        self.listening_address = f"http://{settings.hostnames[0]}:{settings.port}"

    def __del__(self):
        FakeServer.alive -= 1 if hasattr(self, "listening_address") else 0


def settings() -> SimpleNamespace:
    """What `CommonParams` begins with (xllamacpp 2026.10.11549), as far as it matters here."""
    threads = SimpleNamespace(n_threads=-1, poll=50), SimpleNamespace(n_threads=-1, poll=50)
    return SimpleNamespace(
        model=SimpleNamespace(path=""), cpuparams=threads[0], cpuparams_batch=threads[1], hostnames=["0.0.0.0"],
        port=0, ui=True, endpoint_slots=True, endpoint_props=True, endpoint_metrics=True, cors_origins="*",
    )  # fmt: skip


@pytest.fixture
def package():
    made = settings()
    return SimpleNamespace(CommonParams=lambda: made, Server=FakeServer, made=made)


def test_it_serves_on_loopback_only_and_shows_nothing_else(package, tmp_path):
    with serving(package, LocalServer(tmp_path / "m.gguf", "m", 8123, 3)) as url:
        assert url == "http://127.0.0.1:8123/v1"
        assert FakeServer.alive == 1
    assert FakeServer.alive == 0
    made = package.made
    assert made.hostnames == ["127.0.0.1"]
    assert (made.ui, made.endpoint_slots, made.endpoint_props, made.endpoint_metrics) == (False,) * 4
    assert made.cors_origins == ""
    assert made.cache_ram_mib <= 1_024
    assert (made.model.path, made.model_alias) == (str(tmp_path / "m.gguf"), {"m"})
    assert {(one.n_threads, one.poll) for one in (made.cpuparams, made.cpuparams_batch)} == {(3, 0)}


def test_it_ends_with_an_error_of_the_block(package, tmp_path):
    with pytest.raises(KeyboardInterrupt), serving(package, LocalServer(tmp_path / "m.gguf", "m", 8123, 1)):
        raise KeyboardInterrupt
    assert FakeServer.alive == 0


def test_a_file_that_cannot_be_loaded(package, tmp_path):
    with pytest.raises(UsageError, match=r"broken\.gguf must be a whole GGUF file"):
        serving(package, LocalServer(tmp_path / "broken.gguf", "m", 8123, 1)).__enter__()


def test_a_package_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # importing it fails
    with pytest.raises(UsageError, match=r"xllamacpp must be installed.*: pip install it"):
        import_server("pip install it")


def test_a_package_that_is(monkeypatch):
    package = SimpleNamespace()
    monkeypatch.setitem(sys.modules, "xllamacpp", package)
    assert import_server("") is package


def test_a_port_that_is_taken():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=rf"127\.0\.0\.1:{port} is not .*choose another"):
            check_port(port)
    check_port(port)
    check_port(0)


@pytest.mark.parametrize(("cores", "threads"), [(None, 1), (1, 1), (2, 1), (3, 1), (4, 2), (16, 8)])
def test_threads_leave_cores_to_the_matches(monkeypatch, cores, threads):
    monkeypatch.setattr(local_server.os, "cpu_count", lambda: cores)
    assert usual_threads() == threads
