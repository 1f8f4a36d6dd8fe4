"""`local-llm`: serves a small language model on this machine, for runs without a key."""

import argparse
import re
import shlex
import sys
import threading
from pathlib import Path

from csro_core.cli.arguments import user_path, whole
from csro_core.cli.output import emit, note
from csro_core.errors import UsageError
from csro_core.models.local_server import LocalServer, check_port, import_server, serving, usual_threads
from csro_core.store.weights import INSTALL, QWEN, ensure_weights, weights_folder

NAME = "local-llm"
HELP = f"serve a language model on this machine, no key needed ({QWEN.title}, or any GGUF file)"

_MAGIC = b"GGUF"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the port, the threads and the file."""
    parser.add_argument(
        "--port", metavar="N", type=whole(0, 65_535), default=8080, help="on 127.0.0.1; 0: a free one (%(default)s)"
    )
    parser.add_argument(
        "--threads", metavar="N", type=whole(1, 512), default=usual_threads(), help="that compute (%(default)s here)"
    )
    parser.add_argument("--model", metavar="PATH.gguf", help=f"another model (default: {QWEN.model})")


def execute(args: argparse.Namespace) -> int:
    """Returns 0 when it was ended with Ctrl-C; prints how to use the model as soon as it answers.

    Raises:
        UsageError: something is not installed, the port is taken, or the file is damaged or none.
    """
    package = import_server(INSTALL)
    check_port(args.port)
    if args.model is None:
        path, model = ensure_weights(QWEN, weights_folder(), note), QWEN.model
    else:
        path = _checked(user_path(args.model))
        model = _name_of(path)
    note(f"loading {path} ({args.threads} thread{'s' if args.threads > 1 else ''})")
    try:
        with serving(package, LocalServer(path, model, args.port, args.threads)) as url:
            name = f"openai:{model}@{url}"
            use = f"ready, until Ctrl-C; in another terminal: python -m csro_core run --model {shlex.quote(name)}"
            emit(args, {"model": name, "base_url": url, "file": str(path)}, use)
            # Whoever waits for this line may be reading a pipe.
            sys.stdout.flush()
            _wait()
    except KeyboardInterrupt:
        note("ended")
    return 0


def _wait() -> None:
    """Waits for Ctrl-C."""
    forever = threading.Event()
    # In steps, since Windows does not interrupt a wait without an end.
    while not forever.wait(1.0):
        pass


def _checked(path: Path) -> Path:
    """Returns the path of a user's file that looks like a model.

    Raises:
        UsageError: it is none, or cannot be read.
    """
    try:
        if path.is_fifo():  # To open one waits until somebody writes, and llama.cpp could not read it anyway.
            raise UsageError(f"{path} must be a model in the format GGUF; it is a pipe, not a file")
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: it cannot be read ({error})") from error
    if begins != _MAGIC:
        raise UsageError(f"{path} must be a model in the format GGUF; it does not begin like one")
    return path


def _name_of(path: Path) -> str:
    """Returns a name that `openai:MODEL@BASE_URL` can hold."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip("-.")[:100] or "model"
