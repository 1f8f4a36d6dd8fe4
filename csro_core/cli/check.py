"""`check`: is this text a policy? A static check, then a short trial match against itself in the jail."""

import argparse
from typing import Any

from csro_core.cli.output import emit
from csro_core.cli.targets import UnreadablePolicy, read_game, read_policy_file
from csro_core.evaluation.checkup import check_policy
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Isolation
from csro_core.matches.local_pool import LocalPool
from csro_core.seeds import Secret

NAME = "check"
HELP = "check a policy's file: the rules of the contract, and a short trial match against itself"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the file and the game of the trial match."""
    parser.add_argument("file", metavar="FILE", help="the policy: a Python file with a class Policy")
    parser.add_argument(
        "--game", metavar="G", default="repeated_rps", help="the game of the trial match (default: %(default)s)"
    )


def execute(args: argparse.Namespace) -> int:
    """Returns 1 where the policy has a problem, else 0; prints each with its line."""
    game = read_game(args.game)
    pool = LocalPool(make_game)
    try:
        try:
            text = read_policy_file(args.file)
            checkup = check_policy(pool, make_game(game), text, Secret.drawn())
            document = checkup.document(pool.isolation)
        except UnreadablePolicy as error:
            problem = {"line": 0, "message": str(error)}
            document = {"ok": False, "hash": error.hash, "problems": [problem], "isolation": pool.isolation.level}
            if pool.isolation.reason:
                document["isolation_reason"] = pool.isolation.reason
    finally:
        pool.close()
    emit(args, document, _words(args.file, game, document))
    return 0 if document["ok"] else 1


def _words(path: str, game: GameSpec, document: dict[str, Any]) -> str:
    isolation = f"Isolation: {Isolation(document['isolation'], document.get('isolation_reason', ''))}"
    if document["ok"]:
        ok = f"{path}: ok, also in a trial match of {game.name} against itself ({document['hash'][:12]})"
        return f"{ok}\n{isolation}"
    lines = []
    for problem in document["problems"]:
        place = f"{path}:{problem['line']}" if problem["line"] else path
        message = str(problem["message"]).removeprefix(f"line {problem['line']}: ")
        lines.append(f"{place}: {message}")
    return "\n".join([*lines, isolation])
