"""Options that commands share, and argument types whose messages say what would be right."""

import argparse
import dataclasses
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from csro_core.errors import UsageError
from csro_core.matches.cluster import checked_address
from csro_core.runner.keys import Credentials, take_credentials
from csro_core.seeds import Seed, checked_seed
from csro_core.store import Store, default_path, open_store
from csro_core.store.records import Caps

MAX_EPISODES = 100_000

_SHOWN = 40


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage and leaving the process."""

    def error(self, message: str) -> NoReturn:
        """Ends the parsing.

        Raises:
            UsageError: always, with one line.
        """
        raise UsageError(f"{message}: see `{self.prog} --help`")


def add_common(parser: argparse.ArgumentParser) -> None:
    """Adds the options that every command has."""
    parser.add_argument("--json", action="store_true", help="print one JSON document on standard output")
    parser.add_argument(
        "--store", metavar="PATH", help="the store's file (default: CSRO_STORE, else one in the user's data directory)"
    )


def whole(low: int, high: int) -> Callable[[str], int]:
    """Returns an argument type: whole numbers from `low` to `high`."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"it must be a whole number from {low} to {high}, got {text[:_SHOWN]!r}")
        return value

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    """Returns an argument type: finite numbers from `low` to `high`."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and low <= value <= high):
            raise argparse.ArgumentTypeError(f"it must be a number from {low:g} to {high:g}, got {text[:_SHOWN]!r}")
        return value

    return parse


def seed(text: str) -> Seed:
    """Returns a seed; an argument type (see `seeds.checked_seed`).

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        return checked_seed(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Adds the seed; `None` where none is given."""
    parser.add_argument(
        "--seed", metavar="S", type=seed,
        help="a number or 26 letters; the same one gives the same rows (default: drawn at random, and shown)",
    )  # fmt: skip


def add_caps(parser: argparse.ArgumentParser) -> None:
    """Adds what a run may spend; `caps_from` reads it."""
    what = {
        "usd": (number(1e-6, 1e9), "US dollars"),
        "calls": (whole(1, 10**9), "model calls"),
        "tokens": (whole(1, 10**15), "tokens, sent and written, thoughts included"),
        "seconds": (number(1e-3, 1e9), "wall seconds of iterations"),
    }
    for name, (kind, words) in what.items():
        parser.add_argument(f"--max-{name}", metavar="X", type=kind, help=f"stop the run at so many {words}")


def caps_from(args: argparse.Namespace, otherwise: Caps) -> Caps:
    """Returns what a run may spend.

    Args:
        args: parsed arguments of a command with `add_caps`.
        otherwise: holds for what the arguments do not say.
    """
    given = {field.name: getattr(args, f"max_{field.name}") for field in dataclasses.fields(Caps)}
    return dataclasses.replace(otherwise, **{name: most for name, most in given.items() if most is not None})


def add_key(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Adds how a key is handed over; `credentials_from` takes it.

    Args:
        parser: of a command that opens models.
        several: True: of several providers, perhaps.
    """
    group = parser.add_mutually_exclusive_group()
    if several:
        group.add_argument(
            "--keys-on-stdin", action="store_true",
            help="read keys from standard input, a line 'gemini KEY' or 'BASE_URL KEY' for each provider",
        )  # fmt: skip
    group.add_argument(
        "--key-on-stdin", action="store_true",
        help="read the model's key from standard input, one line (default: from the environment, GEMINI_API_KEY)",
    )  # fmt: skip


def credentials_from(args: argparse.Namespace) -> Credentials:
    """Takes the keys out of the environment and off standard input; call it before any process is started.

    Returns:
        Them.

    Raises:
        UsageError: what came on standard input is no key.
    """
    several = getattr(args, "keys_on_stdin", False)
    source = sys.stdin.buffer if (args.key_on_stdin or several) and sys.stdin is not None else None
    return take_credentials(os.environ, source, several)


LOCAL = "local"
"""What `--cluster` says for this machine."""


def add_cluster(parser: argparse.ArgumentParser, remembered: bool = False) -> None:
    """Adds where matches are played: `args.cluster` is an address, "" for this machine.

    Args:
        parser: of a command that plays.
        remembered: True for commands about an existing run: without the option, `args.cluster` is None, and the run is
            played where its settings say.
    """
    otherwise = "where the run was started" if remembered else "this machine"
    parser.add_argument(
        "--cluster", metavar="ADDRESS", type=_cluster, default=None if remembered else LOCAL,
        help=f"play on the workers of a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, or {LOCAL} "
        f"(default: {otherwise})",
    )  # fmt: skip


def _cluster(text: str) -> str:
    return "" if text == LOCAL else checked_address(text)


def user_path(text: str) -> Path:
    """Returns the path that a user named, with `~` and `~NAME` filled in.

    Raises:
        UsageError: there is no such user.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"a path must not begin with an unknown user, got {text[:_SHOWN]!r}") from error


def chosen_store(args: argparse.Namespace, create: bool) -> Store:
    """Returns the store that `--store` names, else the default one.

    Args:
        args: parsed arguments with the common options.
        create: True: a file that `--store` names is made where it is missing. The default one always is.

    Raises:
        StoreError: it cannot be opened.
    """
    if args.store is None:
        return open_store(default_path())
    return open_store(user_path(args.store), create=create)
