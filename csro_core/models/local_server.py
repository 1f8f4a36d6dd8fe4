"""A language model on this machine, served by llama.cpp in this process over OpenAI's API, on loopback only.

The package xllamacpp is optional (`requirements-local-llm.txt`): llama.cpp with its HTTP server, compiled in.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from csro_core.errors import UsageError

HOST = "127.0.0.1"

CONTEXT_TOKENS = 8_192
"""Prompt and answer together. Prompts of repeated RPS have 2,400 to 4,000 tokens and answers 100 to 500. This is also
what ends an answer that repeats itself: the client allows more, and `n_predict` does not bound what a client asks."""

PROMPT_CACHE_MIB = 512
"""Memory for prompts that were read before, since those of a run begin alike; llama.cpp by itself takes up to 8 GB."""


@dataclass(frozen=True)
class LocalServer:
    """What is served.

    Attributes:
        path: file of the model, in the format GGUF.
        model: its name for clients.
        port: to listen on; 0: a free one.
        threads: that compute, >= 1.
    """

    path: Path
    model: str
    port: int
    threads: int


def usual_threads() -> int:
    """Returns half of the cores, the other half being for matches; 1 on two cores.

    There a second thread makes answers up to ten times slower as soon as anything else runs: every token waits for the
    slower one.
    """
    return max(1, (os.cpu_count() or 1) // 2)


def check_port(port: int) -> None:
    """Does nothing where the port is free.

    Raises:
        UsageError: it is not, or may not be used.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if os.name == "posix":
            # Elsewhere this means that two may listen on one port; here, that one may again at once after another.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"the port must be free, and {HOST}:{port} is not ({why}): choose another") from error


def import_server(install: str) -> ModuleType:
    """Returns the package of the server.

    Args:
        install: the command that installs it.

    Raises:
        UsageError: it is not there, or not for this machine.
    """
    try:
        # Late: an optional package of 100 MB, which no other command needs.
        import xllamacpp
    except ImportError as error:
        raise UsageError(f"the package xllamacpp must be installed, and is not ({error}): {install}") from error
    module: ModuleType = xllamacpp
    return module


@contextmanager
def serving(package: ModuleType, wanted: LocalServer) -> Iterator[str]:
    """Serves a model as long as the block runs; gives the base URL, up to and with "/v1".

    Args:
        package: see `import_server`.
        wanted: what to serve.

    Raises:
        UsageError: it cannot be loaded.
    """
    settings = package.CommonParams()
    settings.model.path = str(wanted.path)
    settings.model_alias = {wanted.model}
    settings.n_ctx = CONTEXT_TOKENS
    settings.n_parallel = 1
    settings.cache_ram_mib = PROMPT_CACHE_MIB
    for threads in (settings.cpuparams, settings.cpuparams_batch):
        threads.n_threads = wanted.threads
        # Threads that spin while they wait take the cores from the matches.
        threads.poll = 0
    settings.hostnames = [HOST]
    settings.port = wanted.port
    # No page, no state for others to read, and no word to a page of another server that a browser has open.
    settings.ui = settings.endpoint_slots = settings.endpoint_props = settings.endpoint_metrics = False
    settings.cors_origins = ""
    settings.offline = True
    settings.verbosity = 0
    try:
        server = package.Server(settings)
    except RuntimeError as error:
        raise UsageError(
            f"{wanted.path} must be a whole GGUF file of a language model that llama.cpp can load, and there must be "
            f"memory for it ({error})"
        ) from error
    try:
        yield f"{server.listening_address}/v1"
    finally:
        # It stops listening when nobody holds it.
        del server
