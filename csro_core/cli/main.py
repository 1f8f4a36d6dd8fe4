"""Reads the arguments, executes one command, and turns errors into one line and an exit code.

Exit codes: 0 done; 1 what was asked about failed; 2 bad usage, bad input, or a store that cannot be used;
130 interrupted from the keyboard.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from csro_core.cli import (
    add,
    bench,
    check,
    compare_oracles,
    comparison,
    evaluate,
    experiment,
    experiment_run,
    exploitability,
    export,
    games,
    import_,
    local_llm,
    picture,
    play,
    reproduce,
    resume,
    run,
    runs,
    serve,
    show,
    solve,
    stop,
)
from csro_core.cli.arguments import Parser, add_common
from csro_core.cli.output import note
from csro_core.errors import CsroError, StoreError, UsageError

PROGRAM = "python -m csro_core"

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class Command(Protocol):
    """What the module of a command offers."""

    NAME: str
    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments of the command; the common options come by themselves."""
        ...

    def execute(self, args: argparse.Namespace) -> int:
        """Does it, prints the answer, and returns the exit code.

        Raises:
            UsageError: the arguments ask for something that cannot be.
            CsroError: it failed.
        """
        ...


COMMANDS: tuple[Command, ...] = (
    games, check, play, run, resume, stop, add, runs, show, solve, evaluate, exploitability, reproduce, compare_oracles,
    experiment, bench, export, import_, serve, local_llm,
)  # fmt: skip
"""Every command, in the order of the help. A new one is one module and its name here."""

INTERNAL: tuple[Command, ...] = (picture, comparison, experiment_run)
"""Commands that only the dashboard gives: left out of the list that `--help` prints."""


def main(argv: Sequence[str] | None = None) -> int:
    """Executes the command line.

    Args:
        argv: the arguments behind the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    _occupy_closed_streams()
    try:
        args = parser().parse_args(argv)
        _prepare_output(args.json)
        code: int = args.execute(args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return _reader_gone()
    except KeyboardInterrupt:
        note("interrupted")
        return _INTERRUPTED
    except (UsageError, StoreError) as error:
        note(f"error: {_one_line(error)}")
        return 2
    except CsroError as error:
        note(f"error: {_one_line(error)}")
        return 1
    except OSError as error:
        # Such as standard output on a full disk.
        note(f"error: {_one_line(error)}")
        return 2
    return code


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the whole command line."""
    whole = Parser(prog=PROGRAM, description="Code-Space Response Oracles: PSRO with readable Python policies.")
    commands = whole.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for command in (*COMMANDS, *INTERNAL):
        if command in COMMANDS:
            one = commands.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        else:
            one = commands.add_parser(command.NAME, description=command.HELP)  # without `help` it is not listed
        command.configure(one)
        add_common(one)
        one.set_defaults(execute=command.execute)
    return whole


def _prepare_output(json: bool) -> None:
    """Makes printing safe: JSON is UTF-8 by its standard, and a terminal that lacks a sign shows another."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        if json:
            sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout.reconfigure(errors="replace")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")


def _occupy_closed_streams() -> None:
    """Opens the null device where a standard stream is closed (`>&-`), so that no file of ours gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this one


def _reader_gone() -> int:
    """Returns the exit code after whoever read our output has gone (`… | head`), and keeps the process quiet.

    Source: https://docs.python.org/3/library/signal.html#note-on-sigpipe, for the redirection.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
