"""Options that commands share, and argument types whose messages say what would be right."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from csro_core.errors import UsageError
from csro_core.matches.cluster import checked_address
from csro_core.store import Store, default_path, open_store

MAX_SEED = 2**63 - 1
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
